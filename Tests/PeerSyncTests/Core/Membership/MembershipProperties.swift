import PeerSyncCore
import Testing

/// What must hold for any records. Each gives what is wrong, or nil.
enum MembershipProperties {
  /// Holds a property against so many worlds of each seed.
  static func check(
    _ count: Int, sourceLocation: SourceLocation = #_sourceLocation,
    _ property: (inout SeededGenerator) -> String?
  ) {
    for seed in Seeds.all {
      var random = SeededGenerator(seed: seed)
      for round in 0..<count {
        guard let failure = property(&random) else { continue }
        Issue.record("PEERSYNC_SEED=\(seed), round \(round): \(failure)", sourceLocation: sourceLocation)
        break
      }
    }
  }

  /// The twin says the same of every key.
  static func agreesWithTwin(_ random: inout SeededGenerator) -> String? {
    agreesWithTwin(MembershipWorlds.hostile(&random))
  }

  /// So it does of many that close rings.
  static func agreesWithTwinOnRings(_ random: inout SeededGenerator) -> String? {
    agreesWithTwin(MembershipWorlds.hostile(isRinged: true, &random))
  }

  private static func agreesWithTwin(_ membership: Membership) -> String? {
    let twin = MembershipTwin(membership.records)
    for key in keys(membership) {
      let group = membership.group(of: key).map(MembershipTwin.Group.init)
      if group != twin.group(of: key) {
        return "\(key): \(String(describing: group)) and the twin \(String(describing: twin.group(of: key)))"
      }
    }
    return nil
  }

  /// Every order of delivery gives the same set and the same groups, and nothing that was added twice changes anything.
  static func agreesInAnyOrder(_ random: inout SeededGenerator) -> String? {
    let membership = MembershipWorlds.hostile(&random)
    let all = membership.records
    guard let first = all.first else { return "no records" }
    for _ in 0..<3 {
      var other = Membership(cryptography: .simulated)
      _ = other.insert([first])
      var rounds = 0
      while other.count < all.count {
        rounds += 1
        if rounds > 20 { return "never all: \(other.count) of \(all.count)" }
        for batch in batches(of: all, &random) { deliver(batch, of: membership, to: &other) }
      }
      let before = other.fingerprint
      if !other.insert(all.shuffled(using: &random)).added.isEmpty { return "added twice" }
      guard other.fingerprint == membership.fingerprint, other.fingerprint == before,
        other.records == all, other.hashes == membership.hashes
      else { return "other records" }
      guard Membership(other.held, .simulated).held == other.held else { return "read back in another order" }
      for key in keys(membership) where other.group(of: key) != membership.group(of: key) {
        return "another group of \(key)"
      }
    }
    return nil
  }

  /// Nobody is left without members, and nobody twice.
  static func groupsAreWhole(_ random: inout SeededGenerator) -> String? {
    let membership = MembershipWorlds.hostile(&random)
    for key in keys(membership) {
      guard let group = membership.group(of: key) else { return "no group of \(key)" }
      if group.members.isEmpty { return "an empty group" }
      if !group.hasEverBelonged(key) { return "\(key) is not in its group" }
      let all = group.members.map(\.key) + group.removed.map(\.device.key)
      if Set(all).count != all.count { return "a device twice" }
    }
    return nil
  }

  /// Whoever does only what the program lets him do sees the same group as all of its members.
  static func membersAgree(_ random: inout SeededGenerator) -> String? {
    var household = MembershipWorlds.honest(&random)
    household.meet()
    for device in household.devices.values {
      var looking = device.membership
      if let group = device.group { looking.look(from: device.publicKey, preferring: group.id) }
      if !looking.otherGroups.isEmpty { return "\(list(device.group)) is in two groups" }
      for member in device.group?.members ?? [] {
        let other = device.membership.group(of: member.key)
        if other != device.group { return "\(list(device.group)) and \(list(other)) for \(member.name)" }
      }
    }
    return nil
  }

