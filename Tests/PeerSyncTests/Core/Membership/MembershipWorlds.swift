import PeerSyncCore

/// Sets of records by chance.
enum MembershipWorlds {
  /// Records in which everybody is hostile: any device merges with any, removes any, and forges what it knows of.
  ///
  /// - Parameter isRinged: whether it is nearly all merges, so that groups come under each other again and again
  static func hostile(isRinged: Bool = false, _ random: inout SeededGenerator) -> Membership {
    let count = (isRinged ? 3 : 2) + random.below(isRinged ? 3 : 5)
    var devices = (0..<count).map { index in
      Forgery.Device(
        key: .simulated(seed: UInt64(index)), recovery: .simulated(seed: UInt64(100 + index)),
        name: "\(random.next())")
    }
    if random.chance(1, of: 3) {
      // A second founding of a key.
      devices.append(
        Forgery.Device(key: .simulated(seed: 0), recovery: .simulated(seed: 200), name: "\(random.next())"))
    }
    var forgery = Forgery(devices.map(\.founding))
    for _ in 0..<(4 + random.below(16)) {
      guard !isRinged || random.chance(1, of: 3) else {
        forgery.merge(
          by: random.pick(devices), with: random.pick(devices), among: devices.map(\.hash), &random)
        continue
      }
      forgery.forge(
        by: devices, among: devices.map(\.hash), targets: devices.map(\.key.publicKey), recovering: devices,
        &random)
    }
    var membership = Membership(cryptography: .simulated)
    _ = membership.insert(forgery.records)
    return membership
  }

  /// A household whose devices do what the program lets them do, and meet now and then.
  static func honest(_ random: inout SeededGenerator) -> Household {
    let names = ["a", "b", "c", "d", "e", "f"].prefix(3 + random.below(4)).map { String($0) }
    var household = Household(names)
    for _ in 0..<(4 + random.below(14)) {
      let (one, other) = (random.pick(names), random.pick(names))
      switch random.below(8) {
      case 0...4: _ = try? household.merge(one, other)
      case 5 where random.chance(1, of: 3): _ = try? household.remove(other, by: one)
      default: household.meet(one, other)
      }
    }
    return household
  }
}
