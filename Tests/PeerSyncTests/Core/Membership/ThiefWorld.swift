import PeerSyncCore

/// A household, and a thief who has one of its devices, makes up others, and signs whatever he likes.
struct ThiefWorld {
  /// An honest device, which looks at the records as an engine does.
  struct Member {
    let name: String
    let device: Household.Device
    private(set) var membership: Membership
    private(set) var group: MembershipGroup

    init?(_ name: String, _ device: Household.Device) {
      guard let group = device.group else { return nil }
      (self.name, self.device, self.group, membership) = (name, device, group, device.membership)
      membership.look(from: device.publicKey, preferring: group.id)
    }

    var members: [String] { group.members.map(\.name) }

    mutating func hear(_ records: [MembershipRecord]) {
      guard !membership.insert(records).added.isEmpty,
        let after = membership.group(of: device.publicKey, preferring: group.id), after != group
      else { return }
      group = after
      membership.look(from: device.publicKey, preferring: group.id)
    }
  }

  /// How a device's keys came to be the thief's.
  enum Kind: CaseIterable {
    /// The first device, or one that came in later, is stolen, and nobody knows.
    case stolenFirst, stolen
    /// It had left, and was sold.
    case leftFirst, left
    /// Somebody senior had removed it; it may have left before.
    case removed, leftAndRemoved

    var isFirst: Bool { self == .stolenFirst || self == .leftFirst }
    var hasLeft: Bool { [.leftFirst, .left, .leftAndRemoved].contains(self) }
    var isRemoved: Bool { self == .removed || self == .leftAndRemoved }
  }

  /// What the stolen device, and whatever its key founds besides, is called; others that the thief makes up are called so.
  static let (stolenName, madeUpName) = ("stolen", "made up")

  /// By seniority, the stolen one among them.
  let names: [String]
  let stolen: Household.Device
  private(set) var honest: [Member] = []
  /// Those whom the thief may put out by what he says of its leaving, until somebody senior removes it: who came in below it. Those that it
  /// had brought along also then: nobody can tell that it had not left them before.
  private(set) var mayBeOut: Set<String> = []
  private var forgery: Forgery
  private let again: [Forgery.Device]
  private let madeUp: [Forgery.Device]
  private let foundings: [ContentHash]
  private let targets: [PublicKey]
  private let leaves: Bool

  /// - Parameters:
  ///   - isTwo: whether a second group came under the first one
  ///   - leaves: whether the thief has it leave, as if it knew more or less
  init?(_ kind: Kind, isTwo: Bool, leaves: Bool, _ random: inout SeededGenerator) {
    let count = 3 + random.below(3)
    var names = (0..<count).map { "\($0)" }
    let rank = kind.isFirst ? 0 : 1 + random.below(count - 1)
    names[rank] = Self.stolenName
    var home = Household(names)
    let split = isTwo ? 1 + random.below(count - 1) : count
    for (first, last) in [(0, split), (split, count)] where first < last {
      for index in (first + 1)..<max(last, first + 1) {
        let host = names[first + random.below(index - first)]
        guard (try? home.merge(host, names[index])) != nil else { return nil }
        home.meet()
      }
    }
    if split < count {
      guard (try? home.merge(names[random.below(split)], names[split])) != nil else { return nil }
      home.meet()
    }
    for name in names { home.look(name) }
    var hosts: [ContentHash: ContentHash] = [:]
    for device in home[names[0]].group?.members ?? [] { hosts[device.founding] = device.host }
    stolen = home[Self.stolenName]
    for name in names where name != Self.stolenName {
      var host = hosts[home[name].founding.hash(.simulated)]
      while let above = host, above != stolen.founding.hash(.simulated) { host = hosts[above] }
      if host != nil, !kind.isRemoved || rank == split { mayBeOut.insert(name) }
    }
    if kind.hasLeft { _ = try? home.remove(Self.stolenName, by: Self.stolenName) }
    home.meet()
    var disowned: String?
    if kind.isRemoved {
      let own = stolen.founding.hash(.simulated)
      disowned = names.filter { hosts[home[$0].founding.hash(.simulated)] == own }.randomElement(
        using: &random)
      let joiner = disowned.map { home[$0].founding.hash(.simulated) }
      let letIn = home[names[0]].membership.records.filter { record in
        if case .merge(let merge) = record.body { merge.joiner == joiner } else { false }
      }
      guard
        (try? home.remove(
          Self.stolenName, by: names[0], counted: random.chance(1, of: 2) ? [] : nil, disowning: letIn))
          != nil
      else { return nil }
    }
    home.meet()
    // Whom the owner does not know is the thief's, and who came in below that one joins anew.
    let members = home[kind.isFirst ? names[1] : names[0]].group
    honest = names.filter { $0 != Self.stolenName && members?.isMember(home[$0].publicKey) == true }
      .compactMap { Member($0, home[$0]) }
    again = (0..<2).map { number in
      Forgery.Device(
        key: home[Self.stolenName].key, recovery: .simulated(seed: 7_000 + number), name: Self.stolenName)
    }
    madeUp = (0..<3).map { number in
      Forgery.Device(
        key: .simulated(seed: 5_000 + number), recovery: .simulated(seed: 6_000 + number),
        name: Self.madeUpName)
    }
    let devices = names.map { home[$0] }
    foundings =
      (devices + devices.prefix(1)).map { $0.founding.hash(.simulated) } + (again + madeUp).map(\.hash)
    targets = devices.map(\.publicKey) + madeUp.map(\.key.publicKey)
    forgery = Forgery(Membership(honest[0].membership.held, .simulated).held)
    for device in again + madeUp { forgery.add(device.founding) }
    (self.names, self.leaves) = (names, leaves && (kind.isRemoved || kind.hasLeft || rank != split))
  }

