/// Everything one device's store holds: registers, the index by dot, and the version vector.
package struct Replica: Sendable {
  /// The incarnation that this device writes under.
  package let id: ReplicaID

  package init(id: ReplicaID) { self.id = id }

  /// How far each replica's writes are known here.
  package private(set) var vector = VersionVector()
  /// Fingerprint of all registers.
  package private(set) var digest = Digest()
  /// How many registers there are.
  package var count: Int { 0 }

  /// Puts back a write that the disk kept. Only while loading.
  package mutating func restore(_ write: borrowing WriteView) {}
  /// Puts back an entry of the version vector that the disk kept. Only while loading.
  package mutating func restore(claim: Dot) { vector.advance(claim.replica, to: claim.sequence) }

  /// The stamp and value of a register; nil when it was never written.
  package func register(_ key: [UInt8]) -> (stamp: Stamp, value: [UInt8])? { nil }

  /// Every register in the order of its key bytes (slow: sorts; for exports and listings).
  package func sortedWrites() -> [Write] { [] }
}
