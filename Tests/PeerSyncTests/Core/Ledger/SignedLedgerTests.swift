import PeerSyncCore
import PeerSyncSimulation
import Testing

/// What signatures do to the ledger of an engine.
@Suite struct SignedLedgerTests {
  private static let now = Now(wall: instant("2026-06-01"), monotonic: 0)

  /// An engine with these products that trusts the store of the simulation.
  private func engine(
    _ environment: Environment = .sandbox, trusting roots: Set<ContentHash> = SimulatedStore.trustedRoots
  ) -> Engine {
    var engine = Engine(
      .simulated(seed: 1, environment: environment, bundleId: Fixtures.bundleId), signer: .simulated(seed: 1),
      .simulated, seed: 1, store: .simulated, trustedRoots: roots)
    write(Fixtures.writes, &engine)
    return engine
  }

  private func write(_ writes: [LocalWrite], _ engine: inout Engine) {
    _ = engine.handle([.requested(RequestID(rawValue: 1), .write(writes))], now: Self.now)
  }

  private func expires(_ engine: inout Engine) -> Instant? { engine.ledger { $0.expires() } }

  private func reason(_ engine: inout Engine, _ id: String = "1") -> JWSRejection? {
    engine.ledger { $0.transaction(id)?.rejection ?? $0.refusals.first?.reason }
  }

  private let bought = Fixtures.buy("1", Fixtures.threeMonths, "2026-01-01")

  @Test func aSignedPurchaseCountsAndAnUnsignedOneDoesNot() {
    var signed = engine()
    write(SimulatedStore.writes(of: bought), &signed)
    #expect(expires(&signed) == instant("2026-04-01"))
    #expect(signed.ledger { $0.transaction("1")?.transaction.verification } == .simulated)
    var unsigned = engine()
    write([bought.unsigned()], &unsigned)
    #expect(expires(&unsigned) == nil)
    #expect(reason(&unsigned) == .unsigned)
  }

  @Test func B26_anotherRootOrEnvironmentGrantsNothing() {
    var stranger = engine(trusting: [])
    write(SimulatedStore.writes(of: bought), &stranger)
    #expect(expires(&stranger) == nil)
    #expect(reason(&stranger) == .untrustedRoot)
    var production = engine(.production)
    write(SimulatedStore.writes(of: bought), &production)
    #expect(expires(&production) == nil)
  }

  /// What an engine trusts besides Apple's root: its own roots, and those that the members of its group brought along.
  @Test func B26_theRootsOfTheMembersAreTrusted() throws {
    let own = NewDevice.simulated(seed: 1, bundleId: Fixtures.bundleId)
    let (signer, other) = (SigningKey.simulated(seed: 1), SigningKey.simulated(seed: 2))
    let root = try #require(SimulatedStore.trustedRoots.first)
    let founding = MembershipRecord.found(
      name: "Tablet", recoveryKey: signer.publicKey, environment: .sandbox, bundleId: Fixtures.bundleId,
      storeRoot: root, by: other)
    let united = try Membership.united([(signer, own.founding), (other, founding)], .simulated)
    var replica = Replica(id: own.identity.replica, cryptography: .simulated)
    replica.restore(.incarnation(own.incarnation, replica: own.identity.replica))
    let mine = ContentHash(words: (9, 9, 9, 9))
    func engine(_ membership: Membership) -> Engine {
      Engine(
        identity: own.identity, signer: signer, cryptography: .simulated, membership: membership,
        replica: replica, seed: 1, store: .simulated, trustedRoots: [mine])
    }
    var alone = engine(Membership([own.founding], .simulated))
    var member = engine(united)
    #expect(alone.trustedRoots == [mine] && member.trustedRoots == [mine, root])
    for write in SimulatedStore.writes(of: bought) + Fixtures.writes {
      self.write([write], &alone)
      self.write([write], &member)
    }
    #expect(expires(&alone) == nil && reason(&alone) == .untrustedRoot)
    #expect(expires(&member) == instant("2026-04-01"))
  }

