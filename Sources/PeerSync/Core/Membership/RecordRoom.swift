/// How much room the records of a set take, and who is charged for it.
///
/// What a device does is charged to its *branch*: to the device that the first one of the group took in and that it came in
/// below. Whom a device takes in is charged to it as well. So who makes up records uses up the room of its branch, and
/// not that of others. What the first device does is charged to nobody.
///
/// Others may know of a record, and name it, before they know what its author is. Those are taken all the same, within a bound
/// for each branch that names them, or what is honest could not be taken in. Removals by the most senior devices, and by recovery
/// keys, have a room of their own for each author: a thief cannot use up what is meant for others, and nothing depends on what came
/// first.
struct RecordRoom {
  /// What is charged to one branch.
  private struct Account {
    var records = 0
    var bytes = 0
    /// Records of others that were taken because this branch names them.
    var named = 0
  }

  /// Whose removals have a room of their own.
  fileprivate struct Remover: Hashable {
    let founding: ContentHash
    let isByRecoveryKey: Bool
  }

  private let set: Membership
  private let resolution: Resolution?
  /// How the set looked before anything was offered, worked out once it is needed.
  private lazy var resolutionBefore = before.resolution
  /// How it looks with all that was offered, worked out once it is needed.
  private lazy var resolutionAfter = set.resolution
  private let before: Membership
  /// The branch of each device, by ranks.
  private let branches: [Int]
  private var accounts: [Int: Account] = [:]
  private var total = Account()
  /// How many records of each device, by ranks, have left and may be charged to its branch.
  private var left: [Int: Int] = [:]
  /// Removals that are charged to nobody else.
  private var reserves: [Remover: Account] = [:]
  /// Their places.
  private var reserved = RecordSet()
  /// What each branch names, looked up once it is needed.
  private var named: [(branch: Int, records: RecordSet)]?

  /// The branch of whoever is in no group that is known.
  static let nobody = -1

  /// - Parameters:
  ///   - set: with all that was offered
  ///   - resolution: of the group whose records they are
  ///   - before: what was held before
  init(_ set: Membership, seenBy resolution: Resolution?, after before: Membership) {
    self.set = set
    self.before = before
    self.resolution = resolution
    branches = Self.branches(by: resolution)
    for place in before.entries.indices where !set.left.contains(place) && !isReserved(place) {
      charge(place)
    }
    guard let resolution, set.left.count > 0 else { return }
    for (branch, left) in Self.left(of: set, among: before.entries.count, resolution, branches) {
      let charged = left.charged
      self.left.merge(left.records) { $0 + $1 }
      accounts[branch, default: Account()].records += charged.records
      accounts[branch, default: Account()].bytes += charged.bytes
    }
  }

  /// The branch of each device, by ranks.
  static func branches(by resolution: Resolution?) -> [Int] {
    var branches: [Int] = []
    for (rank, place) in (resolution?.places ?? []).enumerated() {
      branches.append(place.host.map { $0 == 0 ? rank : branches[$0] } ?? 0)
    }
    return branches
  }

  /// Takes one more record, if there is room.
  mutating func admit(_ place: Int) -> Bool {
    if isReserved(place) { return true }
    guard total.records == 0 || hasRoom(place) || isNamed(place) else { return false }
    charge(place)
    return true
  }

  /// Whether the set has no room for another record, whoever made it, but for removals and for what others name.
  var isFull: Bool { total.records >= Limits.membershipRecords }

  /// Whether so many more records, with so many bytes, may be charged to a device.
  private func hasRoom(for records: Int, bytes: Int, by rank: Int) -> Bool {
    guard total.records + records <= Limits.membershipRecords, total.bytes + bytes <= Limits.membershipBytes
    else { return false }
    let branch = branches.indices.contains(rank) ? branches[rank] : Self.nobody
    guard branch != 0 else { return true }
    let account = accounts[branch] ?? Account()
    return account.records + records <= Limits.membershipBranchRecords
      && account.bytes + bytes <= Limits.membershipBranchBytes
  }

  private func hasRoom(_ place: Int) -> Bool {
    // A founding without the merge that links it would be of no use, so it needs room for two.
    let needed = set.founding(at: place) == nil ? 1 : 2
    let record = set.entries[place].record
    return hasRoom(for: needed, bytes: record.encoded.count, by: rank(chargedFor: place) ?? Self.nobody)
  }

