import PeerSyncCore
import Testing

@Suite struct MembershipRecordTests {
  @Test func recordsComeBackAndEachHasOneEncoding() throws {
    for seed in Seeds.all {
      var random = SeededGenerator(seed: seed)
      for _ in 0..<20 {
        for record in MembershipWorlds.hostile(&random).records {
          let bytes = record.encoded
          let decoded = try MembershipRecord(decoding: bytes)
          #expect(decoded == record && decoded.encoded == bytes, "PEERSYNC_SEED=\(seed)")
        }
      }
    }
  }

  /// A changed byte is refused, or is another record with a signature that does not hold.
  @Test func changedBytesAreRefused() {
    for seed in Seeds.all {
      var random = SeededGenerator(seed: seed)
      for _ in 0..<60 {
        let membership = MembershipWorlds.hostile(&random)
        let record = random.pick(membership.records)
        var bytes = record.encoded
        bytes[random.below(bytes.count)] ^= UInt8(1 + random.below(255))
        guard let changed = try? MembershipRecord(decoding: bytes) else { continue }
        #expect(changed.encoded == bytes, "PEERSYNC_SEED=\(seed)")
        var other = Membership(cryptography: .simulated)
        _ = other.insert(membership.records.filter { $0 != record } + [changed])
        #expect(!other.records.contains(changed), "PEERSYNC_SEED=\(seed)")
      }
    }
  }

