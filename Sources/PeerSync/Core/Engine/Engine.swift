/// The whole behaviour of a device as one value.
package struct Engine: Sendable {
  package private(set) var identity: Identity
  package private(set) var replica: Replica
  /// Whether the device wants to be on the network.
  package private(set) var isOnline = true

  /// - Parameters:
  ///   - addresses: the address book the disk kept
  ///   - seed: where this engine's random numbers (jitter) start; the runner draws it
  package init(identity: Identity, replica: Replica, addresses: [AddressEntry], seed: UInt64) {
    self.identity = identity
    self.replica = replica
  }

  /// Takes in what happened, as one commit, and answers with what to do.
  package mutating func handle(_ events: [Event], now: Now) -> Effects { Effects() }

  /// When, on the monotonic clock, ``Event/deadline`` is due; nil: nothing waits for time.
  package var nextDeadline: UInt64? { nil }

  /// The devices this one knows of, sorted by id, without itself.
  package var peers: [PeerState] { [] }

  /// The members of the group with this device, sorted by id.
  package var members: [MemberState] { [] }
}

/// What this device knows of a peer.
package struct PeerState: Hashable, Sendable {
  package let device: DeviceID
  package let name: String
  package let address: Address?
  package let isConnected: Bool
  /// Whether the peer is known to hold everything that this device holds, and the other way round.
  package let isInSync: Bool
  /// Wall time of the last message from it since this daemon started.
  package let lastSeen: Instant?
}

/// A device of the group.
package struct MemberState: Hashable, Sendable {
  package let device: DeviceID
  package let name: String
  package let joined: Instant
}