  /// Charges a removal to the room that its author has for some, if it is one of the most senior or a recovery key.
  private mutating func isReserved(_ place: Int) -> Bool {
    guard case .remove(let removal) = set.entries[place].record.body,
      let author = set.place(of: removal.author)
    else { return false }
    // A recovery key may undo that its device came under this group: that device has no rank any more by what the removal says, and whoever
    // stole it may have made up dozens that are senior to it here.
    guard
      isSenior(author, resolution, removal)
        || removal.isByRecoveryKey
          && (isSenior(author, resolutionBefore, removal) || isSenior(author, resolutionAfter, removal))
    else { return false }
    var account = reserves[Remover(removal)] ?? Account()
    account.records += 1
    account.bytes += set.entries[place].record.encoded.count
    guard account.records <= Limits.membershipReserveRemovals, account.bytes <= Limits.membershipReserveBytes
    else { return false }
    reserves[Remover(removal)] = account
    reserved.insert(place)
    return true
  }

  /// Whether a device is one of the most senior. Whether it was removed by juniors is no matter: a thief would otherwise remove all others,
  /// and then fill the set.
  private func isSenior(
    _ author: Int, _ resolution: Resolution?, _ removal: MembershipRecord.Removal
  ) -> Bool {
    guard let resolution, let rank = resolution.rank(ofFounding: author),
      rank < Limits.membershipReserveMembers
    else { return false }
    return removal.isByRecoveryKey || !resolution.places[rank].isBound
  }

  /// Whether devices of another branch name it by what counts. The first of those whose bound allows it is charged.
  private mutating func isNamed(_ place: Int) -> Bool {
    guard total.records < Limits.membershipKept,
      total.bytes + set.entries[place].record.encoded.count <= Limits.membershipMostBytes
    else { return false }
    let named = named ?? namedByBranch()
    self.named = named
    let own = branch(of: place)
    for (branch, records) in named where branch != own && records.contains(place) {
      guard branch == 0 || accounts[branch, default: Account()].named < Limits.membershipBranchRecords else {
        continue
      }
      accounts[branch, default: Account()].named += 1
      return true
    }
    return false
  }

  private func namedByBranch() -> [(branch: Int, records: RecordSet)] {
    guard let resolution else { return [] }
    var naming: [Int: [Int]] = [:]
    for place in set.entries.indices where resolution.counted.contains(place) {
      switch set.entries[place].record.body {
      case .merge, .remove: naming[branch(of: place), default: []].append(place)
      case .found, .other: continue
      }
    }
    return naming.sorted { $0.key < $1.key }.map { ($0.key, set.ancestors(of: $0.value)) }
  }

  private mutating func charge(_ place: Int) {
    let bytes = set.entries[place].record.encoded.count
    let branch = branch(of: place)
    accounts[branch, default: Account()].records += 1
    accounts[branch, default: Account()].bytes += bytes
    total.records += 1
    total.bytes += bytes
  }

  private func branch(of place: Int) -> Int { rank(chargedFor: place).map { branches[$0] } ?? Self.nobody }

  /// Who is charged for a record: who made it, and for a device who took it in.
  private func rank(chargedFor place: Int) -> Int? {
    func rank(_ founding: ContentHash) -> Int? {
      set.place(of: founding).flatMap { resolution?.rank(ofFounding: $0) }
    }
    switch set.entries[place].record.body {
    case .found: return resolution?.rank(ofFounding: place).map { resolution?.places[$0].host ?? 0 }
    case .merge(let merge): return rank(merge.host)
    case .remove(let removal): return rank(removal.author) ?? rankOfWhoLeaves(by: removal)
    case .other(_, let author, _): return rank(author)
    }
  }

  /// A device may leave by a founding by which it is not in.
  private func rankOfWhoLeaves(by removal: MembershipRecord.Removal) -> Int? {
    guard !removal.isByRecoveryKey, set.founding(removal.author)?.key == removal.target else { return nil }
    return resolution?.rankOfKey[removal.target]
  }
}

