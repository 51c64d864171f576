/// Follows what devices did not have to those to whom they gave it, and on from those who cannot pay. All of it at once, for what
/// one of them did not have may have come to another and gone on with what that one did not have: as long as nobody spends, nobody
/// can spend more than was bought.
struct ShortfallTrace {
  /// Those who took over from each device, who pays first in front.
  typealias Takers = [CreditHolder: [(key: CreditHolder, value: Int64)]]
  /// What devices pay of what others lack, by those.
  typealias Payments = [CreditHolder: [CreditHolder: Int64]]

  /// What nobody has paid yet.
  private(set) var lacks: [Lack]
  /// What devices pay of what others lack.
  private(set) var paid: Payments = [:]
  /// Of that, what had come to them by others: these can give it on.
  private(set) var paidBy: Payments = [:]
  private let devices: [CreditHolder]
  private let places: [CreditHolder: Int]
  private let takers: Takers
  /// What has passed on, but for what was paid along it.
  private var gifts: NetGifts.Passed
  private var through: NetGifts.Passed

  /// - Parameters:
  ///   - devices: all that there are, in their order
  ///   - gifts: what has passed from each to each as gifts
  ///   - through: what came through devices to those who took over from them
  init(
    _ lacks: [Lack], among devices: [CreditHolder], gifts: NetGifts.Passed, through: NetGifts.Passed,
    _ takers: Takers
  ) {
    (self.lacks, self.devices, self.takers) = (lacks, devices, takers)
    (self.gifts, self.through) = (gifts, through)
    places = Dictionary(uniqueKeysWithValues: devices.enumerated().map { ($1, $0) })
  }

  /// Lets devices pay along what has passed, as much as all of them can together. Who took over pays in turn, with those to whom it passed
  /// that on.
  ///
  /// - Parameters:
  ///   - means: what each can pay
  ///   - which: which lacks are paid; the others are left
  /// - Returns: what each of them pays
  mutating func run(paying means: Means, _ which: Which) -> [CreditHolder: Int64] {
    var flow = GiftFlow(devices: 3 * devices.count)
    let lacking = lacks.map { lack in
      lack.parts.map { part -> (edge: Int, amount: Int64)? in
        let amount = which.amount(of: part)
        guard amount > 0, let place = places[part.device] else { return nil }
        return (flow.lack(amount, by: place), amount)
      }
    }
    var (paying, passages) = ([(device: CreditHolder, most: Int64, edge: Int)](), [Passage]())
    // What was taken over from whom by whom, the first takers of each first.
    var turns: [[(from: CreditHolder, to: CreditHolder, amount: Int64)]] = []
    for (place, device) in devices.enumerated() {
      if let most = means.all[device], most > 0 { paying.append((device, most, flow.pay(most, by: place))) }
      if let most = means.ofTaken[device], most > 0 {
        // What comes to it otherwise does not come by this place.
        let purse = place + 2 * devices.count
        paying.append((device, most, flow.pay(most, by: purse)))
        _ = flow.give(.max, from: purse, to: place)
      }
      for (receiver, amount) in (gifts[device] ?? [:]).sorted(by: { $0.key < $1.key }) {
        guard let other = places[receiver] else { continue }
        let edge = flow.give(amount, from: place, to: other)
        passages.append(Passage(from: device, to: receiver, isGift: true, edge: edge))
      }
      let takers = (takers[device] ?? []).map { ($0.key, through[device]?[$0.key] ?? 0) }
      guard !takers.isEmpty else { continue }
      // What came to a device and was taken over from it leaves it by a place of its own.
      _ = flow.give(takers.reduce(0) { $0 &+ $1.1 }, from: place, to: place + devices.count)
      for (turn, taker) in takers.enumerated() {
        if turn == turns.count { turns.append([]) }
        turns[turn].append((device, taker.0, taker.1))
      }
    }
    for turn in turns.isEmpty ? [[]] : turns {
      for (giver, taker, amount) in turn {
        guard let place = places[giver], let other = places[taker] else { continue }
        let isPurse = means.ofTaken[taker] ?? 0 > 0 && means.sources.contains(giver)
        let edge = flow.give(
          amount, from: place + devices.count, to: isPurse ? other + 2 * devices.count : other)
        passages.append(Passage(from: giver, to: taker, isGift: false, edge: edge))
      }
      flow.run()
    }
    note(lacking, flow)
    for passage in passages {
      let (from, to) = (passage.from, passage.to)
      if passage.isGift {
        gifts[from]?[to] = flow.room(of: passage.edge)
      } else {
        through[from]?[to] = flow.room(of: passage.edge)
      }
    }
    return Dictionary(paying.map { ($0.device, $0.most - flow.room(of: $0.edge)) }, uniquingKeysWith: +)
  }

