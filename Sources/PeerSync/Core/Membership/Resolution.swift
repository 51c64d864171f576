/// Who belongs to the group of one founding, worked out from the most senior to the most junior.
///
/// Whether a record counts depends only on records of more senior devices, and on what its author knew when it left, so one pass settles
/// everything: a device is placed, then its removals bind all who are placed later, then those it takes in wait for their turn. With n
/// records, of which r remove, the cost is n log n + n r at worst.
///
/// A merge that comes last in the order of merges has its turn when all others had theirs. So what was worked out without it
/// can be gone on from: ``take(_:_:_:)``.
struct Resolution {
  /// Who took back all that a device had decided. Its own recovery key goes on: whoever has that speaks for the owner.
  fileprivate enum TakenBack { case byNobody, byItsRecoveryKey, byOthers }

  /// A device in the group, removed or not.
  struct Place {
    /// Where its founding is in the set.
    let founding: Int
    /// The rank of its host; nil for the first.
    let host: Int?
    /// The ranks of all that it came in below.
    fileprivate let above: RecordSet
    /// What all of those knew of who are more senior and removed it. Nil: nobody did.
    fileprivate let knownToOthers: RecordSet?
    /// What its own recovery key knew each time that it removed it, as far as those others knew of that. Nil: it never did.
    fileprivate let knownToItsKey: RecordSet?
    /// What it knew itself each time that it left. Nil: it has not left.
    fileprivate let knownWhenLeaving: RecordSet?

    /// The merge by which it came in; nil for the first.
    let merge: Int?

    /// The records by which it leaves this group, without those that are void.
    let leavings: [Int]
    /// Where it came in by a merge that it knew of no time that it left, nor its own recovery key when that removed it: what they knew
    /// then. So much of its own group it has left.
    fileprivate let behind: RecordSet?

    /// Who took back all that it had decided, if anybody: nor does anything count then by which it had removed others.
    fileprivate let takenBack: TakenBack

    /// Whether somebody more senior has removed it, or its own recovery key, so that nothing it signs from now on counts.
    var isBound: Bool { knownToOthers != nil || knownToItsKey != nil }

    /// Whether somebody more senior has removed it, so that nothing its recovery key signs from now on counts.
    var isBoundByOthers: Bool { knownToOthers != nil }

    /// Whether what it says itself by leaving is asked: nobody asks where somebody more senior has removed it, nor of the first device where its
    /// own recovery key has. Any other that has left and has its key could come back by that.
    private var isAsked: Bool { !isBoundByOthers && (knownToItsKey == nil || host != nil) }

    /// Whether those who removed it knew of a record.
    private func isKnown(_ record: Int) -> Bool {
      (knownToOthers?.contains(record) ?? true) && (knownToItsKey?.contains(record) ?? true)
    }

    /// Whether what it signed counts, but for its leavings.
    fileprivate func allows(_ record: Int) -> Bool {
      isKnown(record) && (!isAsked || knownWhenLeaving?.contains(record) ?? true)
    }

    /// Whether one of its leavings counts. Its own recovery key need not know of that.
    fileprivate func allowsLeaving(_ record: Int) -> Bool { isAsked || isKnown(record) }

    /// Whether what its recovery key signed counts: only somebody more senior binds that.
    fileprivate func allowsRecovery(_ record: Int) -> Bool { knownToOthers?.contains(record) ?? true }

    /// Whether it is in by a merge. Whom somebody more senior has removed is in, and removed, whether that one knew of the merge or not.
    fileprivate func isIn(by merge: Int) -> Bool { isBoundByOthers || allows(merge) }
  }

  /// A removal by a device that is in, or by its recovery key.
  struct Effect {
    let record: Int
    /// The rank of the author.
    let rank: Int
    let removal: MembershipRecord.Removal
  }

  /// Ranks by the keys of devices. Of each root that is asked about there may be one: small numbers.
  struct KeyRanks {
    private let numbers: [PublicKey: Int]
    private var ranks: [Int32]

    fileprivate init(_ numbers: [PublicKey: Int]) {
      self.numbers = numbers
      ranks = Array(repeating: -1, count: numbers.count)
    }

    subscript(_ key: PublicKey) -> Int? { numbers[key].flatMap { self[number: $0] } }

    fileprivate subscript(number number: Int) -> Int? {
      get { ranks[number] >= 0 ? Int(ranks[number]) : nil }
      set { ranks[number] = newValue.map(Int32.init(clamping:)) ?? -1 }
    }
  }

  /// Where the most senior founding is in the set.
  let root: Int
  /// The records by which devices leave and that have no effect (``Membership/resolution(ofGroup:_:)``), or removals that are left out.
  let void: RecordSet

