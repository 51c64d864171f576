import PeerSyncCore
import Testing

/// A journal of what became durable is as good as a disk.
@Suite struct DeviceStateTests {
  /// Two devices that met by an invitation, write, part, fork and meet again.
  private func played(_ random: inout SeededGenerator) -> Harness {
    let harness = JoiningTests.pair()
    harness.request(.join(harness.address(0), JoiningTests.key), of: 1)
    harness.settle()
    harness.advance(1_000)
    for round in 0..<random.pick(5...30) {
      let index = random.below(2)
      switch random.below(8) {
      case 0: harness.cut()
      case 1: harness.advance(60_000)
      case 2: harness.request(.grant(entitlement: "e\(random.below(3))", until: nil), of: index)
      case 3: harness.request(.setOnline(random.below(2) == 0), of: index)
      case 4: harness.restart(index)
      default: harness.write(index, "k\(random.below(4))", [UInt8(round)])
      }
      harness.settle()
    }
    for index in 0..<2 { harness.request(.setOnline(true), of: index) }
    harness.advance(120_000)
    harness.settle()
    return harness
  }

  private func expectSame(_ engine: Engine, _ other: Engine, _ seed: UInt64) {
    #expect(engine.identity == other.identity, "seed \(seed)")
    #expect(engine.replica.sortedWrites() == other.replica.sortedWrites(), "seed \(seed)")
    #expect(engine.replica.vector == other.replica.vector, "seed \(seed)")
    #expect(engine.replica.digest == other.replica.digest, "seed \(seed)")
    #expect(engine.membership.fingerprint == other.membership.fingerprint, "seed \(seed)")
    #expect(engine.invitation == other.invitation, "seed \(seed)")
  }

  @Test(arguments: Seeds.all) func aJournalGivesTheEngine(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let harness = played(&random)
    for index in 0..<2 {
      let device = Harness.device(harness.author(index))
      var state = DeviceState(device, made: .epoch)
      for durable in harness.journals[index, default: []] {
        let bytes = durable.encoded
        let read = try Durable(decoding: bytes)
        #expect(read.encoded == bytes, "seed \(seed)")
        state.apply(read)
      }
      var compacted = DeviceState(device, made: .epoch)
      compacted.apply(try Durable(decoding: state.snapshot.encoded))
      #expect(compacted.snapshot.encoded == state.snapshot.encoded, "seed \(seed)")
      for state in [state, compacted] {
        let engine = state.engine(signer: harness.author(index).key, .simulated, seed: 1, store: .simulated)
        expectSame(engine, harness.engines[index], seed)
      }
    }
  }

