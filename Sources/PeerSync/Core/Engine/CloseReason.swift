/// Why a session ends, as told to the other side in one byte.
public enum CloseReason: UInt8, Error, Hashable, Sendable, CaseIterable {
  /// The device goes offline or stops.
  case leaving = 1
  /// No protocol version is spoken by both.
  case version = 2
  /// The bytes were no message.
  case malformed = 3
  /// A length or count was beyond its limit.
  case beyondLimit = 4
  /// A message came that the state of the session does not allow.
  case unexpected = 5
  /// The devices are of different groups, environments or apps.
  case stranger = 6
  /// A device reached itself.
  case itself = 7
  /// There is another session between the two devices already.
  case duplicate = 8
  /// No welcome came in time.
  case handshakeTimeout = 9
  /// Nothing came for too long.
  case silence = 10
  /// The invitation code is wrong.
  case wrongCode = 11
  /// There is no open invitation: none was made, it has run out, or it was used.
  case noInvitation = 12
  /// Too many sessions, or too many questions of one peer.
  case busy = 13
  /// The device was removed from the group.
  case removed = 14
  /// Something was not signed by whom it claims to be from.
  case forged = 15
  /// Two copies of one device are at work.
  case cloned = 16
  /// The device that wants to join is not the first of its group, and would have to bring the others along.
  case notFirst = 17
  /// The set of membership records of one of the two has no room for what a join takes.
  case noRoom = 18
  /// The device that invited was removed from its group.
  case hostRemoved = 19

  /// One sentence for a person, saying what to do where there is something to do.
  package var explanation: String {
    switch self {
    case .leaving: "the device went offline"
    case .version: "the devices speak no common protocol version: update the older one"
    case .malformed: "the bytes received were no message"
    case .beyondLimit: "a message was larger than the protocol allows"
    case .unexpected: "a message came out of turn"
    case .stranger:
      "the device belongs to another group, environment or app, or one of them was removed: invite one to the other"
    case .itself: "the address is this device's own"
    case .duplicate: "the devices are connected already"
    case .handshakeTimeout: "no welcome came in time"
    case .silence: "nothing came for too long"
    case .wrongCode: "the invitation code is wrong: check it, or make a new invitation"
    case .noInvitation:
      "no invitation is open there (it may have been used, or be older than ten minutes): a new one is needed"
    case .busy: "the device has too many sessions, or was asked too much at once"
    case .removed: "the device was removed from the group: make a new one, and let that one join"
    case .forged: "something was not signed by the device it claims to be from, or is not what its name says"
    case .notFirst:
      "the device is of a group whose first device it is not: that one has to join, and brings the others along; if it is gone for good, "
        + "invite from here and let the other side join"
    case .noRoom:
      "one of the two has no room for the membership records that this takes: see the warnings in the status of both, or have the group's "
        + "first device invite it"
    case .hostRemoved:
      "the inviting device was removed from its group: invite on another one, which belongs to it, and join there"
    case .cloned: "two copies of one device are at work: stop one of them, then restart the other"
    }
  }
}
