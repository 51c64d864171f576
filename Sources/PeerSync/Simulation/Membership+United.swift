import PeerSyncCore

extension Membership {
  /// The records of devices that became one group: the first took the others in, one by one.
  ///
  /// - Parameter founders: the key of each device with the record by which it founded a group of its own
  package static func united(
    _ founders: [(key: SigningKey, founding: MembershipRecord)], _ cryptography: Cryptography
  ) throws(MembershipError) -> Membership {
    var united = Membership(founders.prefix(1).map(\.founding), cryptography)
    guard let host = founders.first?.key else { return united }
    for (key, founding) in founders.dropFirst() {
      let own = Membership([founding], cryptography)
      let proposal = try united.proposeMerge(host: host.publicKey, joiner: key.publicKey, of: own)
      let merge = MembershipRecord(
        proposal, host: proposal.signature(by: host), joiner: proposal.signature(by: key))
      _ = united.insert([founding, merge])
    }
    return united
  }
}

extension NewDevice {
  /// A device whose key and nonce are numbers.
  package static func simulated(
    seed: UInt64, life: UInt64 = 0, name: String = "Device", environment: Environment = .sandbox,
    bundleId: String
  ) -> NewDevice {
    NewDevice(
      signer: .simulated(seed: seed), nonce: Nonce(high: life, low: seed),
      recoveryKey: SigningKey.simulated(seed: .max - seed).publicKey, name: name, environment: environment,
      bundleId: bundleId, .simulated)
  }
}
