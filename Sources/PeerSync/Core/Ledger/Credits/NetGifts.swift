/// What devices have given one another but for what came round to where it started: a member can give to and fro for ever, and each
/// number only grows. Nobody's balance depends on what came back, and so nobody pays for it [F58].
package struct NetGifts {
  /// Who has given how much to whom, ever.
  package typealias Gifts = [CreditHolder: [CreditHolder: Int64]]

  /// The givers in their order, and whoever was given something.
  private let devices: [CreditHolder]
  /// To whom each has given, and what of that has not come round, in their order.
  private var gifts: [[(receiver: Int, amount: Int64)]]
  /// The gift of each device that is looked at next.
  private var cursors: [Int]
  /// Whether a device is on the way, or nothing comes round from it any more.
  private var states: [State]
  /// The devices from the first one to where the way has got.
  private var way: [Int] = []

  private enum State { case new, onTheWay, done }

  /// - Parameter gifts: what each has given to each, ever
  package init(_ gifts: Gifts) {
    devices = Set(gifts.keys).union(gifts.values.flatMap(\.keys)).sorted()
    let places = Dictionary(uniqueKeysWithValues: devices.enumerated().map { ($1, $0) })
    self.gifts = devices.map { giver in
      (gifts[giver] ?? [:]).compactMap { receiver, amount in places[receiver].map { ($0, amount) } }
        .sorted { $0.receiver < $1.receiver }
    }
    cursors = Array(repeating: 0, count: devices.count)
    states = Array(repeating: .new, count: devices.count)
    for start in devices.indices where states[start] == .new { follow(from: start) }
  }

  /// What is left.
  package var passed: Gifts {
    var passed: Gifts = [:]
    for (giver, gifts) in zip(devices, gifts) {
      for gift in gifts where gift.amount > 0 {
        passed[giver, default: [:]][devices[gift.receiver]] = gift.amount
      }
    }
    return passed
  }

  /// Goes on along gifts, takes out each round that it closes, and goes back where nothing leads on. Each time a gift is done with.
  private mutating func follow(from start: Int) {
    enter(start)
    while let device = way.last {
      guard cursors[device] < gifts[device].count else {
        states[device] = .done
        way.removeLast()
        continue
      }
      let gift = gifts[device][cursors[device]]
      switch states[gift.receiver] {
      case .new where gift.amount > 0: enter(gift.receiver)
      case .onTheWay where gift.amount > 0: takeOut(from: gift.receiver)
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
    let amount = round.reduce(Int64.max) { min($0, gifts[$1][cursors[$1]].amount) }
    for giver in round { gifts[giver][cursors[giver]].amount -= amount }
    // Up to the first gift of which nothing is left the way stays.
    guard let end = round.indices.first(where: { gifts[way[$0]][cursors[way[$0]]].amount == 0 }) else {
      return
    }
    while way.count > end + 1 {
      if let last = way.popLast() { states[last] = .new }
    }
  }
}