  /// The devices by seniority. Whoever has signed several foundings with one key has a place for each: what it let others in by with one of
  /// them, it cannot have count for nothing by the others.
  private(set) var places: [Place] = []
  /// Where a device stands first.
  private(set) var rankOfKey: KeyRanks
  /// The other places of devices that have several, by their foundings.
  private var laterRanks: [Int: Int] = [:]
  private let numberOfFounding: [Int?]
  /// What devices say by leaving, by the numbers of their keys: a thief can found hundreds with one, and leave hundreds of times.
  private var leavingsOfKeys: [Int: Leavings] = [:]
  /// The removals that would count if whom they remove is in, and below those whose recovery keys signed them. In no order that matters.
  private var removals: [Effect] = []
  /// All records that count.
  private(set) var counted = RecordSet()

  /// How many devices were placed to work this out, in all passes.
  var work = 0

  /// Merges whose host is placed, the first at the end.
  private var queue: [Int] = []
  /// Merges whose host is placed and whose group is not, by the group's founding.
  private var waiting: [Int: [Int]] = [:]
  /// The removals of others so far, and those by recovery keys, by the number of the key that they remove.
  private var bindings: [Int: [Effect]] = [:]

  init(root: Int, index: MembershipIndex, membership: Membership, without void: RecordSet = RecordSet()) {
    (self.root, self.void) = (root, void)
    rankOfKey = KeyRanks(index.numbers)
    numberOfFounding = index.numberOfFounding
    place(standing(root, index, membership), index, membership)
    empty(index, membership)
  }

  /// Goes on with one more merge, which the index has now and which comes after all that it had before, by depth and hash.
  mutating func take(_ merge: Int, _ index: MembershipIndex, _ membership: Membership) {
    // Whose host is not in yet is found among what the host did, once it is.
    guard let edge = index.merges[merge], let host = rank(ofFounding: edge.host),
      places[host].allows(merge)
    else { return }
    enqueue(merge, index, membership)
    empty(index, membership)
  }

  private mutating func empty(_ index: MembershipIndex, _ membership: Membership) {
    while let merge = queue.popLast() { consider(merge, index, membership) }
  }

  /// The rank that a device has by a founding.
  func rank(ofFounding founding: Int) -> Int? {
    // It may have come after all this was worked out.
    guard numberOfFounding.indices.contains(founding), let number = numberOfFounding[founding],
      let rank = rankOfKey[number: number]
    else { return nil }
    return places[rank].founding == founding ? rank : laterRanks[founding]
  }

  /// All ranks that a device has.
  func ranks(of key: PublicKey) -> [Int] {
    guard let first = rankOfKey[key] else { return [] }
    let number = numberOfFounding[places[first].founding]
    return [first] + laterRanks.filter { numberOfFounding[$0.key] == number }.map(\.value).sorted()
  }

  /// The rank of the first place of the device that has a rank.
  func firstRank(_ rank: Int) -> Int {
    numberOfFounding[places[rank].founding].flatMap { rankOfKey[number: $0] } ?? rank
  }

  /// The ranks of all devices, of each the first.
  var firstRanks: [Int] { places.indices.filter { laterRanks[places[$0].founding] == nil } }

  /// Where a device stands, if it is in the group or was.
  func place(of key: PublicKey) -> Place? { rankOfKey[key].map { places[$0] } }

  /// The foundings of a device and of those that it came in below, the device first.
  func path(of key: PublicKey) -> [Int] {
    var path: [Int] = []
    var rank = rankOfKey[key]
    while let current = rank {
      path.append(places[current].founding)
      rank = places[current].host
    }
    return path
  }

  /// The hosts that a device came in below, the nearest first, each with the merge by which it let that device in, or the next host.
  func way(to key: PublicKey) -> [(rank: Int, merge: Int)] {
    var way: [(rank: Int, merge: Int)] = []
    var rank = rankOfKey[key]
    while let current = rank, let host = places[current].host, let merge = places[current].merge {
      way.append((host, merge))
      rank = host
    }
    return way
  }

  /// Whether another group is part of this one. The merge that puts its first device here has to count in that group itself: once that
  /// device has left, a stranger who takes it in would stand above all who are there.
  func holds(_ other: Resolution) -> Bool {
    guard let rank = rank(ofFounding: other.root), let first = other.places.first else { return false }
    return places[rank].merge.map(first.allows) ?? true
  }

  /// The removals that count, in no order that matters.
  var effects: [Effect] { removals.filter { counted.contains($0.record) } }

