import PeerSync
import PeerSyncSimulation

/// Membership records: refused, or read to the same bytes; and a set takes none that nobody has signed. What follows a zero
/// says which records four devices sign: whatever the order in which these come, the set and its groups are the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
  let bytes = input(data, size)
  if bytes.first == 0 { tryHousehold(bytes.dropFirst()) } else { tryRecord(bytes) }
  return 0
}

private func tryRecord(_ bytes: [UInt8]) {
  guard let record = try? MembershipRecord(decoding: bytes) else { return }
  check(record.encoded == bytes, "a record has two encodings")
  var membership = Membership(cryptography: .simulated)
  let insertion = membership.insert([record])
  check(membership.count == insertion.added.count, "the set counts what it has not taken")
  _ = membership.fingerprint
}

private func tryHousehold(_ bytes: ArraySlice<UInt8>) {
  var household = Household()
  // So many that a set has room for all.
  for place in stride(from: bytes.startIndex, to: min(bytes.endIndex - 2, bytes.startIndex + 900), by: 3) {
    household.make(bytes[place], bytes[place + 1], bytes[place + 2])
  }
  for record in household.records {
    check((try? MembershipRecord(decoding: record.encoded)) == record, "a record is not read back")
  }
  let first = set(of: household.records)
  let (all, second) = (first.records, set(of: first.records.prefix(1) + first.records.reversed()))
  check(second.fingerprint == first.fingerprint, "the order of records matters")
  var again = second
  check(again.insert(all).added.isEmpty, "a record is taken twice")
  for key in household.keys {
    let group = first.group(of: key.publicKey)
    check(group == second.group(of: key.publicKey), "the order of records matters to a group")
    check(group?.members.isEmpty != true, "a group is empty")
  }
}

/// The set that the first record begins.
private func set(of records: some Collection<MembershipRecord>) -> Membership {
  var membership = Membership(cryptography: .simulated)
  _ = membership.insert(Array(records.prefix(1)))
  let insertion = membership.insert(Array(records))
  check(membership.count == insertion.added.count + 1, "the set counts what it has not taken")
  return membership
}

/// Four devices that sign what they are told to.
private struct Household {
  let keys = (UInt64(1)...4).map { SigningKey.simulated(seed: $0) }
  private let recoveryKeys = (UInt64(101)...104).map { SigningKey.simulated(seed: $0) }
  private(set) var records: [MembershipRecord]
  private var hashes: [ContentHash]

  init() {
    records = zip(keys, recoveryKeys).map { key, recovery in
      .found(
        name: "d", recoveryKey: recovery.publicKey, environment: .sandbox, bundleId: "app", by: key)
    }
    hashes = records.map { $0.hash(.simulated) }
  }

  /// - Parameters:
  ///   - kind: its lowest two bits: a merge, a removal, one by a recovery key, something of a later version; 4: with a
  ///     cut; 128: signed by another
  ///   - who: two bits each: the host or author, the joiner or target, the group
  ///   - parents: four bits for the foundings, four for the newest records
  mutating func make(_ kind: UInt8, _ who: UInt8, _ parents: UInt8) {
    let (author, target, group) = (Int(who & 3), Int(who >> 2 & 3), Int(who >> 4 & 3))
    let body: MembershipRecord.Body
    var signers = [keys[author]]
    switch kind & 3 {
    case 0:
      body = .merge(
        MembershipRecord.Merge(group: hashes[group], host: hashes[author], joiner: hashes[target]))
      signers.append(keys[target])
    case 3: body = .other(kind: 128 | kind >> 2, author: hashes[author], payload: [who, parents])
    default:
      let isByRecoveryKey = kind & 3 == 2
      if isByRecoveryKey { signers = [recoveryKeys[author]] }
      let cut = Dot(replica: ReplicaID(high: 0, low: UInt64(who)), sequence: UInt64(parents) + 1)
      body = .remove(
        MembershipRecord.Removal(
          author: hashes[author], isByRecoveryKey: isByRecoveryKey, target: keys[target].publicKey,
          cuts: kind & 4 == 0 ? [] : [cut]))
    }
    if kind & 128 != 0 { signers[0] = keys[(author + 1) % 4] }
    add(body, parents, signers)
  }

  private mutating func add(_ body: MembershipRecord.Body, _ parents: UInt8, _ signers: [SigningKey]) {
    var chosen: Set<ContentHash> = []
    for bit in 0..<4 {
      if parents >> bit & 1 != 0 { chosen.insert(hashes[bit]) }
      if parents >> (bit + 4) & 1 != 0 { chosen.insert(hashes[hashes.count - 1 - bit]) }
    }
    let sorted = chosen.sorted()
    let bytes = MembershipRecord(parents: sorted, body: body, signatures: []).signedBytes
    let record = MembershipRecord(parents: sorted, body: body, signatures: signers.map { $0.sign(bytes) })
    records.append(record)
    hashes.append(record.hash(.simulated))
  }
}
