/// One live connection, named by the runner that opened or accepted it. Never used twice.
package struct SessionID: Hashable, Comparable, Sendable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }

  package static func < (left: SessionID, right: SessionID) -> Bool { left.rawValue < right.rawValue }
}

/// One request of this device's own user, named by the runner; its answer carries the name back.
package struct RequestID: Hashable, Sendable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// How a session came to be.
package enum Opening: Hashable, Sendable {
  /// This device dialled the address.
  case dialled(Address)
  /// A peer connected from the address.
  case accepted(from: Address)
}

/// What the encryption of a connection proves about the other side.
package enum Channel: Hashable, Sendable {
  /// It holds this key, which is a member's.
  case certificate(PublicKey)
  /// It knows the code of the invitation. The exporter value is the connection's own, and the same on both sides.
  case invitation(exporter: ContentHash)
}

/// Everything that can happen to an engine.
package enum Event: Sendable {
  /// The runner is ready and listens here (nil: it does not listen). Comes first, once.
  case started(listening: Address?, peers: [Address])
  /// ``Engine/nextDeadline`` has come.
  case deadline
  /// A connection stands, encrypted, and this is what it has proved.
  case opened(SessionID, Opening, Channel)
  /// The connection brought a whole, well-formed message.
  case received(SessionID, Message)
  /// Everything sent on the session so far has left this device's queue.
  case drained(SessionID)
  /// The connection is gone, whoever ended it.
  case closed(SessionID)
  /// No connection came about with the address; with the reason that the other side gave, if it gave one.
  case unreachable(Address, CloseReason?)
  /// Somebody tried another code than that of this device's invitation.
  case wrongCode
  /// The device's own user or app wants something.
  case requested(RequestID, Request)
}

/// What a device's own user or app can ask of its engine.
package enum Request: Sendable {
  /// Write registers. Each write that would not win its register is left out: writing again changes nothing.
  case write([LocalWrite])
  /// Leave the network, or come back to it.
  case setOnline(Bool)
  /// Open an invitation; it takes the place of one that is open.
  case invite(Invitation)
  /// Join the group of the device that listens there and opened an invitation under the key.
  case join(Address, InvitationKey)
  /// Spend credits: at once from this device's own rights, or after asking peers for theirs.
  case spend(Spending)
  /// Take over the rights to a credit that earlier incarnations of this device hold.
  case takeOver(credit: String)
  /// Remove a device from the group: by this device's own right, or by that of the recovery key.
  case remove(DeviceID, recoveryKey: SigningKey?)
}

/// A write that this device is about to make.
package struct LocalWrite: Sendable {
  /// Which register.
  package let key: [UInt8]
  /// The store's date, the catalogue's version or an imported stamp; nil: now, by the hybrid logical clock.
  package let stamp: Stamp?
  /// The encoded value.
  package let value: [UInt8]

  package init(key: [UInt8], stamp: Stamp? = nil, value: [UInt8]) {
    self.key = key
    self.stamp = stamp
    self.value = value
  }
}

/// What became of a ``Request``.
package enum Answer: Hashable, Sendable {
  /// Done and durable; so many registers changed.
  case done(changed: Int)
  /// Spent and durable, now or before under the same id.
  case spent(Spent)
  /// Not done, and why.
  case refused(Refusal)
}

/// Why a request was refused.
package enum Refusal: Error, Hashable, Sendable {
  /// A key or value is beyond its limit.
  case tooLarge
  /// Something else than its key says: nobody would take it.
  case misfit
  /// The ledger is full (``Limits/registers``, ``Limits/recordBytes``).
  case full
  /// The stamp lies further ahead than ``Limits/clockDriftMilliseconds``.
  case tooFarAhead
  /// The device is offline; joining needs the network.
  case offline
  /// Another join, or too much else, is under way.
  case busy
  /// This device was removed from its group.
  case removed
  /// No member has that id.
  case unknownDevice
  /// The record would have no effect: the signer may not, or nobody would be left.
  case notPermitted
  /// Another copy of this device is at work: until one is stopped and this one restarted, it decides nothing.
  case cloned
  /// No device listens at the address, or it went away.
  case unreachable
  /// The inviting device said no.
  case notAdmitted(CloseReason)
  /// No product of the catalogue buys such a credit.
  case unknownCredit
  /// This device may not spend as much, and peers could not help.
  case notEnough(Shortage)
  /// So many were spent under the same id before.
  case spentOtherwise(Int64)
  /// These members have to be connected and in step first.
  case notComplete([DeviceID])
}
