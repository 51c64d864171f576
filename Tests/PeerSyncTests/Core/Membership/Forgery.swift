import PeerSyncCore

/// Records as only somebody with a compiler makes them: any parents, any roles, signed with whatever keys he has.
struct Forgery {
  /// A device of which all keys are at hand.
  struct Device {
    let key: SigningKey
    let recovery: SigningKey
    let founding: MembershipRecord

    var hash: ContentHash { founding.hash(.simulated) }

    init(key: SigningKey, recovery: SigningKey, name: String = "") {
      self.key = key
      self.recovery = recovery
      founding = .found(
        name: name, recoveryKey: recovery.publicKey, environment: .sandbox, bundleId: "app", by: key)
    }

    /// A device that exists already.
    init(_ device: Household.Device) {
      key = device.key
      recovery = device.recovery
      founding = device.founding
    }
  }

  /// What can be named as a parent.
  private(set) var records: [MembershipRecord]
  private var hashes: [ContentHash]
  /// What was made up.
  private(set) var forged: [MembershipRecord] = []

  init(_ records: [MembershipRecord]) {
    self.records = records
    hashes = records.map { $0.hash(.simulated) }
  }

  mutating func add(_ record: MembershipRecord) {
    records.append(record)
    hashes.append(record.hash(.simulated))
    forged.append(record)
  }

  /// A merge or a removal between some devices, by those whose keys are at hand.
  mutating func forge(
    by owned: [Device], among foundings: [ContentHash], targets: [PublicKey], recovering: [Device],
    _ random: inout SeededGenerator
  ) {
    let author = random.pick(owned)
    if random.chance(3, of: 5) {
      merge(by: author, with: random.pick(owned), among: foundings, &random)
    } else if random.chance(1, of: 3) {
      removal(by: random.pick(recovering), isByRecoveryKey: true, targets, &random)
    } else {
      removal(by: author, isByRecoveryKey: false, targets, &random)
    }
  }

  /// A merge by which one device, or its group, comes under another, or under any.
  mutating func merge(
    by author: Device, with joiner: Device, among foundings: [ContentHash], _ random: inout SeededGenerator
  ) {
    let group = random.chance(1, of: 2) ? author.hash : random.pick(foundings)
    let merge = MembershipRecord.Merge(group: group, host: author.hash, joiner: joiner.hash)
    sign(.merge(merge), naming: [group, author.hash, joiner.hash], by: [author.key, joiner.key], &random)
  }

  private mutating func removal(
    by author: Device, isByRecoveryKey: Bool, _ targets: [PublicKey], _ random: inout SeededGenerator
  ) {
    let removal = MembershipRecord.Removal(
      author: author.hash, isByRecoveryKey: isByRecoveryKey, target: random.pick(targets),
      cuts: VersionVector.generate(&random).entries,
      counted: random.pick([nil, nil, [], VersionVector.generate(&random).entries]))
    let key = isByRecoveryKey ? author.recovery : author.key
    sign(.remove(removal), naming: [author.hash], by: [key], &random)
  }

  /// Adds a record with parents by chance: any records, old ones too, besides those that have to be there.
  private mutating func sign(
    _ body: MembershipRecord.Body, naming needed: [ContentHash], by keys: [SigningKey],
    _ random: inout SeededGenerator
  ) {
    var parents = Set(needed)
    for _ in 0..<random.below(4) {
      // Late records more often: those have a past.
      parents.insert(hashes[max(random.below(hashes.count), random.below(hashes.count))])
    }
    if random.chance(1, of: 4), let last = hashes.last { parents.insert(last) }
    let unsigned = MembershipRecord(parents: parents.sorted(), body: body, signatures: [])
    add(
      MembershipRecord(
        parents: unsigned.parents, body: body, signatures: keys.map { $0.sign(unsigned.signedBytes) }))
  }
}

extension MembershipRecord {
  /// A record that somebody who has these keys makes up.
  static func forged(
    _ body: Body, knowing parents: [ContentHash], by keys: [SigningKey]
  ) -> MembershipRecord {
    let unsigned = MembershipRecord(parents: Set(parents).sorted(), body: body, signatures: [])
    return MembershipRecord(
      parents: unsigned.parents, body: body, signatures: keys.map { $0.sign(unsigned.signedBytes) })
  }
}

extension Household.Device {
  /// Devices that it makes up and takes in.
  func letIn(madeUp count: Int, seed: UInt64) throws -> [MembershipRecord] {
    var (known, records) = (membership, [MembershipRecord]())
    for number in 0..<UInt64(count) {
      let fake = Household.Device("fake", seed: seed + number)
      let proposal = try known.proposeMerge(host: publicKey, joiner: fake.publicKey, of: fake.membership)
      let merge = MembershipRecord(
        proposal, host: proposal.signature(by: key), joiner: proposal.signature(by: fake.key))
      _ = known.insert([fake.founding, merge])
      records += [fake.founding, merge]
    }
    return records
  }

  /// Takes in a device that it makes up, has that take in others or sign records of no known kind, and removes it as if it had not heard of
  /// any of that.
  ///
  /// - Returns: all that but the removal, and the removal
  func putOut(
    devices: Int, others: Int, in group: ContentHash, seed: UInt64
  ) throws -> (made: [MembershipRecord], removal: MembershipRecord) {
    var head = Household.Device("head", seed: seed)
    let (own, joiner) = (founding.hash(.simulated), head.founding.hash(.simulated))
    let merge = MembershipRecord.Merge(group: group, host: own, joiner: joiner)
    let records = [
      head.founding, .forged(.merge(merge), knowing: [group, own, joiner], by: [key, head.key]),
    ]
    _ = head.membership.insert(membership.records + records)
    let removal = MembershipRecord.Removal(
      author: own, isByRecoveryKey: false, target: head.publicKey, cuts: [])
    let made = try head.letIn(madeUp: devices, seed: seed + 1)
    return (
      records + made + MembershipRecord.unknown(others, by: head.key, head.founding, 1),
      .forged(.remove(removal), knowing: [own, joiner], by: [key])
    )
  }
}
