/// Who holds rights to a credit, with those that nobody knows by groups, and what passed between devices: what is worked out from it takes
/// no longer for a member that makes holders up by the hundred thousand.
///
/// Nobody knows a holder of whose life nothing counts or is named, that states no number of the credit, and for which nothing was bought.
/// Those who know each other are bounded (``Limits/replicas``), and so are purchases. What such a holder has others say that they gave it,
/// and what it lacks they say that they took. Those of which the same devices say so are one group: what one member makes up is in three
/// groups at most, and what another device gave or took rightly is in none of them. It is kept up as numbers come in: a holder
/// that is of another group then, or known, moves with what passed between it and others, and nothing else does.
///
/// Several devices of a liar can make up a group with each number. So a group of several devices stands alone only where one of them is in
/// few such groups: by the word of that one. The others are the crowd, and one.
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

    var isOfOne: Bool { Set(givers + takers).count <= 1 }
    /// Whether it is known of whom else what passed.
    var areKnown: Bool { !(givers + takers).contains(.strangers(0)) }
    /// Whether a group with them can stand alone by the word of one of several devices.
    var areFew: Bool { givers.count + takers.count <= CreditAccounts.tiesTold && areKnown }
  }

  /// Holders with the same ties.
  struct Group: Sendable {
    fileprivate let ties: Ties
    fileprivate(set) var holders: Set<CreditHolder> = []
    /// Them, and some that are not among them any more: none of these is the first.
    private var order = MinHeap<CreditHolder>()
    /// What they hold together.
    fileprivate(set) var rights: Int64 = 0
    /// Whether it is not of the crowd.
    fileprivate(set) var isAlone: Bool

    fileprivate init(ties: Ties) {
      self.ties = ties
      isAlone = ties.isOfOne
    }

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
  fileprivate struct Flow: Hashable {
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

  /// Of how many ties a group of several devices that stands alone is at most.
  fileprivate static let tiesTold = 8

  /// The holders that are known.
  private(set) var known: Set<CreditHolder>
  /// The groups of the others, in no order. One that has lost its holders stands empty until another takes its place.
  private var groups: [Group] = []
  private var places: [Ties: Int] = [:]
  private var emptied: [Int] = []
  private var groupOfHolder: [CreditHolder: Int] = [:]
  /// The groups of several devices that can stand alone, by each of these.
  private var groupsOfDevice: [CreditHolder: Set<Int>] = [:]
  /// What those hold together that do not.
  private var crowd: Int64 = 0
  /// What passed between devices and those that they are told of. Here a group that stands alone stands behind its place, and the crowd
  /// under 0.
  private var flows: [Flow: Int64] = [:]
  /// What passed between devices and groups. Here each group stands under its place.
  private var flowsOfGroups: [Flow: Int64] = [:]
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
    guard groups[place].ties.areKnown else { return nil }
    var own: [(Flow, Int64)] = []
    for flow in possibleFlows(groups[place].ties, of: holder) {
      guard let amount = parts.removeValue(forKey: flow) else { continue }
      add(0 &- amount, flow.replacing(holder, by: .strangers(place)))
      own.append((flow, amount))
    }
    return own
  }

  /// What may have passed between one and those with whom it has to do.
  private func possibleFlows(_ ties: Ties, of holder: CreditHolder) -> [Flow] {
    [true, false].flatMap { isGift in
      ties.givers.map { Flow(giver: $0, receiver: holder, isGift: isGift) }
        + ties.takers.map { Flow(giver: holder, receiver: $0, isGift: isGift) }
    }
  }

  /// Puts in what passed between a holder of a group and a device.
  private mutating func put(_ more: Int64, _ flow: Flow, of holder: CreditHolder) {
    guard let place = groupOfHolder[holder] else { return }
    parts[flow, default: 0] &+= more
    add(more, flow.replacing(holder, by: .strangers(place)))
  }

  /// Puts in what passed between devices and groups under their places.
  private mutating func add(_ more: Int64, _ flow: Flow) {
    var told = flow
    if let place = flow.giver.placeOfGroup {
      told.giver = side(of: place)
      hold(0 &- more, place)
    }
    if let place = flow.receiver.placeOfGroup {
      told.receiver = side(of: place)
      hold(more, place)
    }
    if [flow.giver, flow.receiver].contains(where: { $0.placeOfGroup != nil }) {
      flowsOfGroups.add(more, flow)
    }
    tell(more, told)
  }

  private mutating func hold(_ more: Int64, _ place: Int) {
    groups[place].rights &+= more
    if !groups[place].isAlone { crowd &+= more }
  }

  private mutating func tell(_ more: Int64, _ flow: Flow) {
    if flow.giver != flow.receiver { flows.add(more, flow) }
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
    if groups[place].holders.count == 1 { review(place) { $0.insert(place) } }
  }

  private mutating func leave(_ holder: CreditHolder) {
    guard let place = groupOfHolder.removeValue(forKey: holder) else { return }
    groups[place].remove(holder)
    guard groups[place].holders.isEmpty else { return }
    places[groups[place].ties] = nil
    emptied.append(place)
    review(place) { $0.remove(place) }
  }

  // MARK: Who stands alone

  /// Under what those stand of the group at a place where it is worked out who pays.
  private func side(of place: Int) -> CreditHolder { .strangers(groups[place].isAlone ? place + 1 : 0) }

  /// Notes that there is a group of several devices, or none any more: others may stand alone by the word of one of them, or no more.
  private mutating func review(_ place: Int, _ change: (inout Set<Int>) -> Void) {
    let ties = groups[place].ties
    guard !ties.isOfOne, ties.areFew else { return }
    var others: Set<Int> = [place]
    for device in Set(ties.givers + ties.takers) {
      let wasHeard = isHeard(device)
      change(&groupsOfDevice[device, default: []])
      // There are few of them then.
      if isHeard(device) != wasHeard { others.formUnion(groupsOfDevice[device] ?? []) }
    }
    for place in others where !groups[place].holders.isEmpty { stand(place) }
  }

  /// Whether a device is in so few groups that they stand alone by its word.
  private func isHeard(_ device: CreditHolder) -> Bool {
    groupsOfDevice[device]?.count ?? 0 <= CreditState.groupsTold
  }

  /// Has a group of several devices stand alone where it can, else be of the crowd.
  private mutating func stand(_ place: Int) {
    let (ties, former) = (groups[place].ties, side(of: place))
    let isAlone = (ties.givers + ties.takers).contains(where: isHeard)
    guard isAlone != groups[place].isAlone else { return }
    groups[place].isAlone = isAlone
    crowd &+= isAlone ? 0 &- groups[place].rights : groups[place].rights
    for flow in possibleFlows(ties, of: .strangers(place)) {
      guard let amount = flowsOfGroups[flow] else { continue }
      tell(0 &- amount, flow.replacing(.strangers(place), by: former))
      tell(amount, flow.replacing(.strangers(place), by: side(of: place)))
    }
  }

  // MARK: Asking

  /// Those that nobody knows, as they are told apart where it is worked out who pays: groups, or the crowd.
  struct Strangers {
    /// Under what they stand among ``CreditAccounts/flows``.
    let side: CreditHolder
    /// The holder that stands for them.
    fileprivate(set) var standIn: CreditHolder
    /// What they hold together.
    let rights: Int64
    fileprivate let first: CreditHolder
    fileprivate let groups: [Int]
  }

  /// They in the order of their first holders; the crowd comes last.
  var strangers: [Strangers] {
    var (alone, others) = ([Strangers](), [Int]())
    for (place, group) in groups.enumerated() {
      guard let first = group.first else { continue }
      if group.isAlone {
        alone.append(
          Strangers(
            side: side(of: place), standIn: .nobody, rights: group.rights, first: first, groups: [place]))
      } else {
        others.append(place)
      }
    }
    alone.sort { $0.first < $1.first }
    if !others.isEmpty {
      alone.append(
        Strangers(
          side: .strangers(0), standIn: .nobody, rights: crowd, first: .nobody, groups: others))
    }
    for rank in alone.indices { alone[rank].standIn = .strangers(rank) }
    return alone
  }

  /// The holders of some that nobody knows.
  func holders(of strangers: Strangers) -> some Sequence<CreditHolder> {
    strangers.groups.lazy.flatMap { groups[$0].holders }
  }

  /// Under what a holder stands that nobody knows: see ``passed(areGifts:_:)``.
  func side(of holder: CreditHolder) -> CreditHolder? { groupOfHolder[holder].map { side(of: $0) } }

  /// What devices have passed on to others: as gifts, or taken over.
  ///
  /// - Parameter strangers: ``strangers``
  func passed(areGifts: Bool, _ strangers: [Strangers]) -> Passed {
    let standIns = Dictionary(uniqueKeysWithValues: strangers.map { ($0.side, $0.standIn) })
    var passed: Passed = [:]
    for (flow, amount) in flows where flow.isGift == areGifts {
      let (giver, receiver) = (standIns[flow.giver] ?? flow.giver, standIns[flow.receiver] ?? flow.receiver)
      passed[giver, default: [:]][receiver] = amount
    }
    return passed
  }
}

extension [CreditAccounts.Flow: Int64] {
  fileprivate mutating func add(_ more: Int64, _ flow: Key) {
    let amount = (self[flow] ?? 0) &+ more
    self[flow] = amount == 0 ? nil : amount
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
