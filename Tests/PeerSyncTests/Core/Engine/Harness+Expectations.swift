import PeerSyncCore
import Testing

// What tests expect of the engines of a harness.
extension Harness {
  /// What an engine sent, by type, from a place in ``sent`` on.
  func types(from index: Int, to other: Int? = nil, since start: Int = 0) -> [MessageType] {
    sent[start...].filter { $0.from == index && (other == nil || $0.to == other) }.map(\.message.type)
  }

  var closeReasons: [CloseReason] { closings.map(\.reason) }

  /// No engine claims what it lacks, in memory or on its disk.
  func expectClaimsHold(sourceLocation: SourceLocation = #_sourceLocation) {
    for index in engines.indices {
      expectHolds(engines[index].replica.vector, index, sourceLocation) {
        engines[index].replica.registers[$0]
      }
      expectHolds(disks[index].claims, index, sourceLocation) { disks[index].registers[$0] }
    }
  }

  private func expectHolds(
    _ vector: VersionVector, _ index: Int, _ sourceLocation: SourceLocation,
    _ register: (RegisterID) -> Write?
  ) {
    for write in history where vector.contains(write.dot) {
      #expect(
        register(write.register).map { !write.wins(over: $0) } ?? false,
        "engine \(index) claims \(write.dot) and lacks it",
        sourceLocation: sourceLocation)
    }
  }

  /// All engines hold and claim the same, and so do their disks.
  func expectConverged(sourceLocation: SourceLocation = #_sourceLocation) {
    for index in engines.indices {
      let (replica, first) = (engines[index].replica, engines[0].replica)
      #expect(replica.digest == first.digest, "engine \(index)", sourceLocation: sourceLocation)
      #expect(replica.vector == first.vector, "engine \(index)", sourceLocation: sourceLocation)
      #expect(engines[index].isSaved, "engine \(index)", sourceLocation: sourceLocation)
      expectSaved(index, sourceLocation: sourceLocation)
    }
  }

  /// The disk holds just what memory does.
  func expectSaved(_ index: Int, sourceLocation: SourceLocation = #_sourceLocation) {
    let held = Dictionary(
      uniqueKeysWithValues: engines[index].replica.sortedWrites().map { ($0.register, $0) })
    let different = Set(disks[index].registers.values).symmetricDifference(held.values)
    #expect(different.isEmpty, "disk of engine \(index)", sourceLocation: sourceLocation)
    #expect(
      disks[index].claims == engines[index].replica.vector, "disk of engine \(index)",
      sourceLocation: sourceLocation)
    #expect(
      disks[index].proofs.fit(disks[index].registers.values), "proofs of engine \(index)",
      sourceLocation: sourceLocation)
    if let inventory = disks[index].inventory {
      #expect(
        inventory == disks[index].replica(of: author(index)).inventory, "inventory of engine \(index)",
        sourceLocation: sourceLocation)
    }
  }
}
