// What an engine answers when asked.
extension Engine {
  /// Reads the ledger, brought up to date with the registers. It is handed out mutable because asking fills its caches.
  package mutating func ledger<Result>(_ body: (inout Ledger) throws -> Result) rethrows -> Result {
    try ledgerCache.read(replica.registers, body)
  }

  /// The members of the group with this device, sorted by id.
  package var members: [MemberState] {
    var members: [MemberState] = []
    replica.registers.forEach { write in
      guard write.key.first == RegisterKind.member.rawValue,
        case .member(let device)? = try? RegisterKey(decoding: Array(write.key)[...]),
        let member = try? Member(decoding: Array(write.value)[...])
      else { return }
      members.append(MemberState(device: device, name: member.name, joined: member.joined))
    }
    return members.sorted { $0.device < $1.device }
  }

  /// The other devices of the group, sorted by id, with how things stand between them and this one.
  package var peers: [PeerState] {
    members.filter { $0.device != identity.device }.map { member in
      let session = sessions.all.first { $0.device == member.device && $0.isReady }
      let isInSync = session.map { $0.peerVector == replica.vector } ?? false
      return PeerState(
        device: member.device, name: member.name, address: addressBook[member.device]?.address,
        isConnected: session != nil, isInSync: isInSync, lastSeen: acquaintances[member.device]?.lastSeen)
    }
  }

  /// How many sessions data flows over.
  package var readySessions: Int { sessions.all.count { $0.isReady } }

  /// Where this device listens, once started.
  package var listeningAddress: Address? { listening?.address }
}

/// What this device knows of a peer.
package struct PeerState: Hashable, Sendable {
  package let device: DeviceID
  package let name: String
  /// Where it was last known to listen.
  package let address: Address?
  package let isConnected: Bool
  /// Whether both devices are known to have everything that either has.
  package let isInSync: Bool
  /// Wall time of the last message from it since this engine started.
  package let lastSeen: Instant?
}

/// A device of the group.
package struct MemberState: Hashable, Sendable {
  package let device: DeviceID
  package let name: String
  package let joined: Instant
}