  /// What the thief signs tells some of the honest devices, in whatever order, and then these tell each other.
  mutating func attack(_ random: inout SeededGenerator) {
    let before = forgery.forged.count
    for _ in 0..<(2 + random.below(9)) { forge(&random) }
    let forged = (again + madeUp).map(\.founding) + forgery.forged[before...]
    for index in honest.indices where random.chance(2, of: 3) {
      let told = forged.shuffled(using: &random)
      let half = random.below(told.count + 1)
      honest[index].hear(Array(told[..<half]))
      honest[index].hear(Array(told[half...]))
    }
    meet()
  }

  private mutating func forge(_ random: inout SeededGenerator) {
    let owned = [Forgery.Device(stolen)] + again + madeUp
    guard leaves, random.chance(1, of: 4) else {
      // Its recovery key he has not.
      let made = forgery.forged.count
      while forgery.forged.count == made {
        var trial = forgery
        trial.forge(
          by: owned, among: foundings, targets: targets, recovering: Array(owned.dropFirst()), &random)
        if leaves || !isLeaving(trial.forged.last) { forgery = trial }
      }
      return
    }
    let author = random.pick(Array(owned.prefix(1 + again.count))).hash
    let known = (0..<random.below(3)).map { _ in random.pick(forgery.records).hash(.simulated) }
    let removal = MembershipRecord.Removal(
      author: author, isByRecoveryKey: false, target: stolen.publicKey, cuts: [])
    forgery.add(.forged(.remove(removal), knowing: [author] + known, by: [stolen.key]))
  }

  private func isLeaving(_ record: MembershipRecord?) -> Bool {
    if case .remove(let removal)? = record?.body { removal.target == stolen.publicKey } else { false }
  }

  mutating func meet() {
    for _ in 0..<3 {
      let all = honest.flatMap { $0.membership.records }
      for index in honest.indices { honest[index].hear(all) }
    }
  }

  /// One of the honest devices removes the stolen one with all that it had decided and all that are made up, or has its recovery key do that,
  /// and then whatever is left of these.
  mutating func remedy(byRecoveryKey: Bool) {
    remove(stolen.publicKey, byRecoveryKey: byRecoveryKey)
    meet()
    for _ in 0..<4 {
      guard let left = honest[0].group.members.first(where: { Self.isThiefs($0.name) }) else { return }
      remove(left.key, byRecoveryKey: byRecoveryKey && left.name == Self.stolenName)
      if byRecoveryKey, honest[0].group.isMember(left.key) { remove(left.key, byRecoveryKey: true) }
      meet()
    }
  }

  static func isThiefs(_ name: String) -> Bool { name == stolenName || name == madeUpName }

  private mutating func remove(_ target: PublicKey, byRecoveryKey: Bool) {
    let (membership, group) = (honest[0].membership, honest[0].group)
    let made = Set((again + madeUp).map(\.hash))
    let disowned = membership.merges(of: made, by: stolen.founding.hash(.simulated))
    let key = honest[0].device.publicKey
    let record =
      byRecoveryKey
      ? try? membership.removal(
        of: target, cuts: [], counted: [], byRecoveryKey: stolen.recovery, inGroupOf: key,
        disowning: disowned, preferring: group.id)
      : try? membership.removal(
        of: target, cuts: [], counted: [], by: honest[0].device.key, disowning: disowned,
        preferring: group.id)
    if let record { honest[0].hear([record]) }
  }
}
