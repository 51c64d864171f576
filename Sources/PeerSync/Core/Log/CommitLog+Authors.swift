/// The incarnations that a log has met, and what is known of each as a whole.
extension CommitLog {
  /// The place of a replica; nil when its incarnation is not known.
  func number(of replica: ReplicaID) -> Int? { numbers[replica] }

  /// The place of an incarnation, which is known from then on; nil when there are too many, of its device or in all.
  mutating func number(of incarnation: Incarnation) -> Int? {
    let replica = incarnation.replica(cryptography)
    if let number = numbers[replica] { return number }
    guard hasRoom(forLifeOf: incarnation.key) else { return nil }
    let number = add(incarnation, replica)
    touched.append(.incarnation(number))
    return number
  }

  /// Whether one more incarnation of a device is taken: one device must not use up the room of the others.
  private func hasRoom(forLifeOf key: PublicKey) -> Bool {
    guard numbers.count < Limits.replicas else { return false }
    let lives = lives[key, default: 0]
    if lives < Limits.incarnationsAssured { return true }
    return lives < Limits.incarnations && numbers.count < Limits.replicas / 2
  }

  /// The devices of which another life would not be taken: see ``Limits/incarnations``.
  var outlived: Set<PublicKey> {
    Set(lives.filter { $0.value >= Limits.incarnationsAssured && !hasRoom(forLifeOf: $0.key) }.keys)
  }

  @discardableResult mutating func add(_ incarnation: Incarnation, _ replica: ReplicaID) -> Int {
    let author = Author(incarnation: incarnation, replica: replica)
    let number = free.popLast() ?? authors.count
    if number == authors.count { authors.append(author) } else { authors[number] = author }
    numbers[replica] = number
    lives[incarnation.key, default: 0] += 1
    version += 1
    return number
  }

  /// Forgets an incarnation of which nothing counts, with its proofs. Its place is free for another one.
  mutating func forget(_ replica: ReplicaID) {
    guard let author = numbers.removeValue(forKey: replica) else { return }
    for commit in commits(of: author, overlapping: 0...UInt64.max) { drop(author, commit) }
    authors[author].fork = nil
    touched.append(.forgotten(replica))
    lives[authors[author].incarnation.key, default: 0] -= 1
    freed.append(author)
    version += 1
  }

  /// The incarnations of devices that have had more than ``Limits/incarnationsAssured``.
  var abundant: [Incarnation] {
    guard lives.values.contains(where: { $0 > Limits.incarnationsAssured }) else { return [] }
    return incarnations.filter { lives[$0.key, default: 0] > Limits.incarnationsAssured }
  }

  /// The places of the incarnations that are known, in their order.
  var known: [Int] { authors.indices.filter { numbers[authors[$0].replica] == $0 } }

  func incarnation(_ author: Int) -> Incarnation { authors[author].incarnation }
  func replica(_ author: Int) -> ReplicaID { authors[author].replica }

  /// Every incarnation that is known, in the order in which they were met.
  var incarnations: [Incarnation] { known.map { authors[$0].incarnation } }

  /// How far a signed commit of the replica reaches; 0 when none is known.
  func reach(of replica: ReplicaID) -> UInt64 {
    numbers[replica].flatMap { authors[$0].commits.last?.last } ?? 0
  }

  /// The evidence that a replica was forked.
  func fork(of author: Int) -> Fork? { authors[author].fork }

  /// All evidence of forks, sorted by replica.
  var forks: [Fork] {
    authors.filter { $0.fork != nil }.sorted { $0.replica < $1.replica }.compactMap(\.fork)
  }

  /// Keeps evidence unless what is known of that author cuts as much.
  ///
  /// - Returns: whether it is new
  mutating func add(_ fork: Fork, of author: Int) -> Bool {
    if let known = authors[author].fork, known.cut <= fork.cut { return false }
    authors[author].fork = fork
    version += 1
    touched.append(.fork(author))
    return true
  }
}
