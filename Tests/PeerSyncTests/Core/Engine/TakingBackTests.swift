import PeerSyncCore
import Testing

/// A device is removed with all that it had decided: what others had decided stands again [F55].
@Suite struct TakingBackTests {
  /// Three members that have met. The second is to be removed: it has outbid what the others had decided.
  private func group() throws -> Harness {
    let harness = Harness(3)
    harness.connect(0, 1)
    harness.connect(0, 2)
    harness.connect(1, 2)
    harness.settle()
    harness.request(.addProducts([Fixtures.threeMonths, Fixtures.owl], version: 1), of: 0)
    harness.write(0, "a", [1])
    harness.request(.grant(entitlement: "owls", until: nil), of: 2)
    harness.request(.setExpiration(line: "random", instant("2027-01-01")), of: 0)
    harness.settle()
    return harness
  }

  private func outbid(_ harness: Harness) {
    harness.write(1, "a", [2])
    harness.write(1, "b", [2])
    harness.request(.revoke(entitlement: "owls"), of: 1)
    harness.request(.grant(entitlement: "stolen", until: nil), of: 1)
    harness.request(.setExpiration(line: "random", nil), of: 1)
    var product = Fixtures.threeMonths
    product.line = "other"
    harness.request(.addProducts([product], version: UInt64(Limits.catalogueVersion)), of: 1)
  }

  private struct Shown: Equatable {
    let values: [[UInt8]?]
    let expires: Instant?
    let entitlements: [String]
    let line: String?
  }

  private func shown(_ harness: Harness, _ index: Int) -> Shown {
    var result: Shown?
    harness.adjust(index) { engine in
      let now = harness.now(index)
      let view = engine.view(at: now)
      result = Shown(
        values: ["a", "b"].map { engine.standing(.value(key: $0))?.value },
        expires: view.lines.first { $0.id == "random" }?.expires,
        entitlements: view.entitlements.filter(\.active).map(\.id),
        line: engine.ledger { $0.product(Fixtures.threeMonths.id)?.line })
    }
    return result ?? Shown(values: [], expires: nil, entitlements: [], line: nil)
  }

  private func remove(_ harness: Harness, _ takingBack: TakingBack) {
    let request = harness.request(
      .remove(harness.identities[1].device, recoveryKey: nil, takingBack: takingBack), of: 0)
    #expect(harness.answers[request] == .done(changed: 1))
  }

  @Test func everythingIsAsBefore() throws {
    let harness = try group()
    let before = shown(harness, 0)
    #expect(before == shown(harness, 2) && before.values == [[1], nil])
    outbid(harness)
    harness.settle()
    #expect(shown(harness, 0) != before && shown(harness, 0) == shown(harness, 2))
    remove(harness, .everything)
    #expect(shown(harness, 0) == before)
    harness.settle()
    #expect(shown(harness, 2) == before)
    // Also after a start, and for whoever hears of it later.
    for index in [0, 2] {
      harness.restart(index)
      #expect(shown(harness, index) == before)
    }
  }

  /// What was decided since the removal, and what is decided after it, stays as without it.
  @Test func withoutItWhatItHadDecidedStays() throws {
    let harness = try group()
    outbid(harness)
    harness.settle()
    let decided = shown(harness, 0)
    remove(harness, .nothing)
    harness.settle()
    #expect(shown(harness, 0) == decided && shown(harness, 2) == decided)
    harness.write(2, "a", [3])
    harness.settle()
    #expect(harness.value(0, "a") == [3])
  }

  /// The removal comes first, or what the device had decided does; on a device that has heard of part of it, too.
  @Test func inAnyOrder() throws {
    let harness = try group()
    let before = shown(harness, 0)
    harness.write(1, "a", [2])
    harness.settle()
    harness.cut()
    outbid(harness)
    harness.connect(1, 0)
    harness.settle()
    remove(harness, .everything)
    harness.cut()
    harness.connect(0, 2)
    harness.settle()
    harness.advance(2 * Limits.beatMilliseconds)
    for index in [0, 2] { #expect(shown(harness, index) == before) }
    #expect(harness.replica(0).digest == harness.replica(2).digest)
    #expect(harness.replica(0).vector == harness.replica(2).vector)
  }
}
