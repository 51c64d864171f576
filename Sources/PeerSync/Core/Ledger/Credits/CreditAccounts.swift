/// Who holds rights to a credit, with those that nobody knows by groups, and what passed between devices: what is worked out from it takes
/// no longer for a member that makes holders up by the hundred thousand.
///
/// Nobody knows a holder of whose life nothing counts or is named, that states no number of the credit, and for which nothing was bought.
/// Those who know each other are bounded (``Limits/replicas``), and so are purchases. What such a holder has others say that they gave it,
/// and what it lacks they say that they took. Those of which the same devices say so are one group: what one member makes up is in three
/// groups at most, and what another device gave or took rightly is in none of them. It is kept up as numbers come in.
struct CreditAccounts: Sendable {
  /// One side of what passed.
  enum Party {
    /// One that is known stands under the holder that ``DeviceLives`` names.
    case device(CreditHolder)
    case stranger(CreditHolder)

    /// Among ``Ties`` those that nobody knows are one.
    fileprivate var tie: CreditHolder {
      switch self {
      case .device(let device): device
      case .stranger: .strangers(0)
      }
    }
  }

  /// With whom a holder that nobody knows has to do.
  fileprivate struct Ties: Hashable {
    /// Who gave it something, in their order.
    var givers: [CreditHolder] = []
    /// Whom it gave something, or who took it over, in their order.
    var takers: [CreditHolder] = []
  }

  /// Holders with the same ties.
  struct Group: Sendable {
    fileprivate let ties: Ties
    /// The first of its holders.
    fileprivate(set) var first: CreditHolder
    /// In no order.
    fileprivate(set) var holders: [CreditHolder] = []
    /// What they hold together.
    fileprivate(set) var rights: Int64 = 0
  }

  /// What passed from one device or group to another. Here a group stands under its place.
  private struct Flow: Hashable {
    let giver: CreditHolder
    let receiver: CreditHolder
    let isGift: Bool
  }

  /// What passed from devices and groups to others, by the receivers.
  typealias Passed = [CreditHolder: [CreditHolder: Int64]]

  /// The holders that are known, in no order.
  private(set) var known: [CreditHolder] = []
  /// The first of the others, which stands for them in answers.
  private(set) var stranger: CreditHolder?
  /// What the others hold together.
  private(set) var strange: Int64 = 0
  /// How many there are.
  private(set) var holders = 0
  /// The groups of the others, in no order.
  private(set) var groups: [Group] = []
  private var places: [Ties: Int] = [:]
  private var groupOfHolder: [CreditHolder: Int] = [:]
  private var flows: [Flow: Int64] = [:]

  init() {}

  /// - Parameter passages: all that passed, each between the same two once for each way
  init(
    known: [CreditHolder], strangers: [CreditHolder],
    passages: [(amount: Int64, giver: Party, receiver: Party, isGift: Bool)]
  ) {
    for holder in known { add(holder, isStranger: false) }
    for holder in strangers { add(holder, isStranger: true) }
    var ties: [CreditHolder: Ties] = [:]
    for (_, giver, receiver, _) in passages {
      if case .stranger(let holder) = giver {
        ties[holder, default: Ties()].takers.insertSorted(receiver.tie)
      }
      if case .stranger(let holder) = receiver {
        ties[holder, default: Ties()].givers.insertSorted(giver.tie)
      }
    }
    for (holder, ties) in ties { put(holder, ties) }
    for (amount, giver, receiver, isGift) in passages {
      _ = pass(amount, from: giver, to: receiver, isGift: isGift)
    }
  }

  mutating func add(_ holder: CreditHolder, isStranger: Bool) {
    holders += 1
    if isStranger {
      stranger = min(stranger ?? holder, holder)
    } else {
      known.append(holder)
    }
  }

  /// Notes that more has passed from one to another.
  ///
  /// - Returns: whether it could; else a holder is of another group than before, and all has to be worked out anew
  mutating func pass(_ more: Int64, from giver: Party, to receiver: Party, isGift: Bool) -> Bool {
    var sides = (giver.tie, receiver.tie)
    if case .stranger(let holder) = giver {
      guard let place = place(of: holder, with: receiver.tie, \.takers) else { return false }
      groups[place].rights &-= more
      strange &-= more
      sides.0 = .strangers(place)
    }
    if case .stranger(let holder) = receiver {
      guard let place = place(of: holder, with: giver.tie, \.givers) else { return false }
      groups[place].rights &+= more
      strange &+= more
      sides.1 = .strangers(place)
    }
    guard sides.0 != sides.1 else { return true }
    flows[Flow(giver: sides.0, receiver: sides.1, isGift: isGift), default: 0] &+= more
    return true
  }

  /// The group of a holder, if it is one of those with a tie.
  private mutating func place(
    of holder: CreditHolder, with tie: CreditHolder, _ side: WritableKeyPath<Ties, [CreditHolder]>
  ) -> Int? {
    if let place = groupOfHolder[holder] {
      return groups[place].ties[keyPath: side].containsSorted(tie) ? place : nil
    }
    var ties = Ties()
    ties[keyPath: side] = [tie]
    return put(holder, ties)
  }

  @discardableResult private mutating func put(_ holder: CreditHolder, _ ties: Ties) -> Int {
    let place = places[ties] ?? groups.count
    if place == groups.count {
      groups.append(Group(ties: ties, first: holder))
      places[ties] = place
    }
    groups[place].first = min(groups[place].first, holder)
    groups[place].holders.append(holder)
    groupOfHolder[holder] = place
    return place
  }

  /// The place of the group of a holder.
  func place(of holder: CreditHolder) -> Int? { groupOfHolder[holder] }

  /// The holder that stands for each group where it is worked out who pays, by its place: in the order of their first holders.
  var standIns: [CreditHolder] {
    var standIns = Array(repeating: CreditHolder.strangers(0), count: groups.count)
    for (rank, place) in groups.indices.sorted(by: { groups[$0].first < groups[$1].first }).enumerated() {
      standIns[place] = .strangers(rank)
    }
    return standIns
  }

  /// What devices have passed on to others: as gifts, or taken over.
  ///
  /// - Parameter standIns: ``standIns``
  func passed(areGifts: Bool, _ standIns: [CreditHolder]) -> Passed {
    func side(_ holder: CreditHolder) -> CreditHolder { holder.placeOfGroup.map { standIns[$0] } ?? holder }
    var passed: Passed = [:]
    for (flow, amount) in flows where flow.isGift == areGifts {
      passed[side(flow.giver), default: [:]][side(flow.receiver)] = amount
    }
    return passed
  }
}

extension [CreditHolder] {
  fileprivate func containsSorted(_ holder: CreditHolder) -> Bool {
    let place = partitionPoint { $0 >= holder }
    return place < count && self[place] == holder
  }

  fileprivate mutating func insertSorted(_ holder: CreditHolder) {
    let place = partitionPoint { $0 >= holder }
    if place == count || self[place] != holder { insert(holder, at: place) }
  }
}
