import PeerSyncCore
import Testing

/// [F61, F62] A thief that has the first device of a group fills the set as far as that goes: devices go on telling each other all of it.
@Suite struct LargestSetTests {
  private let devices: [Household.Device]
  private let united: Membership
  private let looking: Household.Device

  /// The last two are not the thief's: it has removed one of them.
  init() throws {
    devices = (0...UInt64(Limits.membershipReserveMembers) + 1).map { Household.Device("d", seed: $0 + 1) }
    looking = devices[devices.count - 2]
    var united = try Membership.united(devices.map { ($0.key, $0.founding) }, .simulated)
    let group = try #require(united.group(of: looking.publicKey))
    united.look(from: looking.publicKey, preferring: group.id)
    self.united = united
  }

  private func signed(
    _ body: MembershipRecord.Body, _ parents: [ContentHash], _ key: SigningKey
  ) -> MembershipRecord {
    let bytes = MembershipRecord(parents: parents, body: body, signatures: []).signedBytes
    return MembershipRecord(parents: parents, body: body, signatures: [key.sign(bytes)])
  }

  private func removal(
    of target: PublicKey, by author: Household.Device, _ cuts: [Dot], byRecoveryKey: Bool = false,
    after parent: ContentHash? = nil
  ) -> MembershipRecord {
    let founding = author.founding.hash(.simulated)
    let removal = MembershipRecord.Removal(
      author: founding, isByRecoveryKey: byRecoveryKey, target: target, cuts: cuts)
    let joiner = devices.first { $0.publicKey == target }?.founding.hash(.simulated)
    let joining = united.records.first { record in
      if case .merge(let merge) = record.body { merge.joiner == joiner } else { false }
    }
    let known = parent.map { [$0] } ?? [founding, joining?.hash(.simulated)].compactMap(\.self).sorted()
    return signed(.remove(removal), known, byRecoveryKey ? author.recovery : author.key)
  }

  /// A chain of records by one device, and what has others hold all of them: the first device names the last.
  private func named() throws -> [MembershipRecord] {
    let author = devices[1]
    let founding = author.founding.hash(.simulated)
    var last = try #require(united.records.last).hash(.simulated)
    var chain: [MembershipRecord] = []
    for number in 0..<Limits.membershipKept - united.count {
      let payload = [UInt8(number >> 8), UInt8(number & 255)]
      chain.append(signed(.other(kind: 200, author: founding, payload: payload), [last], author.key))
      last = chain[number].hash(.simulated)
    }
    return chain + [removal(of: devices[devices.count - 1].publicKey, by: devices[0], [], after: last)]
  }

  @Test func isToldWhole() throws {
    var full = united
    _ = full.insert(try named())
    let reserve = devices.dropLast(2).flatMap { author in
      (1...Limits.membershipReserveRemovals).flatMap { number in
        [false, true].map {
          removal(of: devices[devices.count - 1].publicKey, by: author, cuts(number), byRecoveryKey: $0)
        }
      }
    }
    _ = full.insert(reserve)
    // The first device used one up for what it names.
    #expect(full.count == Limits.membershipOffered && full.records.count == full.count)
    var incoming = IncomingRecords()
    var told: [MembershipRecord]?
    for part in RecordsPart.parts(of: full.records) { told = try incoming.take(part) }
    var other = united
    _ = other.insert(try #require(told))
    #expect(other.fingerprint == full.fingerprint && other.count == full.count)
  }

  private func cuts(_ number: Int) -> [Dot] {
    [Dot(replica: ReplicaID(high: 0, low: 1), sequence: UInt64(number))]
  }

  @Test func isHeldForAPeer() {
    let reserve =
      2 * Limits.membershipReserveMembers * (Limits.membershipReserveBytes + Limits.frameBytes / 8)
    #expect(Limits.membershipMostBytes + reserve < Limits.heldBytes)
  }

  // MARK: The outer bounds

  private func junk(_ count: Int, by device: Household.Device, bytes: Int = 3) -> [MembershipRecord] {
    MembershipRecord.unknown(count, by: device.key, device.founding, 7, bytes: bytes)
  }

  @Test func removalsBeyondTheRoomAreBounded() throws {
    var home = try Household.looking("a", "b", "m")
    _ = home["a"].membership.insert(junk(1100, by: home["a"]))
    let merged = try #require(home["b"].membership.records.last?.hash(.simulated))
    let large = (1...UInt64(3)).map { number in
      let cuts = (1...UInt64(Limits.membershipCuts)).map {
        Dot(replica: ReplicaID(high: $0, low: 1), sequence: (1 << 60) + number)
      }
      return removal(of: home["m"].publicKey, by: home["b"], cuts, after: merged)
    }
    #expect(large[0].encoded.count < Limits.membershipReserveBytes)
    let insertion = home["a"].membership.insert(large)
    #expect(insertion.refused.map(\.reason) == [.full, .full])
    #expect(insertion.added.count == 1 && insertion.missing.isEmpty)
  }

  @Test func whatTheFirstDeviceDoesIsBoundedToo() throws {
    var home = try Household.looking("a", "b")
    let filled = home["b"].membership.insert(
      junk(1024, by: home["a"], bytes: Limits.membershipPayloadBytes))
    #expect(Set(filled.refused.map(\.reason)) == [.full])
    let bytes = home["b"].membership.records.reduce(0) { $0 + $1.encoded.count }
    #expect(bytes <= Limits.membershipBytes && bytes > Limits.membershipBytes - 5_000)
  }

  /// Even what the first device names is bounded: as a number of records, and in bytes.
  @Test func whatIsNamedIsBounded() throws {
    let home = try Household.looking("a", "b", "m")
    let member = home["m"].founding.hash(.simulated)
    let root = home["a"].founding.hash(.simulated)
    let beginning = try #require(home["b"].membership.records.last?.hash(.simulated))
    var (last, fakes) = (beginning, [MembershipRecord]())
    for number in 0..<UInt64(Limits.membershipKept) / 2 + 50 {
      let fake = Household.Device("fake", seed: 10_000 + number)
      let founding = fake.founding.hash(.simulated)
      let proposal = MergeProposal(
        parents: [last, founding].sorted(),
        merge: MembershipRecord.Merge(group: root, host: member, joiner: founding))
      let merge = MembershipRecord(
        proposal, host: proposal.signature(by: home["m"].key), joiner: proposal.signature(by: fake.key))
      fakes += [fake.founding, merge]
      last = merge.hash(.simulated)
    }
    var many = home["b"].membership
    _ = many.insert(fakes + [removal(of: home["m"].publicKey, by: home["a"], [], after: last)])
    #expect(many.count == Limits.membershipKept)

    var (newest, large) = (beginning, [MembershipRecord]())
    for number in 0..<900 {
      var payload = [UInt8](repeating: 0, count: Limits.membershipPayloadBytes)
      (payload[0], payload[1]) = (UInt8(number >> 8), UInt8(number & 255))
      large.append(signed(.other(kind: 200, author: member, payload: payload), [newest], home["m"].key))
      newest = large[number].hash(.simulated)
    }
    var heavy = home["b"].membership
    _ = heavy.insert(large + [removal(of: home["m"].publicKey, by: home["a"], [], after: newest)])
    let bytes = heavy.records.reduce(0) { $0 + $1.encoded.count }
    #expect(bytes <= Limits.membershipMostBytes && bytes > Limits.membershipMostBytes - 10_000)
  }
}