  /// What devices can pay.
  struct Means {
    /// For whatever comes to them.
    let all: [CreditHolder: Int64]
    /// For what comes to them as taken over from some others.
    let ofTaken: [CreditHolder: Int64]
    /// These others.
    let sources: Set<CreditHolder>

    init(
      _ all: [CreditHolder: Int64], ofTaken: [CreditHolder: Int64] = [:], from sources: Set<CreditHolder> = []
    ) {
      (self.all, self.ofTaken, self.sources) = (all, ofTaken, sources)
    }
  }

  /// What is to be paid.
  enum Which {
    /// All that is lacked.
    case all
    /// Of that what devices gave: who took over what was not there lied, or has that explained by refunds.
    case given

    fileprivate func amount(of part: Lack.Lacking) -> Int64 {
      switch self {
      case .all: part.amount
      case .given: part.given
      }
    }
  }

  /// What has passed from one to another, as an edge of a flow.
  private struct Passage {
    let from: CreditHolder
    let to: CreditHolder
    let isGift: Bool
    let edge: Int
  }

  /// Notes who pays what, and leaves what nobody does.
  ///
  /// - Parameter lacking: the edges of the parts of each lack, and how much of them was to be paid
  private mutating func note(_ lacking: [[(edge: Int, amount: Int64)?]], _ flow: GiftFlow) {
    var flows = flow.flow
    for (place, edges) in lacking.enumerated() {
      let parts = lacks[place].parts
      for (part, lacking) in zip(parts, edges) {
        guard let lacking else { continue }
        for (payer, others, amount) in flow.payers(of: lacking.edge, &flows) {
          let payer = devices[payer % devices.count]
          paid[payer, default: [:]][part.device, default: 0] &+= amount
          for other in Set(others.map { devices[$0 % devices.count] }) where other != payer {
            paidBy[payer, default: [:]][other, default: 0] &+= amount
          }
        }
      }
      lacks[place].leave(
        zip(parts, edges).map { part, lacking in
          part.amount - (lacking.map { $0.amount - flow.room(of: $0.edge) } ?? 0)
        })
    }
  }

  /// What nobody pays whom it had come to, and refunds explain: all owe it.
  var refunded: Int64 { lacks.flatMap(\.taken).reduce(0) { $0 &+ $1.refunded } }

  /// What nobody pays yet although it has gone on to others: nobody has had what was not given away.
  var owed: Int64 {
    var unpaid: [CreditHolder: Int64] = [:]
    for lack in lacks {
      unpaid[lack.device, default: 0] &+= lack.given
      for part in lack.taken { unpaid[part.taker, default: 0] &+= part.amount - part.refunded }
    }
    return unpaid.reduce(0) { $0 &+ min($1.value, (gifts[$1.key] ?? [:]).values.reduce(0, &+)) }
  }
}

extension ShortfallTrace {
  /// What a device lacks that its own refunds do not explain.
  struct Lack {
    let device: CreditHolder
    /// What it spent or gave away without having it.
    private(set) var given: Int64
    /// What others took over without its being there, by who pays first: they pay, and not those to whom the device gave what it had.
    private(set) var taken: [Part] = []

    /// What one of them has to pay. What it cannot pay is no other taker's.
    struct Part {
      let taker: CreditHolder
      fileprivate(set) var amount: Int64
      /// What the refunds of the device explain of it: that was there when it was taken over.
      fileprivate(set) var refunded: Int64 = 0
    }

    init(device: CreditHolder, given: Int64) { (self.device, self.given) = (device, given) }

    var isNothing: Bool { given <= 0 && taken.isEmpty }

    /// Says who took what was not there. What the last of them took over was there first, so refunds explain theirs first.
    mutating func blame(_ takers: [(key: CreditHolder, value: Int64)], for amount: Int64, refunded: Int64) {
      var (left, explained) = (amount, refunded)
      for taker in takers where left > 0 {
        taken.append(Part(taker: taker.key, amount: min(left, taker.value)))
        left -= min(left, taker.value)
      }
      for place in taken.indices.reversed() {
        taken[place].refunded = min(taken[place].amount, explained)
        explained -= taken[place].refunded
      }
    }

    /// Whose lack a part of it is, and how much of it that one gave and did not have.
    fileprivate typealias Lacking = (device: CreditHolder, amount: Int64, given: Int64)

    fileprivate var parts: [Lacking] {
      [(device, given, given)] + taken.map { ($0.taker, $0.amount, 0) }
    }

    /// Leaves of each of its ``parts`` so much.
    fileprivate mutating func leave(_ amounts: [Int64]) {
      given = amounts.first ?? 0
      for (place, amount) in zip(taken.indices, amounts.dropFirst()) {
        taken[place].amount = amount
        taken[place].refunded = min(taken[place].refunded, amount)
      }
    }
  }
}