  /// Whether a device that is not in would be removed already once another one lets it in.
  func isRemoved(_ key: PublicKey, letInBy host: Int) -> Bool {
    removals.contains { effect in
      effect.removal.target == key && concerns(effect.removal, by: effect.rank, below: host)
    }
  }

  /// Takes the joiner of a merge in, unless it is in already, or its own recovery key, and nobody more senior, removed it without knowing of
  /// the merge. Or it is of a group whose first device has left it, and came here by itself.
  private mutating func consider(_ merge: Int, _ index: MembershipIndex, _ membership: Membership) {
    guard let edge = index.merges[merge], let host = rank(ofFounding: edge.host),
      let group = rank(ofFounding: edge.group), places[group].behind?.contains(merge) != true,
      rank(ofFounding: edge.joiner) == nil
    else { return }
    let place = standing(edge.joiner, host: host, merge: merge, index, membership)
    guard place.isIn(by: merge) else { return }
    counted.insert(merge)
    self.place(place, index, membership)
  }

  /// Where a device would stand, bound by those who removed it and are senior to it.
  private mutating func standing(
    _ founding: Int, host: Int? = nil, merge: Int? = nil, _ index: MembershipIndex, _ membership: Membership
  ) -> Place {
    let number = index.numberOfFounding[founding]
    let others = number.flatMap { bindings[$0] } ?? []
    var above = host.map { places[$0].above } ?? RecordSet()
    if let host { above.insert(host) }
    // Most have neither left nor been removed, and there may be hundreds in each of hundreds of groups.
    let leavesOrIsRemoved = !(index.leavings[founding].isEmpty && index.ownRecoveries[founding].isEmpty)
    guard leavesOrIsRemoved || !others.isEmpty else {
      return Place(
        founding: founding, host: host, above: above, knownToOthers: nil, knownToItsKey: nil,
        knownWhenLeaving: nil,
        merge: merge, leavings: [], behind: nil, takenBack: .byNobody)
    }
    let removals = others.filter { concerns($0.removal, by: $0.rank, below: host) }.map(\.record)
    let knownToOthers = RecordSet.common(removals.map { membership.entries[$0].ancestors })
    // What its own recovery key had said before they removed it they say as well.
    let recoveries = index.ownRecoveries[founding].filter {
      !void.contains($0) && (knownToOthers?.contains($0) ?? true)
    }
    let takesBack = { (record: Int) in membership.entries[record].record.takesBackAll }
    // Whoever has its key may sign once more that it leaves, as if it had let nobody in: a removal by somebody senior puts that right.
    let leavings = leavings(of: founding, in: merge, index, membership)
    var knownWhenLeaving = leavings.known
    // Who leaves by another founding need not know how it came in by this one.
    if let merge { knownWhenLeaving?.formUnion(membership.ancestors(of: [merge])) }
    return Place(
      founding: founding, host: host, above: above, knownToOthers: knownToOthers,
      knownToItsKey: RecordSet.common(recoveries.map { membership.entries[$0].ancestors }),
      knownWhenLeaving: knownWhenLeaving, merge: merge,
      leavings: leavings.records, behind: merge.flatMap { left(of: founding, before: $0, index, membership) },
      takenBack: removals.contains(where: takesBack)
        ? .byOthers : recoveries.contains(where: takesBack) ? .byItsRecoveryKey : .byNobody)
  }

  /// What a device had left when it came in: all that it knew then. A stranger whom its disk, put back to before, had let it in would have
  /// taken along those who stay. Where its own recovery key has removed it that says who comes along: nobody by a merge that it knew of,
  /// where it did not know of the one by which the device came in.
  private func left(
    of founding: Int, before merge: Int, _ index: MembershipIndex, _ membership: Membership
  ) -> RecordSet? {
    let knows = { (record: Int) in membership.entries[record].ancestors.contains(merge) }
    let recoveries = index.ownRecoveries[founding]
    guard recoveries.isEmpty else {
      let unaware = recoveries.filter { !knows($0) }.map { membership.entries[$0].ancestors }
      return unaware.first.map { unaware.reduce(into: $0) { $0.formUnion($1) } }
    }
    return index.leavings[founding].contains(where: knows) ? nil : index.knownWhenLeaving[founding]
  }

