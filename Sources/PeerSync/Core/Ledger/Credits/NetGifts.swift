/// What has passed between devices but for what came round to where it started: a member can give to and fro for ever, or have what it gave
/// a device that was removed taken over and given back, and each number only grows. Nobody's balance depends on what came back, and so
/// nobody pays for it [F58].
package struct NetGifts {
  /// From whom how much has passed to whom, ever.
  package typealias Passed = [CreditHolder: [CreditHolder: Int64]]

  /// What has passed from a device to another one, and what of that has not come round.
  private struct Passage {
    let receiver: Int
    let isGift: Bool
    var amount: Int64
  }

  /// All of whom something has passed or to whom, in their order.
  private let devices: [CreditHolder]
  /// What has passed from each, by the receivers in their order.
  private var passages: [[Passage]]
  /// The passage of each device that is looked at next.
  private var cursors: [Int]
  /// Whether a device is on the way, or nothing comes round from it any more.
  private var states: [State]
  /// The devices from the first one to where the way has got.
  private var way: [Int] = []

  private enum State { case new, onTheWay, done }

  /// - Parameters:
  ///   - gifts: what each has given to each, ever
  ///   - takings: what each has taken over from each, by those from whom, ever
  ///   - custodian: what came round through what this one took over from some others is taken out before all else: as much as can, so that
  ///     what it has given on is never told as what it can still give, whatever passes otherwise
  ///   - sources: these others
  package init(
    _ gifts: Passed, takings: Passed = [:], first custodian: CreditHolder? = nil,
    from sources: Set<CreditHolder> = []
  ) {
    let devices = Set([gifts, takings].flatMap { $0.keys + $0.values.flatMap(\.keys) }).sorted()
    let places = Dictionary(uniqueKeysWithValues: devices.enumerated().map { ($1, $0) })
    func passages(_ passed: Passed, from device: CreditHolder, areGifts: Bool) -> [Passage] {
      (passed[device] ?? [:]).compactMap { receiver, amount in
        places[receiver].map { Passage(receiver: $0, isGift: areGifts, amount: amount) }
      }.sorted { $0.receiver < $1.receiver }
    }
    self.devices = devices
    self.passages = devices.map {
      passages(gifts, from: $0, areGifts: true) + passages(takings, from: $0, areGifts: false)
    }
    cursors = Array(repeating: 0, count: devices.count)
    states = Array(repeating: .new, count: devices.count)
    if let place = custodian.flatMap({ places[$0] }) {
      takeOutFirst(place, from: sources.compactMap { places[$0] }.sorted())
    }
    for start in devices.indices where states[start] == .new { follow(from: start) }
  }

  /// What is left of the gifts.
  package var gifts: Passed { left(areGifts: true) }

  /// What is left of the takings.
  package var takings: Passed { left(areGifts: false) }

  private func left(areGifts: Bool) -> Passed {
    var left: Passed = [:]
    for (device, passages) in zip(devices, passages) {
      for passage in passages where passage.isGift == areGifts && passage.amount > 0 {
        left[device, default: [:]][devices[passage.receiver]] = passage.amount
      }
    }
    return left
  }

  /// Takes out what has gone on from a device to those from whom it took that over: the greatest flow.
  private mutating func takeOutFirst(_ taker: Int, from sources: [Int]) {
    var flow = GiftFlow(devices: devices.count)
    var (edges, taken) = ([(device: Int, place: Int, edge: Int)](), Int64(0))
    for source in sources {
      for place in passages[source].indices {
        let passage = passages[source][place]
        guard passage.receiver == taker, !passage.isGift, passage.amount > 0 else { continue }
        edges.append((source, place, flow.pay(passage.amount, by: source)))
        taken &+= passage.amount
      }
    }
    guard taken > 0 else { return }
    let own = Set(edges.map(\.device))
    _ = flow.lack(taken, by: taker)
    for device in devices.indices {
      for (place, passage) in passages[device].enumerated()
      where passage.isGift || passage.receiver != taker || !own.contains(device) {
        edges.append((device, place, flow.give(passage.amount, from: device, to: passage.receiver)))
      }
    }
    flow.run()
    for (device, place, edge) in edges { passages[device][place].amount = flow.room(of: edge) }
  }

  /// Goes on along passages, takes out each round that it closes, and goes back where nothing leads on. Each time a passage is done with.
  private mutating func follow(from start: Int) {
    enter(start)
    while let device = way.last {
      guard cursors[device] < passages[device].count else {
        states[device] = .done
        way.removeLast()
        continue
      }
      let passage = passages[device][cursors[device]]
      switch states[passage.receiver] {
      case .new where passage.amount > 0: enter(passage.receiver)
      case .onTheWay where passage.amount > 0: takeOut(from: passage.receiver)
      default: cursors[device] += 1
      }
    }
  }

  private mutating func enter(_ device: Int) {
    states[device] = .onTheWay
    way.append(device)
  }

  /// Takes out as much as comes round along the way from a device to itself.
  private mutating func takeOut(from device: Int) {
    guard let first = way.lastIndex(of: device) else { return }
    let round = way[first...]
    let amount = round.reduce(Int64.max) { min($0, passages[$1][cursors[$1]].amount) }
    for giver in round { passages[giver][cursors[giver]].amount -= amount }
    // Up to the first passage of which nothing is left the way stays.
    guard let end = round.indices.first(where: { passages[way[$0]][cursors[way[$0]]].amount == 0 }) else {
      return
    }
    while way.count > end + 1 {
      if let last = way.popLast() { states[last] = .new }
    }
  }
}