extension RecordRoom {
  /// Of each branch that has no room for another device: the lowest device that came in above most of what fills it. And the first device,
  /// where the set is full and most of it is that one's.
  fileprivate var crowders: [Membership.Crowder] {
    guard let resolution else { return [] }
    var own = Array(repeating: 0, count: resolution.places.count)
    for place in set.entries.indices where !set.left.contains(place) && !reserved.contains(place) {
      if let rank = rank(chargedFor: place) { own[rank] += 1 }
    }
    for (rank, records) in left { own[rank] += records }
    var sums = own
    for (rank, place) in resolution.places.enumerated().reversed() {
      if let host = place.host { sums[host] += sums[rank] }
    }
    func isCrowded(_ rank: Int) -> Bool { !hasRoom(for: 2, bytes: Self.bytesOfJoining, by: rank) }
    // Mostly there are none to be told, and this is asked after all records that come.
    lazy var members = MembershipGroup(resolution, set).members.compactMap { resolution.rankOfKey[$0.key] }
    var crowders: [(rank: Int, records: Int)] = []
    if let first = own.first, 2 * first > total.records, isCrowded(0) { crowders.append((0, first)) }
    for head in own.indices where resolution.places[head].host == 0 {
      let account = accounts[head] ?? Account()
      guard
        sums[head] > 1,
        account.records + 2 > Limits.membershipBranchRecords
          || account.bytes + Self.bytesOfJoining > Limits.membershipBranchBytes
      else { continue }
      var rank = head
      while let next = own.indices.first(where: {
        resolution.places[$0].host == rank && 4 * sums[$0] > 3 * sums[head]
      }) {
        rank = next
      }
      // Whoever is out for good keeps nobody out where its branch has no member that could let somebody in.
      guard !isGone(rank, resolution) || members.contains(where: { branches[$0] == head }) else { continue }
      crowders.append((rank, sums[rank]))
    }
    guard !crowders.isEmpty else { return [] }
    let first = members.first
    return crowders.map { crowder($0.rank, $0.records, seniorTo: first, resolution) }
  }

  /// Whether a device is removed for good, with nobody whom it let in: to remove it once more would change nothing.
  private func isGone(_ rank: Int, _ resolution: Resolution) -> Bool {
    resolution.places[rank].isBound && !resolution.places.contains { $0.host == rank }
  }

  /// About what the records by which a device comes in take.
  private static let bytesOfJoining = 1024

  private func crowder(
    _ rank: Int, _ records: Int, seniorTo first: Int?, _ resolution: Resolution
  ) -> Membership.Crowder {
    func hash(_ rank: Int) -> ContentHash {
      set.entries[resolution.places[resolution.firstRank(rank)].founding].hash
    }
    return Membership.Crowder(
      founding: hash(rank), records: records, senior: first.flatMap { $0 < rank ? hash($0) : nil },
      isGone: isGone(rank, resolution))
  }
}

extension Membership {
  /// A device that accounts for most of the records in a branch, or a set, which has no room for another device.
  package struct Crowder: Hashable, Sendable {
    /// Its founding.
    package let founding: ContentHash
    /// How many records it and those that came in below it are charged with.
    package let records: Int
    /// The founding of the most senior member, if that is senior to it: what that one removes comes back by nothing that it does.
    package let senior: ContentHash?
    /// Whether it is removed for good, with nobody whom it let in: others name what it made up, and so that stays.
    package let isGone: Bool
  }

  /// Whether nothing finds room any more but removals by the most senior, and what others name.
  package var isFull: Bool {
    guard count >= Limits.membershipRecords else { return false }
    // Removals alone may have a room of their own. Mostly the rest is enough, and whoever asks again and again costs little.
    let rest = entries.indices.count { !left.contains($0) && !entries[$0].record.isRemoval }
    return rest >= Limits.membershipRecords
      || RecordRoom(self, seenBy: groupOfRecords, after: self).isFull
  }

  /// Who has used up the room of others, by seniority.
  package var crowders: [Crowder] { RecordRoom(self, seenBy: groupOfRecords, after: self).crowders }
}

extension RecordRoom.Remover {
  fileprivate init(_ removal: MembershipRecord.Removal) {
    self.init(founding: removal.author, isByRecoveryKey: removal.isByRecoveryKey)
  }
}
