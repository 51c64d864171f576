/// What a device knew, hour by hour: its version vector as it stood when each hour began.
///
/// A thief may stamp what it decides as it likes; when it was first heard of is this device's own to say. A mark is made when a
/// replica's entry changes for the first time in an hour, and says where the entry stood before. So it becomes durable together with
/// that change, whatever comes later in the hour costs nothing, and an idle device writes nothing.
///
/// Beside the replicas stand the membership records, with the hours in which they came.
///
/// There are at most ``Limits/vectorMarks`` of them. Beyond that the older half is made coarser. Of several marks of a replica one
/// is left then, at the last of their hours with the least of their sequences: what is read from it is never more than what was known.
package struct VectorHistory: Hashable, Sendable {
  /// A mark as it is kept.
  package struct Entry: Hashable, Sendable {
    /// Since 1970.
    package let hour: Int64
    /// ``VectorHistory/beginning``: nothing is known of what was before that hour.
    package let replica: ReplicaID
    /// Where the replica's entry stood when the hour began; nil: there is no such mark any more.
    package let sequence: UInt64?

    package init(hour: Int64, replica: ReplicaID, sequence: UInt64?) {
      self.hour = hour
      self.replica = replica
      self.sequence = sequence
    }
  }

  private struct Mark: Hashable {
    var hour: Int64
    var sequence: UInt64
  }

  /// Stands for the hour in which the history begins.
  package static let beginning = ReplicaID(high: 0, low: 0)

  /// By replica, in the order of their hours.
  private var marks: [ReplicaID: [Mark]] = [:]
  private var count = 0
  private var newest = Int64.min
  /// How far each replica was ever known.
  package private(set) var known = VersionVector()
  /// The hash of the vector that was noted last.
  private var noted: UInt64?
  /// ``Limits/vectorMarks``, less in tests.
  package var limit = Limits.vectorMarks

  /// Whether what was kept is lost: then nothing was known, for all that can be said, when the hour began in which it begins again.
  private let isAfterLoss: Bool

  package init(afterLoss isAfterLoss: Bool = false) { self.isAfterLoss = isAfterLoss }

  // MARK: Asking

  /// When the history begins; nil: there is none yet.
  package var begin: Instant? {
    marks[Self.beginning]?.first.map { Instant(clamping: $0.hour * Self.hourMilliseconds) }
  }

  /// Whether it tells what was known at a time.
  package func reaches(_ time: Instant) -> Bool {
    marks[Self.beginning]?.first.map { $0.hour <= Self.hour(of: time) } ?? false
  }

  /// How far a replica was known when the hour of a time began; nil: as far as it is known now.
  package func sequence(of replica: ReplicaID, at time: Instant) -> UInt64? {
    guard let marks = marks[replica] else { return nil }
    let index = marks.partitionPoint { $0.hour >= Self.hour(of: time) }
    return index < marks.count ? marks[index].sequence : nil
  }

  /// The hour in which a write was first heard of, as far as that is kept: when it began.
  package func hour(of dot: Dot) -> Instant? {
    guard let marks = marks[dot.replica] else { return nil }
    let later = marks.partitionPoint { $0.sequence >= dot.sequence }
    return later > 0 ? Instant(clamping: marks[later - 1].hour * Self.hourMilliseconds) : nil
  }

  /// By when a write had been heard of, as far as that is kept: the end of its hour.
  package func heard(_ dot: Dot) -> Instant? {
    hour(of: dot)?.advanced(byMilliseconds: Self.hourMilliseconds)
  }

  /// By when a membership record had come, as far as that is kept: the end of its hour.
  package func heard(_ record: ContentHash) -> Instant? {
    heard(Dot(replica: Self.name(of: record), sequence: 1))
  }

  /// All that is kept, sorted.
  package var entries: [Entry] {
    marks.flatMap { replica, marks in
      marks.map { Entry(hour: $0.hour, replica: replica, sequence: $0.sequence) }
    }.sorted { ($0.hour, $0.replica) < ($1.hour, $1.replica) }
  }

  private static let hourMilliseconds: Int64 = 3_600_000

  private static func hour(of time: Instant) -> Int64 {
    let (hours, rest) = time.milliseconds.quotientAndRemainder(dividingBy: hourMilliseconds)
    return rest < 0 ? hours - 1 : hours
  }

  // MARK: Keeping

  /// Takes in what was kept, or what ``note(_:hash:at:)`` says to keep.
  package mutating func apply(_ entries: [Entry]) { for entry in entries { set(entry) } }

  /// Goes on from what a disk has kept.
  ///
  /// - Parameter vector: how far each replica is known now
  package mutating func resume(knowing vector: VersionVector) {
    newest = marks.values.compactMap { $0.last?.hour }.max() ?? .min
    known = vector
    // The claims of a damaged device were given up, and what it knew comes again.
    for (replica, marks) in marks { known.advance(replica, to: marks.last?.sequence ?? 0) }
  }

  /// Takes note of what is known now.
  ///
  /// - Parameters:
  ///   - hash: of the vector: one that was noted is not looked at again
  ///   - now: trusted now. When it has fallen, whatever was noted under later hours was known by now
  /// - Returns: what has to become durable
  package mutating func note(_ vector: VersionVector, hash: UInt64, at now: Instant) -> [Entry] {
    guard hash != noted else { return [] }
    noted = hash
    let hour = Self.hour(of: now)
    guard newest > .min else { return begin(vector, at: hour) }
    var changes = newest > hour ? fall(to: hour) : []
    for entry in vector.entries {
      let before = known[entry.replica]
      guard entry.sequence > before else { continue }
      known.advance(entry.replica, to: entry.sequence)
      if marks[entry.replica]?.last?.hour == hour { continue }
      change(Entry(hour: hour, replica: entry.replica, sequence: before), &changes)
    }
    if count > limit { thin(vector, &changes) }
    return changes
  }

  /// Takes note that a membership record has come: it stands beside the replicas, under its own name.
  ///
  /// - Returns: what has to become durable
  package mutating func note(_ record: ContentHash, at now: Instant) -> [Entry] {
    let entry = Entry(hour: Self.hour(of: now), replica: Self.name(of: record), sequence: 0)
    // Where nothing began yet, nobody will ask when that was.
    guard newest > .min, marks[entry.replica] == nil else { return [] }
    set(entry)
    return [entry]
  }

  private static func name(of record: ContentHash) -> ReplicaID {
    ReplicaID(high: record.words.0, low: record.words.1)
  }

  private mutating func begin(_ vector: VersionVector, at hour: Int64) -> [Entry] {
    var changes: [Entry] = []
    change(Entry(hour: hour, replica: Self.beginning, sequence: 0), &changes)
    for entry in vector.entries {
      let sequence = isAfterLoss ? 0 : entry.sequence
      change(Entry(hour: hour, replica: entry.replica, sequence: sequence), &changes)
    }
    known = vector
    return changes
  }

  private mutating func change(_ entry: Entry, _ changes: inout [Entry]) {
    set(entry)
    changes.append(entry)
  }

  private mutating func set(_ entry: Entry) {
    var marks = self.marks[entry.replica] ?? []
    let index = marks.partitionPoint { $0.hour >= entry.hour }
    let isKnown = index < marks.count && marks[index].hour == entry.hour
    switch (entry.sequence, isKnown) {
    case (let sequence?, true): marks[index].sequence = sequence
    case (let sequence?, false):
      marks.insert(Mark(hour: entry.hour, sequence: sequence), at: index)
      count += 1
      newest = max(newest, entry.hour)
    case (nil, true):
      marks.remove(at: index)
      count -= 1
    case (nil, false): break
    }
    self.marks[entry.replica] = marks.isEmpty ? nil : marks
  }

  // MARK: Making room

  private mutating func fall(to hour: Int64) -> [Entry] {
    var changes: [Entry] = []
    for replica in marks.keys.sorted() {
      merge(marksOf: replica, { $0 >= hour ? 0 : nil }, at: hour, &changes)
    }
    newest = hour
    return changes
  }

  private mutating func thin(_ vector: VersionVector, _ changes: inout [Entry]) {
    // Of replicas that are not known any more there is nothing to count.
    for replica in marks.keys.sorted() where replica != Self.beginning && vector[replica] == 0 {
      for mark in marks[replica] ?? [] {
        change(Entry(hour: mark.hour, replica: replica, sequence: nil), &changes)
      }
    }
    // Should one come back, it counts from its beginning.
    known = VersionVector(known.entries.filter { marks[$0.replica] != nil || vector[$0.replica] > 0 })
    let hours = marks.values.flatMap { $0.map(\.hour) }.sorted()
    let middle = hours[hours.count / 2]
    for step: Int64 in [24, 7 * 24, 28 * 24, .max] where count > limit / 4 * 3 {
      for replica in marks.keys.sorted() {
        merge(marksOf: replica, { $0 < middle ? $0 / step : nil }, &changes)
      }
    }
  }

  /// Makes one mark of those that belong together.
  ///
  /// - Parameters:
  ///   - part: what belongs together; nil: what stays as it is
  ///   - hour: the hour of the one that is left; nil: the last of theirs
  private mutating func merge(
    marksOf replica: ReplicaID, _ part: (Int64) -> Int64?, at hour: Int64? = nil, _ changes: inout [Entry]
  ) {
    var groups: [(part: Int64, marks: [Mark])] = []
    for mark in marks[replica] ?? [] {
      guard let part = part(mark.hour) else { continue }
      if groups.last?.part != part { groups.append((part, [])) }
      groups[groups.count - 1].marks.append(mark)
    }
    for group in groups {
      guard let first = group.marks.first, let last = group.marks.last else { continue }
      let left = Entry(hour: hour ?? last.hour, replica: replica, sequence: first.sequence)
      guard group.marks.count > 1 || last.hour != left.hour else { continue }
      for mark in group.marks where mark.hour != left.hour {
        change(Entry(hour: mark.hour, replica: replica, sequence: nil), &changes)
      }
      change(left, &changes)
    }
  }
}