  /// One of each kind of change.
  private static func everything() throws -> Durable {
    let author = Author(3)
    let (dot, hash) = (Dot(replica: author.replica, sequence: 2), ContentHash(words: (1, 2, 3, 4)))
    let other = ContentHash(words: (5, 6, 7, 8))
    let fork = try #require(
      Fork(author: author.incarnation, author.head(1, 2, hash), author.head(1, 2, other)))
    let signature = FlatSignature(author.key.sign([1]))
    let kept = [hash, nil].map {
      PersistedCommit(replica: author.replica, first: 4, count: 2, signature: signature, root: $0)
    }
    let device = DeviceID(high: 1, low: 2)
    return Durable([
      .written(WriteBatch(.numbered(1))),
      .removed([
        RegisterID(key: [1, 2], author: author.replica), RegisterID(key: [8], author: author.replica),
      ]), .voided([Dot(replica: author.replica, sequence: 0), dot]), .vector(VersionVector([dot])),
      .claimed([dot]), .proven([.incarnation(author.incarnation, replica: author.replica)]),
      .proven(kept.map { .commit($0) }), .proven([.dropped(author.replica, 4...5), .replaced(dot, hash)]),
      .proven([.voided(author.replica, 6...Limits.sequence)]),
      .proven([.alive(dot), .forked(fork, replica: author.replica), .forgotten(author.replica)]),
      .counted(
        Inventory(
          registers: 1, digest: Digest(high: 1, low: 2), commits: 3, hashes: 4, replica: author.replica,
          used: 5)),
      .replica(author.replica), .records([NewDevice.third.founding]), .membership([NewDevice.third.founding]),
      .invitation(.open(Invitation(key: JoiningTests.key, expires: .epoch, triesLeft: 3))),
      .invitation(.closed), .group(NewDevice.third.identity.group), .addresses([.at(device, 1)]),
      .online(false), .online(true),
      .time(TrustedTime.Persisted()),
      .time(
        TrustedTime.Persisted(
          made: .epoch, ran: 5, store: TrustedTime.Bound(origin: -7, vouched: .epoch),
          peers: [
            TrustedTime.Peer(
              device: device, since: .min, bound: TrustedTime.Bound(origin: .max, vouched: .epoch)),
            TrustedTime.Peer(device: DeviceID(high: .max, low: 1)),
          ], accepted: .epoch, mayAccept: false)),
      .time(
        TrustedTime.Persisted(
          made: .epoch,
          fallen: FallenBounds(lead: 400, last: Dot(replica: author.replica, sequence: 7), fell: .epoch))),
      .contacts([KnownPeer.Contact(device: device, seen: .epoch)]), .repaired, .caughtUp,
      .setAside(SetAside([SetAside.Part(replica: author.replica, commits: [1, 2])])),
      .known([
        VectorHistory.Entry(hour: -1, replica: VectorHistory.beginning, sequence: 0),
        VectorHistory.Entry(hour: 500_000, replica: author.replica, sequence: .max),
        VectorHistory.Entry(hour: 500_001, replica: author.replica, sequence: nil),
      ]),
    ])
  }

  @Test func everyChangeHasItsBytes() throws {
    let durable = try Self.everything()
    let bytes = durable.encoded
    let read = try Durable(decoding: bytes)
    #expect(read.encoded == bytes && "\(read)" == "\(durable)")
    // Each change by itself, whole and cut short.
    for change in durable.changes {
      let bytes = Durable([change]).encoded
      #expect("\(try Durable(decoding: bytes))" == "\(Durable([change]))")
      for length in 1..<bytes.count {
        #expect(throws: WireError.self) { try Durable(decoding: Array(bytes.prefix(length))) }
      }
    }
    #expect(throws: WireError.unsupported) { try Durable(decoding: [200]) }
  }

  /// A journal of before there were bounds: its floor is the bound of whoever had vouched for it.
  @Test func theFloorOfBeforeIsRead() throws {
    let device = DeviceID(high: 1, low: 2)
    for (tail, voucher) in [
      ([1, 10], TrustedTime.Voucher.store(signed: Instant(clamping: 5))), ([2] + device.bytes, .peer(device)),
    ] as [([UInt8], TrustedTime.Voucher)] {
      let changes = try Durable(decoding: [14, 14] + tail).changes
      guard case .time(let kept)? = changes.first else {
        Issue.record("\(changes)")
        continue
      }
      #expect(kept.evidence == TrustedTime.Evidence(instant: Instant(clamping: 7), voucher: voucher))
      #expect(kept.ran == 0 && kept.mayAccept)
    }
  }

  /// A journal that rots is refused, or says something else: it never ends the program.
  @Test(arguments: Seeds.all) func damagedBytesNeverTrap(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let bytes = try Self.everything().encoded
    for _ in 0..<300 {
      var damaged = bytes
      for _ in 0..<random.pick(1...4) { damaged[random.below(damaged.count)] = UInt8(random.below(256)) }
      guard let durable = try? Durable(decoding: damaged) else { continue }
      var state = DeviceState(.third, made: .epoch)
      state.apply(durable)
      _ = try Durable(decoding: state.snapshot.encoded)
    }
  }
}
