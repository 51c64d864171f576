import PeerSyncCore
import Testing

@Suite struct LawTests {
  @Test func maxima() { checkMergeLaws(Maximum.self) { $0.value <= $1.value } }

  @Test func mapsOfMaps() {
    checkMergeLaws(GrowOnlyMap<DeviceID, GrowOnlyMap<UInt64, Maximum>>.self)
  }

  @Test func boundedCounters() { checkMergeLaws(BoundedCounter.self) }

  @Test func versionVectors() { checkMergeLaws(VersionVector.self) { $1.covers($0) } }
}

// MARK: The checker itself

/// Types that merge wrongly, each against one law, as others have shipped them.
@Suite struct LawCheckerTests {
  private func law<State: Mergeable & Generated & WireValue>(
    brokenBy _: State.Type, isAtMost: (State, State) -> Bool = { $1.merging($0) == $1 }
  ) -> Law? {
    firstViolation(State.self, seed: 1, isAtMost: isAtMost)?.law
  }

  @Test func rejectsKeepingOnesOwnInATie() { #expect(law(brokenBy: KeepsOwnInTies.self) == .commutative) }
  @Test func rejectsTickingOnMerge() { #expect(law(brokenBy: TicksOnMerge.self) == .idempotent) }
  @Test func rejectsAddingUp() { #expect(law(brokenBy: AddsUp.self) == .idempotent) }
  @Test func rejectsGoingRoundInCircles() { #expect(law(brokenBy: Circle.self) == .associative) }
  @Test func rejectsGoingDown() {
    #expect(law(brokenBy: TakesMinimum.self) { $0.number <= $1.number } == .monotone)
  }
  @Test func rejectsLosingBitsOnTheWay() { #expect(law(brokenBy: LosesBits.self) == .roundTrip) }
  @Test func rejectsSeveralEncodings() { #expect(law(brokenBy: EqualsTooMuch.self) == .sameBytes) }

  @Test func aViolationSaysHowToSeeItAgain() throws {
    let violation = try #require(firstViolation(AddsUp.self, seed: 42))
    #expect(violation.description.contains("PEERSYNC_SEED=42"))
    let again = try #require(firstViolation(AddsUp.self, seed: 42))
    #expect(again.description == violation.description)
  }
}

/// What all the wrong types are but for their merging.
protocol OneNumber: Mergeable, Generated, WireValue {
  var number: UInt64 { get set }
  init(number: UInt64)
}

extension OneNumber {
  static func generate(_ random: inout SeededGenerator) -> Self { Self(number: UInt64(random.below(10))) }
  init(from reader: inout ByteReader) throws(WireError) { self.init(number: try reader.varint()) }
  func write(to writer: inout ByteWriter) { writer.write(varint: number) }
}

/// Compares tens as a stamp and forgets to compare the rest.
private struct KeepsOwnInTies: OneNumber {
  var number: UInt64
  mutating func merge(_ other: Self) { if other.number / 5 > number / 5 { self = other } }
}

/// Counts merges.
private struct TicksOnMerge: OneNumber {
  var number: UInt64
  mutating func merge(_ other: Self) { number = max(number, other.number) + 1 }

  /// Merges of equal shape tick equally often: only merging twice shows it.
  static func generate(_ random: inout SeededGenerator) -> Self { Self(number: 3) }
}

private struct AddsUp: OneNumber {
  var number: UInt64
  mutating func merge(_ other: Self) { number += other.number }
}

/// Stone, scissors, paper: of any two one wins, and of three it depends on who meets first.
private struct Circle: OneNumber {
  var number: UInt64
  mutating func merge(_ other: Self) { if (number + 1) % 3 == other.number { self = other } }
  static func generate(_ random: inout SeededGenerator) -> Self { Self(number: UInt64(random.below(3))) }
}

private struct TakesMinimum: OneNumber {
  var number: UInt64
  mutating func merge(_ other: Self) { number = min(number, other.number) }
}

private struct LosesBits: OneNumber {
  var number: UInt64
  mutating func merge(_ other: Self) { number = max(number, other.number) }
  func write(to writer: inout ByteWriter) { writer.write(varint: number & ~1) }
}

/// Equal by tens, like text that is equal in several spellings.
private struct EqualsTooMuch: OneNumber {
  var number: UInt64
  mutating func merge(_ other: Self) { if other.number / 5 > number / 5 { self = other } }
  static func == (left: Self, right: Self) -> Bool { left.number / 5 == right.number / 5 }
}