  /// How a device leaves this group. A record that does not know of the merge by which the device came in is of another group, but where the
  /// device has left by another founding: only a dishonest one has several, and by one of them it could otherwise go on when all take it
  /// for gone. One of the first device that knows of nobody else is of nobody's.
  private mutating func leavings(
    of founding: Int, in merge: Int?, _ index: MembershipIndex, _ membership: Membership
  ) -> Leavings {
    let isSaid = { [void] (record: Int) in !void.contains(record) }
    guard let number = numberOfFounding[founding], !index.leavings[founding].isEmpty else {
      return Leavings()
    }
    guard let merge else {
      return Leavings(index.leavingsOfOthers[founding].filter(isSaid), membership)
    }
    let all = leavingsOfKeys[number] ?? Leavings(index.leavings[founding].filter(isSaid), membership)
    leavingsOfKeys[number] = all
    let own = index.ownLeavings[founding].filter(isSaid)
    guard own.count == all.records.count else { return all }
    return Leavings(own.filter { membership.entries[$0].ancestors.contains(merge) }, membership)
  }

  /// Whether a device is another, or came in below it.
  func isBelow(_ rank: Int?, _ other: Int) -> Bool {
    rank.map { $0 == other || places[$0].above.contains(other) } ?? false
  }

  /// Whether a device, in any of its places, is another, or came in below it.
  func isBelow(_ key: PublicKey, _ other: Int) -> Bool { ranks(of: key).contains { isBelow($0, other) } }

  /// Gives a device the next rank, and makes what it did count.
  private mutating func place(_ place: Place, _ index: MembershipIndex, _ membership: Membership) {
    let (rank, founding) = (places.count, place.founding)
    work += 1
    guard let number = index.numberOfFounding[founding] else { return }
    places.append(place)
    if rankOfKey[number: number] == nil {
      rankOfKey[number: number] = rank
    } else {
      laterRanks[founding] = rank
    }
    counted.insert(founding)
    for effect in bindings[number] ?? [] where concerns(effect.removal, by: effect.rank, below: rank) {
      counted.insert(effect.record)
    }
    for record in index.recoveries[founding] where place.allowsRecovery(record) && !void.contains(record) {
      remove(record, rank, index, membership)
    }
    // A leaving counts once, though it binds each of the device's places.
    for record in place.leavings where place.allowsLeaving(record) && !counted.contains(record) {
      remove(record, rank, index, membership)
    }
    for record in index.acts[founding] where place.allows(record) && !void.contains(record) {
      if index.merges[record] != nil {
        enqueue(record, index, membership)
      } else {
        remove(record, rank, index, membership)
      }
    }
    guard !waiting.isEmpty else { return }
    for merge in waiting.removeValue(forKey: founding) ?? [] { enqueue(merge, index, membership) }
  }

  private mutating func remove(
    _ record: Int, _ rank: Int, _ index: MembershipIndex, _ membership: Membership
  ) {
    guard case .remove(let removal) = membership.entries[record].record.body else {
      // Of a kind that this version does not know.
      counted.insert(record)
      return
    }
    let effect = Effect(record: record, rank: rank, removal: removal)
    removals.append(effect)
    guard let number = index.numbers[removal.target] else { return }
    // A device that leaves does not bind itself as others do: by another founding it says of itself what it likes.
    let isLeaving = !removal.isByRecoveryKey && numberOfFounding[places[rank].founding] == number
    if !isLeaving { bindings[number, default: []].append(effect) }
    // Whoever is not in is not removed either: what removes nobody is named by nobody, and ends with its author's removal.
    if isLeaving || concerns(removal, by: rank) { counted.insert(record) }
  }

  /// Whether a removal has an effect on whom it removes, if it counts.
  ///
  /// - Parameter author: the rank of who signed it, or whose recovery key did
  func concerns(_ removal: MembershipRecord.Removal, by author: Int) -> Bool {
    ranks(of: removal.target).contains { concerns(removal, by: author, below: $0) }
  }

  /// Whether a removal has an effect on a device: those by recovery keys on none but their own one and whom came in below it, and those of whom
  /// all was taken back on none but itself.
  ///
  /// - Parameter rank: of the device, or of the one that lets it in
  private func concerns(_ removal: MembershipRecord.Removal, by author: Int, below rank: Int?) -> Bool {
    let takenBack = places[author].takenBack
    let isTaken = removal.isByRecoveryKey ? takenBack == .byOthers : takenBack != .byNobody
    return (!removal.isByRecoveryKey || isBelow(rank, author))
      && (!isTaken || rankOfKey[removal.target] == firstRank(author))
  }

  /// Puts a merge in its turn: by depth, then by hash.
  private mutating func enqueue(_ merge: Int, _ index: MembershipIndex, _ membership: Membership) {
    guard let edge = index.merges[merge] else { return }
    guard rank(ofFounding: edge.group) != nil else {
      waiting[edge.group, default: []].append(merge)
      return
    }
    var low = 0
    var high = queue.count
    while low < high {
      let middle = (low + high) / 2
      if membership.precedes(merge, queue[middle]) { low = middle + 1 } else { high = middle }
    }
    queue.insert(merge, at: low)
  }
}