  @Test func hostileBytesAreNoTrap() {
    for seed in Seeds.all {
      var random = SeededGenerator(seed: seed)
      for _ in 0..<500 {
        let kind = random.pick([1, 2, 3, 4, 127, 128, 255].map { UInt8($0) })
        let bytes = [kind] + random.bytes(random.below(400))
        if let record = try? MembershipRecord(decoding: bytes) { #expect(record.encoded == bytes) }
      }
    }
  }

  @Test func whatIsBeyondALimitIsRefused() {
    func decoding(_ write: (inout ByteWriter) -> Void) -> WireError? {
      var writer = ByteWriter()
      write(&writer)
      do {
        _ = try MembershipRecord(decoding: writer.bytes)
        return nil
      } catch { return error }
    }
    let parents = UInt64(Limits.membershipParents + 1)
    #expect(
      decoding {
        $0.write(byte: 2)
        $0.write(varint: parents)
      } == .beyondLimit)
    let removal: (inout ByteWriter) -> Void = {
      $0.write(byte: 3)
      $0.write(varint: 0)
      $0.write(raw: Array(repeating: 1, count: 32))
      $0.write(byte: 0)
      $0.write(raw: Array(repeating: 1, count: 32))
    }
    for (length, error) in [
      (Limits.membershipPayloadBytes, WireError.truncated), (Limits.membershipPayloadBytes + 1, .beyondLimit),
    ] {
      #expect(
        decoding {
          $0.write(byte: 200)
          $0.write(varint: 0)
          $0.write(raw: Array(repeating: 1, count: 32))
          $0.write(bytes: [UInt8](repeating: 1, count: length))
        } == error)
    }
    #expect(
      decoding {
        removal(&$0)
        $0.write(varint: UInt64(Limits.membershipCuts + 1))
      } == .beyondLimit)
    #expect(
      decoding {
        removal(&$0)
        $0.write(varint: 1)
        $0.write(ReplicaID(high: 0, low: 1))
        $0.write(varint: Limits.sequence + 1)
      } == .beyondLimit)
    #expect(
      decoding {
        $0.write(byte: 1)
        $0.write(varint: 0)
        $0.write(raw: Array(repeating: 1, count: 64))
        $0.write(text: String(repeating: "n", count: Limits.textBytes + 1))
      } == .beyondLimit)
  }

  @Test("a kind of a later version is refused, or kept and passed on, as its number says")
  func laterKinds() throws {
    let device = Household.Device("a", seed: 1)
    let author = device.founding.hash(.simulated)
    func record(_ kind: UInt8, key: SigningKey) -> MembershipRecord {
      let body = MembershipRecord.Body.other(kind: kind, author: author, payload: [1, 2, 3])
      let bytes = MembershipRecord(parents: [author], body: body, signatures: []).signedBytes
      return MembershipRecord(parents: [author], body: body, signatures: [key.sign(bytes)])
    }
    #expect(throws: WireError.unsupported) {
      try MembershipRecord(decoding: record(127, key: device.key).encoded)
    }
    #expect(WireError.unsupported.closeReason == .version)
    let later = try MembershipRecord(decoding: record(128, key: device.key).encoded)
    var membership = device.membership
    #expect(membership.insert([record(128, key: .simulated(seed: 2))]).refused.map(\.reason) == [.signature])
    #expect(membership.insert([later]).added.count == 1)
    #expect(membership.records == [device.founding, later])
    #expect(membership.group(of: device.publicKey) == device.group)
  }

  @Test func strangersAndTheUnconnectedAreRefused() throws {
    var home = Household("a", "b", "x", "y")
    try home.merge("a", "b")
    try home.merge("x", "y")
    var membership = home["a"].membership
    let stranger = membership.insert(home["x"].membership.records)
    #expect(stranger.added.isEmpty && stranger.missing.isEmpty)
    #expect(stranger.refused.map(\.reason) == [.stranger, .stranger, .stranger])
    let merge = try home.merge("a", "x")
    let early = membership.insert([merge])
    #expect(early.added.isEmpty && early.refused.isEmpty)
    #expect(early.missing == merge.parents.filter { !membership.contains($0) })
    let missing = home["a"].membership.records(except: membership.hashes)
    #expect(membership.insert(missing).added.count == 4)
    #expect(membership.fingerprint == home["a"].membership.fingerprint)
    let named = Set(membership.records.flatMap(\.parents))
    #expect(membership.hashes.filter { !named.contains($0) } == [merge.hash(.simulated)])
  }

  @Test func nobodySignsWhatKnowsThatHeHasLeft() throws {
    var home = Household("a", "b", "c")
    let joining = try home.merge("a", "b").hash(.simulated)
    home.meet("a", "b")
    let other = try home.remove("b", by: "a").hash(.simulated)
    let removal = try home.remove("b", by: "b").hash(.simulated)
    home.meet("a", "b")
    let foundings = ["a", "b", "c"].map { home[$0].founding.hash(.simulated) }
    func refusal(_ body: MembershipRecord.Body, by names: String..., among parents: [ContentHash])
      -> Membership.Refusal?
    {
      let unsigned = MembershipRecord(parents: parents.sorted(), body: body, signatures: [])
      let record = MembershipRecord(
        parents: unsigned.parents, body: body,
        signatures: names.map { home[$0].key.sign(unsigned.signedBytes) })
      var membership = home["a"].membership
      return membership.insert([home["c"].founding, record]).refused
        .first { $0.hash == record.hash(.simulated) }?.reason
    }
    let remove = MembershipRecord.Body.remove(
      MembershipRecord.Removal(
        author: foundings[1], isByRecoveryKey: false, target: home["a"].publicKey, cuts: []))
    #expect(refusal(remove, by: "b", among: [removal]) == .authorRemoved)
    #expect(refusal(remove, by: "b", among: [joining]) == nil)
    #expect(refusal(remove, by: "b", among: [other]) == nil)
    #expect(refusal(remove, by: "a", among: [joining]) == .signature)
    #expect(refusal(remove, by: "b", among: [foundings[0]]) == .malformed)
    func merge(_ host: Int, _ joiner: Int) -> MembershipRecord.Body {
      .merge(MembershipRecord.Merge(group: foundings[0], host: foundings[host], joiner: foundings[joiner]))
    }
    let all = [removal, foundings[2]]
    #expect(refusal(merge(1, 2), by: "b", "c", among: all) == .authorRemoved)
    #expect(refusal(merge(2, 1), by: "c", "b", among: all) == .authorRemoved)
    #expect(refusal(merge(0, 2), by: "a", "a", among: all) == .signature)
    #expect(refusal(merge(0, 2), by: "a", "c", among: all) == nil)
    #expect(refusal(merge(2, 2), by: "c", "c", among: all) == .malformed)
    #expect(refusal(merge(0, 2), by: "a", "c", among: [removal]) == .malformed)
  }

  @Test("a full branch takes nobody in, and its seniors can still remove somebody")
  func full() throws {
    var home = Household("a", "b")
    let joining = try home.merge("a", "b").hash(.simulated)
    let founding = home["b"].founding.hash(.simulated)
    func signed(_ body: MembershipRecord.Body) -> MembershipRecord {
      .forged(body, knowing: [joining], by: [home["b"].key])
    }
    let junk = (0..<Limits.membershipRecords).map { number in
      let payload = [UInt8(number >> 8), UInt8(number & 255)]
      return signed(.other(kind: 200, author: founding, payload: payload))
    }
    let filled = home["a"].membership.insert(junk)
    #expect(Set(filled.refused.map(\.reason)) == [.full])
    #expect(home["a"].membership.count == Limits.membershipBranchRecords + 3)
    home["c"] = Household.Device("c", seed: 9)
    home["b"].membership = home["a"].membership
    #expect(throws: MembershipError.full) { try home.merge("b", "c") }
    // The thief cannot use up the room of the others.
    let target = home["a"].publicKey
    let removals = (1...40).map { number in
      signed(
        .remove(
          MembershipRecord.Removal(
            author: founding, isByRecoveryKey: false, target: target,
            cuts: [Dot(replica: ReplicaID(high: 0, low: 1), sequence: UInt64(number))])))
    }
    #expect(home["a"].membership.insert(removals).added.count == Limits.membershipReserveRemovals)
    try home.remove("b", by: "a")
    #expect(home.members(seenBy: "a") == "a")
  }

  @Test("large records leave room for the removal of whoever made them")
  func large() throws {
    var home = Household("a", "b")
    try home.merge("a", "b")
    let founding = home["b"].founding.hash(.simulated)
    let junk = (0..<Limits.membershipRecords).map { number in
      var payload = [UInt8](repeating: 0, count: Limits.membershipPayloadBytes)
      (payload[0], payload[1]) = (UInt8(number >> 8), UInt8(number & 255))
      let body = MembershipRecord.Body.other(kind: 200, author: founding, payload: payload)
      let bytes = MembershipRecord(parents: [founding], body: body, signatures: []).signedBytes
      return MembershipRecord(parents: [founding], body: body, signatures: [home["b"].key.sign(bytes)])
    }
    let filled = home["a"].membership.insert(junk)
    #expect(filled.added.count < Limits.membershipRecords / 2)
    #expect(Set(filled.refused.map(\.reason)) == [.full])
    let bytes = home["a"].membership.records.reduce(0) { $0 + $1.encoded.count }
    #expect(bytes <= Limits.membershipBranchBytes + 1_000 && bytes > Limits.membershipBranchBytes - 5_000)
    try home.remove("b", by: "a")
    #expect(home.members(seenBy: "a") == "a")
  }

  @Test("only the most senior may remove somebody when the set is full")
  func reserve() throws {
    let devices = (0...UInt64(Limits.membershipReserveMembers)).map { Household.Device("d", seed: $0 + 1) }
    var membership = try Membership.united(devices.map { ($0.key, $0.founding) }, .simulated)
    let first = devices[0].founding.hash(.simulated)
    func signed(_ body: MembershipRecord.Body, _ parents: [ContentHash], _ key: SigningKey)
      -> MembershipRecord
    {
      let bytes = MembershipRecord(parents: parents, body: body, signatures: []).signedBytes
      return MembershipRecord(parents: parents, body: body, signatures: [key.sign(bytes)])
    }
    _ = membership.insert(
      (0..<Limits.membershipRecords).map { number in
        let payload = [UInt8(number >> 8), UInt8(number & 255)]
        return signed(.other(kind: 200, author: first, payload: payload), [first], devices[0].key)
      })
    #expect(membership.count == Limits.membershipRecords)
    let members = try #require(membership.group(of: devices[0].publicKey)).members
    #expect(members.count == Limits.membershipReserveMembers + 1)
    func removal(by rank: Int) throws -> MembershipRecord {
      let author = try #require(devices.first { $0.publicKey == members[rank].key })
      let founding = author.founding.hash(.simulated)
      let removal = MembershipRecord.Removal(
        author: founding, isByRecoveryKey: false, target: members[1].key, cuts: [])
      let joinings = membership.records.compactMap { record -> ContentHash? in
        guard case .merge(let merge) = record.body else { return nil }
        return [founding, members[1].founding].contains(merge.joiner) ? record.hash(.simulated) : nil
      }
      return signed(.remove(removal), joinings.sorted(), author.key)
    }
    let junior = membership.insert([try removal(by: Limits.membershipReserveMembers)])
    #expect(junior.refused.map(\.reason) == [.full])
    #expect(membership.insert([try removal(by: Limits.membershipReserveMembers - 1)]).added.count == 1)
  }
}
