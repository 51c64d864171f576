import PeerSyncCore
import PeerSyncSimulation
import Testing

/// A member that signs properly and says the greatest number wherever a message or a value has one.
@Suite struct GreatestNumberTests {
  private static let top = UInt64.max
  /// Frames with a greater one are refused: ``WireLimitTests``.
  private static let last = Limits.sequence
  private static let latest = Instant(clamping: .max)
  private static let digest = Digest(high: top, low: top)
  private static let hash = ContentHash(words: (top, top, top, top))
  private static let range = KeyRange(depth: 64, prefix: top)
  private static let replica = ReplicaID(high: top, low: top)

  private static func bytes<Kind>() -> Bytes32<Kind> { Bytes32(words: (top, top, top, top)) }

  private static func write(_ key: String, _ sequence: UInt64, stamp: Stamp, by hostile: Author) -> Write {
    Write(
      key: RegisterKey.value(key: key).encoded, stamp: stamp, value: [0xff],
      dot: Dot(replica: hostile.replica, sequence: sequence))
  }

  /// Values of its own, of every kind that reads numbers out of one.
  private static var values: [LocalWrite] {
    var credits = Product(
      id: "top", type: .consumable, line: "top", period: Period(months: 1200, days: 36500),
      entitlements: ["top"], credit: "top", amount: Limits.creditAmount)
    credits.price = String(repeating: "9", count: 30)
    let purchases = [Fixtures.threeMonths.id, "top"].enumerated().flatMap { number, product in
      var transaction = Fixtures.buy("\(top - UInt64(number))", Fixtures.threeMonths, "2026-01-01")
      transaction.bundleId = Harness.bundleId
      transaction.productId = product
      transaction.purchaseDate = latest
      transaction.signedDate = latest
      transaction.expiresDate = latest
      transaction.quantity = .max
      transaction.verification = .unverified
      return SimulatedStore.writes(of: transaction)
    }
    return purchases + [
      LocalWrite(
        key: RegisterKey.product(id: "top").encoded, stamp: Stamp(rawValue: top), value: credits.encoded),
      LocalWrite(
        key: RegisterKey.expiration(line: "top").encoded,
        value: ExpirationRegister(expires: latest, covers: [String(top)]).encoded),
      LocalWrite(
        key: RegisterKey.grant(entitlement: "top", id: "1").encoded, value: Grant(until: latest).encoded),
    ]
  }

  /// The greatest numbers in commits: their places, and the values of their writes.
  private static func commits(by hostile: Author, at now: Instant) -> [Commit] {
    let allowed = Stamp(now.advanced(byMilliseconds: Limits.clockDriftMilliseconds), counter: .max)
    let values = values.enumerated().map { place, value in
      Write(
        key: value.key, stamp: value.stamp ?? allowed, value: value.value,
        dot: Dot(replica: hostile.replica, sequence: UInt64(place) + 1))
    }
    return [
      .signed(values), .signed([write("late", 100, stamp: allowed, by: hostile)]),
      .signed([write("never", 101, stamp: Stamp(rawValue: top), by: hostile)]),
      .signed([write("last", last, stamp: Stamp(rawValue: 1), by: hostile)]),
      .signed([
        write("last but one", last - 1, stamp: Stamp(rawValue: 1), by: hostile),
        write("last", last, stamp: allowed, by: hostile),
      ]
      ),
    ]
  }

  /// Every message that a member may send once data flows. Of its own replica it claims everything; of another's too.
  private static func messages(of hostile: Author, at now: Instant, victim: ReplicaID) -> [Message] {
    let all = [hostile.replica, victim, replica].sorted().map { Dot(replica: $0, sequence: last) }
    let commits = commits(by: hostile, at: now)
    let address = Address(host: String(repeating: "h", count: 253), port: .max)
    let fork = Fork(
      author: hostile.incarnation, hostile.head(last, last, hash),
      hostile.head(last - 1, last, ContentHash(words: (0, 0, 0, 0))))
    let removal = MembershipRecord.Removal(
      author: hash, isByRecoveryKey: true, target: bytes(), cuts: [Dot(replica: victim, sequence: last)])
    let record = MembershipRecord(
      parents: [hash], body: .remove(removal), signatures: [Signature(hash, hash)])
    return commits.map { .commit($0) }
      + commits.map { .delta(DeltaChunk(delta: top, index: top, commits: $0.batch)) }
      + commits.map { .items(RangeItems(range: range, wantsReply: true, commits: $0.batch)) } + [
        .summary(Summary(isProbe: true, vectorHash: top, digest: digest)),
        .vector(VersionVector(all).told),
        .deltaEnd(DeltaEnd(delta: top, chunks: top, baseHash: top, claims: all)),
        .ranges([RangeDigest(range: range, count: top, digest: digest)]),
        .ranges([RangeDigest(range: .all, count: top, digest: digest)]),
        .addresses([
          KnownPeer.Listening(device: hostile.device, address: address, stamp: Stamp(rawValue: top))
        ]),
        .addresses([
          KnownPeer.Listening(
            device: DeviceID(high: top, low: top), address: address, stamp: Stamp(rawValue: top))
        ]),
        .recordHashes([hash]), .records(RecordsPart(records: [record], isLast: true)),
        .forks([fork].compactMap { $0 }),
        .time(ClockReading(isAnswer: false, question: top, wall: latest)),
        .time(ClockReading(isAnswer: true, question: top, wall: latest)),
        .heldBack(HeldBack(wall: latest, writes: top, stamp: Stamp(rawValue: top), latest: all)),
      ]
  }