  /// A device removed by a more senior one stays out, and nothing else changes, whatever it makes up.
  static func theRemovedStayOut(_ random: inout SeededGenerator) -> String? {
    var household = MembershipWorlds.honest(&random)
    household.meet()
    let names = household.devices.keys.sorted()
    let author = random.pick(names)
    guard let members = household[author].group?.members.map(\.name),
      let rank = members.firstIndex(of: author), rank + 1 < members.count
    else { return nil }
    let target = random.pick(Array(members[(rank + 1)...]))
    guard (try? household.remove(target, by: author)) != nil else { return nil }
    household.meet()
    let before = household[author].membership
    guard let group = before.group(of: household[author].publicKey) else { return "no group" }
    var forgery = Forgery(before.records)
    let thief = household[target]
    var owned = [Forgery.Device(thief)]
    for index in 0..<3 {
      let key: SigningKey = index == 0 ? thief.key : .simulated(seed: UInt64(1_000 + index))
      owned.append(
        Forgery.Device(
          key: key, recovery: .simulated(seed: UInt64(2_000 + index)), name: "\(random.next())"))
    }
    for device in owned.dropFirst() { forgery.add(device.founding) }
    let foundings = owned.map(\.hash) + household.devices.values.map { $0.founding.hash(.simulated) }.sorted()
    let targets = household.devices.values.map(\.publicKey).sorted() + owned.map(\.key.publicKey)
    // Whom it had brought along its recovery key may lead out again.
    let hasBrought = before.records.contains { record in
      if case .merge(let merge) = record.body { merge.group == owned[0].hash } else { false }
    }
    for _ in 0..<(5 + random.below(25)) {
      forgery.forge(
        by: owned, among: foundings, targets: targets,
        recovering: hasBrought ? Array(owned.dropFirst()) : owned, &random)
    }
    // Nobody can tell one that says that it left before it came in from one that a stranger took in after it had: whom it had brought along
    // are out then.
    if hasLeftBefore(owned[0], cameIn: before.records, among: forgery.records) { return nil }
    var after = before
    _ = after.insert(forgery.records)
    for member in group.members where after.group(of: member.key, preferring: group.id) != group {
      return "\(author) removed \(target): \(list(group)) became "
        + "\(list(after.group(of: member.key, preferring: group.id))) for \(member.name)"
    }
    return nil
  }

  // MARK: Help

  /// Whether a device says that it leaves, and knew then of no merge by which it did come in. What it made up since is another one.
  private static func hasLeftBefore(
    _ device: Forgery.Device, cameIn before: [MembershipRecord], among records: [MembershipRecord]
  ) -> Bool {
    let joinings = before.filter { record in
      if case .merge(let merge) = record.body { merge.joiner == device.hash } else { false }
    }
    let cameIn = Set(joinings.map { $0.hash(.simulated) })
    var ownFoundings: Set<ContentHash> = []
    var knew: [ContentHash: Bool] = [:]
    for record in records {
      let hash = record.hash(.simulated)
      if case .found(let founding) = record.body, founding.key == device.key.publicKey {
        ownFoundings.insert(hash)
      }
      knew[hash] = cameIn.contains(hash) || record.parents.contains { knew[$0] == true }
      guard case .remove(let removal) = record.body, ownFoundings.contains(removal.author),
        !removal.isByRecoveryKey,
        removal.target == device.key.publicKey
      else { continue }
      if knew[hash] == false { return true }
    }
    return false
  }

  static func keys(_ membership: Membership) -> [PublicKey] {
    var keys: Set<PublicKey> = []
    for record in membership.records {
      if case .found(let founding) = record.body { keys.insert(founding.key) }
    }
    return keys.sorted()
  }

  private static func list(_ group: MembershipGroup?) -> String {
    "[" + (group?.members.map(\.name).joined(separator: " ") ?? "nobody") + "]"
  }

  private static func batches(
    of records: [MembershipRecord], _ random: inout SeededGenerator
  ) -> [[MembershipRecord]] {
    var batches: [[MembershipRecord]] = [[]]
    for record in (records + records.prefix(3)).shuffled(using: &random) {
      if random.chance(1, of: 3) { batches.append([]) }
      batches[batches.count - 1].append(record)
    }
    return batches
  }

  /// As devices do it: what is missing is asked for and inserted with what named it.
  private static func deliver(
    _ batch: [MembershipRecord], of source: Membership, to other: inout Membership
  ) {
    var batch = batch
    while true {
      let missing = other.insert(batch).missing
      if missing.isEmpty { return }
      batch += missing.compactMap { source[$0] }
    }
  }
}
