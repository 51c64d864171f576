/// Who holds rights to a credit, with those that nobody knows by groups, and what passed between devices: what is worked out from it takes
/// no longer for a member that makes holders up by the hundred thousand.
///
/// Nobody knows a holder of whose life nothing counts or is named, that states no number of the credit, and for which nothing was bought.
/// Those who know each other are bounded (``Limits/replicas``), and so are purchases. What such a holder has others say that they gave it,
/// and what it lacks they say that they took. Those of which the same devices say so are one group: what one member makes up is in three
/// groups at most, and what another device gave or took rightly is in none of them. It is kept up as numbers come in: a holder
/// that is of another group then, or known, moves with what passed between it and others, and nothing else does.
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
    fileprivate(set) var holders: Set<CreditHolder> = []
    /// Them, and some that are not among them any more: none of these is the first.
    private var order = MinHeap<CreditHolder>()
    /// What they hold together.
    fileprivate(set) var rights: Int64 = 0

    fileprivate init(ties: Ties) { self.ties = ties }

    /// The first of its holders.
    var first: CreditHolder? { order.first }

    fileprivate mutating func insert(_ holder: CreditHolder) {
      holders.insert(holder)
      order.insert(holder)
    }

    fileprivate mutating func remove(_ holder: CreditHolder) {
      holders.remove(holder)
      while let first, !holders.contains(first) { order.removeFirst() }
    }
  }

  /// What passed from one to another.
  private struct Flow: Hashable {
    var giver: CreditHolder
    var receiver: CreditHolder
    let isGift: Bool

    /// The same with another on the side of a holder.
    func replacing(_ holder: CreditHolder, by other: CreditHolder) -> Flow {
      var flow = self
      if giver == holder { flow.giver = other }
      if receiver == holder { flow.receiver = other }
      return flow
    }
  }

  /// What passed from devices and groups to others, by the receivers.
  typealias Passed = [CreditHolder: [CreditHolder: Int64]]

  /// The holders that are known.
  private(set) var known: Set<CreditHolder>
  /// The groups of the others, in no order. One that has lost its holders stands empty until another takes its place.
  private(set) var groups: [Group] = []
  private var places: [Ties: Int] = [:]
  private var emptied: [Int] = []
  private var groupOfHolder: [CreditHolder: Int] = [:]
  /// What passed between devices and groups. Here a group stands under its place.
  private var flows: [Flow: Int64] = [:]
  /// What passed between devices and each holder of the groups.
  private var parts: [Flow: Int64] = [:]

  /// - Parameter passages: all that passed, each between the same two once for each way
  init(
    known: Set<CreditHolder>,
    passages: [(amount: Int64, giver: Party, receiver: Party, isGift: Bool)]
  ) {
    self.known = known
    var ties: [CreditHolder: Ties] = [:]
    for (_, giver, receiver, _) in passages {
      if case .stranger(let holder) = giver {
        _ = ties[holder, default: Ties()].takers.insertSorted(receiver.tie)
      }
      if case .stranger(let holder) = receiver {
        _ = ties[holder, default: Ties()].givers.insertSorted(giver.tie)
      }
    }
    for (holder, ties) in ties { put(holder, ties) }
    for (amount, giver, receiver, isGift) in passages {
      _ = pass(amount, from: giver, to: receiver, isGift: isGift)
    }
  }

  /// The first of the holders that nobody knows, which stands for them in answers.
  var stranger: CreditHolder? { groups.compactMap(\.first).min() }

  /// What they hold together.
  var strange: Int64 { groups.reduce(0) { $0 &+ $1.rights } }

  // MARK: Keeping it up

  /// Notes that a holder is known.
  ///
  /// - Returns: whether it could; else all has to be worked out anew
  mutating func know(_ holder: CreditHolder, as device: CreditHolder) -> Bool {
    guard known.insert(holder).inserted, groupOfHolder[holder] != nil else { return true }
    guard let own = takeParts(of: holder) else { return false }
    leave(holder)
    for (flow, amount) in own { add(amount, flow.replacing(holder, by: device)) }
    return true
  }

  /// Notes that more has passed from one to another.
  ///
  /// - Returns: whether it could; else all has to be worked out anew
  mutating func pass(_ more: Int64, from giver: Party, to receiver: Party, isGift: Bool) -> Bool {
    guard tie(giver, to: receiver, \.takers), tie(receiver, to: giver, \.givers) else { return false }
    switch (giver, receiver) {
    case (.device(let giver), .device(let receiver)):
      add(more, Flow(giver: giver, receiver: receiver, isGift: isGift))
    case (.stranger(let holder), .device(let receiver)):
      put(more, Flow(giver: holder, receiver: receiver, isGift: isGift), of: holder)
    case (.device(let giver), .stranger(let holder)):
      put(more, Flow(giver: giver, receiver: holder, isGift: isGift), of: holder)
    case (.stranger(let giver), .stranger(let receiver)):
      guard let from = groupOfHolder[giver], let to = groupOfHolder[receiver] else { return false }
      add(more, Flow(giver: .strangers(from), receiver: .strangers(to), isGift: isGift))
    }
    return true
  }

  /// Has a holder that nobody knows be of the group of those that have to do with somebody else as well.
  private mutating func tie(
    _ party: Party, to other: Party, _ side: WritableKeyPath<Ties, [CreditHolder]>
  ) -> Bool {
    guard case .stranger(let holder) = party else { return true }
    var ties = groupOfHolder[holder].map { groups[$0].ties } ?? Ties()
    guard ties[keyPath: side].insertSorted(other.tie) else { return true }
    guard let own = takeParts(of: holder) else { return false }
    leave(holder)
    put(holder, ties)
    for (flow, amount) in own { put(amount, flow, of: holder) }
    return true
  }

  /// Takes out what passed between a holder of a group and devices; nil where something passed between it and another such holder. That
  /// is so only for a moment: who states or names it is known.
  private mutating func takeParts(of holder: CreditHolder) -> [(Flow, Int64)]? {
    guard let place = groupOfHolder[holder] else { return [] }
    let ties = groups[place].ties
    guard !(ties.givers + ties.takers).contains(.strangers(0)) else { return nil }
    var own: [(Flow, Int64)] = []
    for isGift in [true, false] {
      let flows =
        ties.givers.map { Flow(giver: $0, receiver: holder, isGift: isGift) }
        + ties.takers.map { Flow(giver: holder, receiver: $0, isGift: isGift) }
      for flow in flows {
        guard let amount = parts.removeValue(forKey: flow) else { continue }
        add(0 &- amount, flow.replacing(holder, by: .strangers(place)))
        own.append((flow, amount))
      }
    }
    return own
  }

  /// Puts in what passed between a holder of a group and a device.
  private mutating func put(_ more: Int64, _ flow: Flow, of holder: CreditHolder) {
    guard let place = groupOfHolder[holder] else { return }
    parts[flow, default: 0] &+= more
    add(more, flow.replacing(holder, by: .strangers(place)))
  }

  private mutating func add(_ more: Int64, _ flow: Flow) {
    if let place = flow.giver.placeOfGroup { groups[place].rights &-= more }
    if let place = flow.receiver.placeOfGroup { groups[place].rights &+= more }
    guard flow.giver != flow.receiver else { return }
    let amount = (flows[flow] ?? 0) &+ more
    flows[flow] = amount == 0 ? nil : amount
  }

  private mutating func put(_ holder: CreditHolder, _ ties: Ties) {
    let place = places[ties] ?? emptied.popLast() ?? groups.count
    if place == groups.count { groups.append(Group(ties: ties)) }
    if groups[place].holders.isEmpty {
      groups[place] = Group(ties: ties)
      places[ties] = place
    }
    groups[place].insert(holder)
    groupOfHolder[holder] = place
  }

  private mutating func leave(_ holder: CreditHolder) {
    guard let place = groupOfHolder.removeValue(forKey: holder) else { return }
    groups[place].remove(holder)
    guard groups[place].holders.isEmpty else { return }
    places[groups[place].ties] = nil
    emptied.append(place)
  }

  // MARK: Asking

  /// The place of the group of a holder.
  func place(of holder: CreditHolder) -> Int? { groupOfHolder[holder] }

  /// The holder that stands for each group where it is worked out who pays, by its place: in the order of their first holders. Those
  /// that are empty come last.
  var standIns: [CreditHolder] {
    var standIns = Array(repeating: CreditHolder.strangers(0), count: groups.count)
    let order = groups.indices.sorted { one, other in
      guard let first = groups[one].first else { return false }
      return groups[other].first.map { first < $0 } ?? true
    }
    for (rank, place) in order.enumerated() { standIns[place] = .strangers(rank) }
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
  /// - Returns: whether it was not there yet
  fileprivate mutating func insertSorted(_ holder: CreditHolder) -> Bool {
    let place = partitionPoint { $0 >= holder }
    guard place == count || self[place] != holder else { return false }
    insert(holder, at: place)
    return true
  }
}