  private func household() -> Harness {
    let harness = Harness(3)
    connect(harness)
    var purchase = Fixtures.buy("1", Fixtures.threeMonths, "2026-01-01")
    purchase.bundleId = Harness.bundleId
    let product = LocalWrite(
      key: RegisterKey.product(id: Fixtures.threeMonths.id).encoded, stamp: Stamp(rawValue: 0),
      value: Fixtures.threeMonths.encoded)
    harness.request(.write([product] + SimulatedStore.writes(of: purchase)), of: 0)
    harness.settle()
    return harness
  }

  private func connect(_ harness: Harness) {
    harness.connect(0, 1)
    harness.connect(1, 2)
    harness.settle()
  }

  /// Every one of them can be said: none is refused before an engine sees it.
  @Test func theyTravel() throws {
    let now = Instant(clamping: Harness.wall)
    for message in Self.messages(of: Author(4), at: now, victim: Author(1).replica) {
      var decoder = FrameDecoder()
      Frame.encode(message).withUnsafeBytes { decoder.append($0) }
      #expect(try decoder.next() == message, "\(message.type)")
    }
  }

  /// Each message is another member's: two conflicting ones of one member would be evidence against it, and void.
  @Test func nothingOfTheOthersIsLost() {
    let harness = household()
    for number in 0..<Self.count {
      let hostile = Author(UInt64(4 + number))
      let victim = harness.identities[number % 2].replica
      let message = Self.messages(of: hostile, at: harness.now(0).wall, victim: victim)[number]
      for index in 0...1 {
        let session = harness.welcomed(index, as: hostile)
        harness.handle(index, [.received(session, message)])
        harness.settle()
        expectWorking(harness, number * 2 + index, "\(message.type), message \(number), to engine \(index)")
        harness.handle(index, [.closed(session)])
      }
    }
    for index in harness.engines.indices { harness.restart(index) }
    expectWorking(harness, 1_000, "after a restart")
  }

  private static let count = messages(of: Author(4), at: .epoch, victim: Author(1).replica).count

  /// Each device writes, all get it, nobody's dots are used twice, and the store's purchase counts as before.
  private func expectWorking(_ harness: Harness, _ round: Int, _ comment: Comment) {
    // Longer than the drift that is allowed: a stamp from the future wins for so long and no longer.
    harness.advance(UInt64(Limits.clockDriftMilliseconds) + 4 * Limits.beatMilliseconds)
    harness.cut()
    connect(harness)
    for index in harness.engines.indices {
      let value = [UInt8(index)] + String(round).utf8
      #expect(harness.write(index, "own \(index)", value) == .done(changed: 1), comment)
      #expect(harness.write(index, "late", value) == .done(changed: 1), comment)
      harness.settle()
      for other in harness.engines.indices {
        #expect(harness.value(other, "own \(index)") == value, comment)
        #expect(harness.value(other, "late") == value, comment)
      }
    }
    for index in harness.engines.indices {
      #expect(harness.value(index, "never") == nil, comment)
      harness.adjust(index) { engine in
        let view = engine.ledger { $0.view(at: harness.now(index).wall) }
        #expect(view.credits.allSatisfy { $0.balance == 0 }, comment)
        #expect(engine.ledger { $0.expires() } == instant("2026-04-01"), comment)
        #expect(engine.ledger { $0.why("top", at: harness.now(index).wall) } != nil, comment)
      }
    }
    for index in harness.engines.indices {
      let dots = harness.history.filter { $0.dot.replica == harness.identities[index].replica }.map(\.dot)
      #expect(Set(dots).count == dots.count, comment)
    }
    harness.expectConverged()
  }
}
