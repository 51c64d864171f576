/// One live connection, named by the runner that opened or accepted it. Never used twice.
public struct SessionID: Hashable, Comparable, Sendable {
  /// The number that the runner gave it, greater than all before.
  public let rawValue: UInt64

  /// Names a connection.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// In the order in which they were opened.
  public static func < (left: SessionID, right: SessionID) -> Bool { left.rawValue < right.rawValue }
}

/// One request of this device's own user, named by the runner; its answer carries the name back.
public struct RequestID: Hashable, Sendable {
  /// The number that the runner gave it.
  public let rawValue: UInt64

  /// Names a request.
  public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// How a session came to be.
public enum Opening: Hashable, Sendable {
  /// This device dialled the address.
  case dialled(Address)
  /// A peer connected from the address.
  case accepted(from: Address)
}

/// What the encryption of a connection proves about the other side.
public enum Channel: Hashable, Sendable {
  /// It holds this key, which is a member's.
  case certificate(PublicKey)
  /// It holds this key. On the side that was dialled nobody has looked whose it is: the other side shows the records that
  /// make it a member, and nothing else happens. On the side that dialled it is a member's.
  case introduction(PublicKey)
  /// It knows the code of the invitation. The exporter value is the connection's own, and the same on both sides.
  case invitation(exporter: ContentHash)
}

/// Everything that can happen to an engine.
public enum Event: Sendable {
  /// The runner is ready and can be reached here: at no address while the machine is on no network; nil: it does not listen.
  /// Comes first, once.
  case started(listening: [Address]?, peers: [Address])
  /// The machine's network is another one, or it has slept. The runner can be reached here now; sessions whose own address is
  /// gone it has ended.
  case networkChanged(listening: [Address]?)
  /// On the local network the owner of the key announces itself at these addresses, the likeliest first.
  case sighted(PublicKey, [Address])
  /// ``Engine/nextDeadline`` has come.
  case deadline
  /// A connection stands, encrypted, and this is what it has proved.
  case opened(SessionID, Opening, Channel)
  /// The connection brought a whole, well-formed message.
  case received(SessionID, Message)
  /// Everything sent on the session so far has left this device's queue.
  case drained(SessionID)
  /// Bytes of a message that is not complete yet keep coming on the session. Now and then is often enough.
  case stirred(SessionID)
  /// The connection is gone, whoever ended it.
  case closed(SessionID)
  /// No connection came about with the address; with the reason that the other side gave, if it gave one.
  case unreachable(Address, CloseReason?)
  /// No connection came about with the address by the code of an invitation; with the reason that the other side gave, if it gave one.
  case notJoined(Address, CloseReason?)
  /// Somebody tried another code than that of this device's invitation. Its connection is to be told so, and closed, once that counts.
  case wrongCode(SessionID)
  /// The device's own user or app wants something.
  case requested(RequestID, Request)
  /// The device's own store has signed the draft of a request; nil: it could not.
  case signed(RequestID, IngestedItem?)
}