  @Test func anItemWaitsForItsParts() {
    let writes = SimulatedStore.writes(of: bought)
    #expect(writes.count == 3)
    for order in permutations(Array(writes.indices)) {
      var engine = engine()
      for (step, index) in order.enumerated() {
        write([writes[index]], &engine)
        let expected = step == 2 ? instant("2026-04-01") : nil
        #expect(expires(&engine) == expected, "order \(order), step \(step)")
      }
    }
    var engine = engine()
    write([writes[2]], &engine)
    #expect(reason(&engine) == .pending)
  }

  @Test func whatIsNotWhatItsKeySaysIsNotWritten() {
    let writes = SimulatedStore.writes(of: bought)
    for place in writes.indices {
      let (write, stamp) = (writes[place], writes[place].stamp?.rawValue ?? 0)
      for misfit in [
        LocalWrite(key: write.key, stamp: write.stamp, value: write.value + [1]),
        LocalWrite(key: write.key, stamp: Stamp(rawValue: stamp + 1), value: write.value),
        LocalWrite(key: write.key, value: write.value),
      ] {
        var engine = engine()
        var wrong = writes
        wrong[place] = misfit
        let effects = engine.handle([.requested(RequestID(rawValue: 1), .write(wrong))], now: Self.now)
        #expect(effects.answers.map(\.1) == [.refused(.misfit)])
        #expect(engine.replica.register(writes[0].key) == nil && expires(&engine) == nil)
      }
    }
  }

  @Test func C40_whatDoesNotVerifyIsKeptAsEvidenceAndHidesNothing() {
    var forged = bought.reinstated("2026-02-01")
    forged.quantity = 1000
    forged.verification = .unverified
    for writes in [
      [SimulatedStore.writes(of: forged), SimulatedStore.writes(of: bought)],
      [SimulatedStore.writes(of: bought), SimulatedStore.writes(of: forged)],
    ] {
      var engine = engine()
      for write in writes { self.write(write, &engine) }
      #expect(expires(&engine) == instant("2026-04-01"))
    }
    var alone = engine()
    write(SimulatedStore.writes(of: forged), &alone)
    #expect(expires(&alone) == nil)
    #expect(alone.ledger { $0.transaction("1")?.rejection } == .badSignature)
    #expect(alone.ledger { $0.transaction("1")?.transaction.quantity } == 1000)
  }

  @Test func theFirstByteMustAgreeWithWhatIsSigned() {
    for (transaction, rank) in [(bought, StoreItem.Rank.revoked), (bought.refunded("2026-02-01"), .standing)]
    {
      var engine = engine()
      write(
        StoreItem.writes(
          of: SimulatedStore.sign(transaction), about: StoreSubject(transaction, device: nil), rank: rank,
          stamp: transaction.stamp, .simulated),
        &engine)
      #expect(expires(&engine) == nil)
      #expect(reason(&engine) == .contradictsRegister)
    }
  }

  @Test func aSignedItemBelongsToItsKeyAndStamp() {
    let other = StoreSubject(Fixtures.buy("2", Fixtures.threeMonths, "2026-01-01"), device: nil)
    let own = StoreSubject(bought, device: nil)
    let later = Stamp(rawValue: bought.stamp.rawValue + 65_536)
    for (subject, stamp) in [(other, bought.stamp), (own, later)] {
      var engine = engine()
      write(
        StoreItem.writes(
          of: SimulatedStore.sign(bought), about: subject, rank: .standing, stamp: stamp, .simulated), &engine
      )
      #expect(expires(&engine) == nil)
      #expect(engine.ledger { $0.refusals.map(\.reason) } == [.contradictsRegister])
    }
  }

  @Test func A6_aRevokedSnapshotOfTheSameStampWins() {
    let refunded = bought.refunded("2026-01-01")
    for snapshots in [[bought, refunded], [refunded, bought]] {
      var engine = engine()
      for snapshot in snapshots { write(SimulatedStore.writes(of: snapshot), &engine) }
      #expect(expires(&engine) == nil)
      #expect(engine.ledger { $0.transaction("1")?.transaction.refund } == .full)
    }
  }
}

extension Fixtures {
  /// The catalogue.
  fileprivate static var writes: [LocalWrite] {
    all.map {
      LocalWrite(key: RegisterKey.product(id: $0.id).encoded, stamp: Stamp(rawValue: 0), value: $0.encoded)
    }
  }
}
