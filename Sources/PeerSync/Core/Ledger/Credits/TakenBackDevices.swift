/// What devices that were removed with all that they had decided can have passed on, at most: no more than came to them or was bought for
/// them. Their numbers say nothing beyond that, and can be any. It is the greatest flow from what they had to those to whom they gave it, and
/// who took over from them. Devices that nobody knows say nothing either, and are among them.
///
/// What they say that they passed on beyond it was never passed on; and nobody pays for what they say that they have spent.
struct TakenBackDevices {
  /// What one of them has, by its numbers.
  struct Account {
    /// What was bought for it, before refunds.
    var bought: Int64 = 0
    /// What came to it from devices that are not among them.
    var received: Int64 = 0
    var spent: Int64 = 0
    /// What it should have left, before refunds.
    var rights: Int64 = 0
  }

  typealias Passed = CreditAccounts.Passed

  /// What they gave, or others took over from them, in truth; and what they took over from others.
  private(set) var gifts: Passed = [:]
  private(set) var takings: Passed = [:]
  /// What of what came to them they have spent themselves.
  private(set) var spent: [CreditHolder: Int64] = [:]
  /// What they have left, before refunds.
  private(set) var left: [CreditHolder: Int64] = [:]

  private var flow: GiftFlow
  private var places: [CreditHolder: Int] = [:]
  private var passages: [Passage] = []

  /// What passed from one to another.
  private struct Passage {
    let from: CreditHolder
    let to: CreditHolder
    let amount: Int64
    let isGift: Bool
    let edge: Int
  }

  /// - Parameters:
  ///   - accounts: of each of them
  ///   - sources: what others have left for those of them that took over from these
  ///   - gifts: what each says that it gave
  ///   - takings: who says that it took over from each; who pays last for what was not there is the last
  ///   - isMember: who is a member still
  ///   - isCustodian: who may take over from whom what that one has spent as well
  init(
    _ accounts: [CreditHolder: Account], takingFrom sources: [CreditHolder: Int64], gifts: Passed,
    takings: ShortfallTrace.Takers, isMember: (CreditHolder) -> Bool,
    isCustodian: (_ taker: CreditHolder, _ source: CreditHolder) -> Bool
  ) {
    let devices = accounts.keys.sorted()
    let outside = sources.keys.sorted()
    flow = GiftFlow(devices: devices.count + outside.count)
    places = Dictionary(uniqueKeysWithValues: (devices + outside).enumerated().map { ($1, $0) })
    let own = devices.map { accounts[$0] ?? Account() }
    for (place, account) in own.enumerated() {
      _ = flow.lack(max(account.bought &+ account.received, 0), by: place)
    }
    // What others have left is taken over first, and then what these gave them.
    for source in outside { take(sources[source] ?? 0, from: source, takings[source] ?? []) }
    // What others were given goes ahead of all: what a device says that it has spent takes nothing from them, first of all not from members.
    // And what was given in truth is seldom the greatest.
    let given = devices.flatMap { giver in
      (gifts[giver] ?? [:]).map { (from: giver, to: $0.key, amount: $0.value) }
    }.sorted { ($0.amount, $0.from, $0.to) < ($1.amount, $1.from, $1.to) }
    let taken = devices.flatMap { source in
      (takings[source] ?? []).reversed().map { (from: source, to: $0.key, amount: $0.value) }
    }
    pass(given.filter { isMember($0.to) || accounts[$0.to] != nil }, areGifts: true)
    pass(taken.filter { accounts[$0.to] != nil }, areGifts: false)
    flow.run()
    pass(given.filter { !isMember($0.to) && accounts[$0.to] == nil }, areGifts: true)
    for place in outside.indices { _ = flow.pay(.max, by: devices.count + place) }
    flow.run()
    // Of what was bought for it a device has spent first.
    _ = keep(own.map { min($0.spent, $0.bought) })
    let others = taken.filter { accounts[$0.to] == nil }
    pass(others.filter { isCustodian($0.to, $0.from) }, areGifts: false)
    flow.run()
    // What a custodian took over beyond what was left there was charged: so much of what it has spent the device has paid for.
    var counting: [CreditHolder: Int64] = [:]
    for passage in passages where !passage.isGift {
      let isByOther = accounts[passage.to] == nil
      counting[passage.from, default: 0] &+=
        isByOther ? passage.amount : passage.amount - flow.room(of: passage.edge)
    }
    let charged = zip(devices, own).map { device, account -> Int64 in
      let all = (takings[device] ?? []).reduce(0) { $0 &+ $1.value }
      return max((counting[device] ?? 0) - max(account.rights &+ all, 0), 0)
    }
    let spent = keep(zip(own, charged).map { max($0.spent - $0.bought - $1, 0) })
    pass(others.filter { !isCustodian($0.to, $0.from) }, areGifts: false)
    flow.run()
    let left = keep(own.map { max($0.rights, 0) })
    (self.spent, self.left) = (
      Dictionary(uniqueKeysWithValues: zip(devices, spent)),
      Dictionary(uniqueKeysWithValues: zip(devices, left))
    )
    for passage in passages {
      let amount = passage.amount - flow.room(of: passage.edge)
      if passage.isGift {
        self.gifts[passage.from, default: [:]][passage.to] = amount
      } else {
        self.takings[passage.from, default: [:]][passage.to, default: 0] &+= amount
      }
    }
  }

  /// Lets devices keep some of what came to them, in their order.
  ///
  /// - Returns: how much each of them does
  private mutating func keep(_ most: [Int64]) -> [Int64] {
    let edges = most.enumerated().map { flow.pay($1, by: $0) }
    flow.run()
    return zip(most, edges).map { $0 - flow.room(of: $1) }
  }

  /// Has some of them take over what another device has left for them, and what comes to it by others of them.
  private mutating func take(
    _ most: Int64, from source: CreditHolder, _ takers: [(key: CreditHolder, value: Int64)]
  ) {
    var left = most
    for (taker, amount) in takers.reversed() {
      guard let place = places[taker] else { continue }
      let part = min(left, amount)
      left -= part
      takings[source, default: [:]][taker, default: 0] &+= part
      _ = flow.lack(part, by: place)
      pass([(source, taker, amount - part)], areGifts: false)
    }
  }

  private mutating func pass(
    _ all: [(from: CreditHolder, to: CreditHolder, amount: Int64)], areGifts: Bool
  ) {
    for (giver, receiver, amount) in all {
      guard let from = places[giver] else { continue }
      let edge =
        places[receiver].map { flow.give(amount, from: from, to: $0) } ?? flow.pay(amount, by: from)
      passages.append(Passage(from: giver, to: receiver, amount: amount, isGift: areGifts, edge: edge))
    }
  }
}
