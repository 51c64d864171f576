import PeerSyncCore

/// What is known of all spending of credits in a simulation, whatever devices have forgotten.
///
/// From it follows what was spent and what can be spent at one moment, by devices that may know nothing of each other: together
/// never more than was bought (I4).
package struct CreditBooks {
  /// Tells the key of the device whose incarnation a replica is.
  package typealias Authors = (ReplicaID) -> PublicKey?

  private var books: [Name: Book] = [:]
  /// Whom each device took for removed when it last ran.
  private var removed: [Int: [Removal]] = [:]
  /// Every removal that anybody knew of. Whoever was set back may have forgotten it.
  private var known: [Removal] = []
  /// What was taken over although it was spent or somebody else's, by devices that could not know better.
  private var excused: [Name: Int64] = [:]
  /// The devices that are known to lie.
  private var distrusted: Set<PublicKey> = []
  /// Those who were removed with all that they had decided.
  private var takenBack: Set<PublicKey> = []
  /// The devices whose disks were set back, spoilt or copied.
  private var forgetful: Set<PublicKey> = []
  /// Who was a member where a device was first removed, by its key.
  private var insiders: [PublicKey: [PublicKey]] = [:]

  /// Devices that a person has given up: what they hold others may take over.
  private var lost: Set<Int> = []

  /// What is known of the spending of one credit.
  private struct Book {
    /// Where each replica's number stood, by the sequence of its write.
    var rows: [ReplicaID: [Row]] = [:]
    /// What each replica gave to another, in the same way.
    var gifts: [Gift: [Row]] = [:]
    /// What each device could spend at once when it last ran.
    var available: [Int: Int64] = [:]
    /// The spends that were acknowledged: by which device, and how many.
    var acknowledged: [String: (device: Int, amount: Int64)] = [:]
  }

  private typealias Row = (sequence: UInt64, total: Int64)

  /// The device of a key was removed; what it wrote counts up to the cuts.
  package typealias Removal = (key: PublicKey, cuts: VersionVector)

  /// From whom to whom rights moved.
  private struct Gift: Hashable {
    let giver: ReplicaID
    let receiver: ReplicaID
  }

  package init() {}

  // MARK: What happened

  /// Notes how the numbers of a replica grow when they become durable.
  package mutating func note(_ durable: Durable, by replica: ReplicaID) {
    for write in durable.writes.flatMap(\.writes) where write.dot.replica == replica {
      // Of all others, which are left out below, it is a date: those beyond the year 6429 do not fit.
      let row = (write.dot.sequence, Int64(clamping: write.stamp.rawValue))
      switch try? RegisterKey(decoding: write.key[...]) {
      case .creditRow(let credit, replica):
        books[Name(credit), default: Book()].rows[replica, default: []].append(row)
      case .creditTransfer(let credit, replica, let receiver):
        let gift = Gift(giver: replica, receiver: receiver)
        books[Name(credit), default: Book()].gifts[gift, default: []].append(row)
      default: continue
      }
    }
  }

  /// Notes what a device can spend of a credit from now on.
  package mutating func note(available: Int64, of credit: String, on device: Int) {
    books[Name(credit), default: Book()].available[device] = available
  }

  /// A device has stopped: until it runs again nobody knows whether what it was doing has reached its disk.
  package mutating func stopped(_ device: Int) {
    for credit in books.keys { books[credit]?.available[device] = 0 }
  }

  /// A device has stopped for good.
  package mutating func forget(_ device: Int) {
    for credit in books.keys { books[credit]?.available[device] = nil }
  }

  /// Notes whom a device takes for removed, and who are the members there.
  ///
  /// - Parameter takenBack: those who were removed with all that they had decided
  package mutating func note(
    _ removals: [Removal], takingBack takenBack: [PublicKey] = [], among members: [PublicKey], by device: Int
  ) {
    self.takenBack.formUnion(takenBack)
    removed[device] = removals
    for removal in removals where !known.contains(where: { $0 == removal }) { known.append(removal) }
    for removal in removals where insiders[removal.key] == nil { insiders[removal.key] = members }
  }

  /// Notes that a disk of a device is set back, spoilt or copied: what one of its lives knew another may not.
  package mutating func noteForgetting(_ key: PublicKey) { forgetful.insert(key) }

  /// Notes that so much was taken over although it was spent or somebody else's: whoever took it could not know better.
  package mutating func excuse(_ amount: Int64, of credit: String) {
    excused[Name(credit), default: 0] += amount
  }

  /// From now on nothing counts of what a device spends: it may spend its own rights twice.
  package mutating func distrust(_ key: PublicKey) { distrusted.insert(key) }

  /// Notes a spend that a device has acknowledged.
  ///
  /// - Returns: whether it is the first of that id
  package mutating func acknowledge(_ spending: Spending, by device: Int) -> Bool {
    let name = Name(spending.credit)
    guard books[name]?.acknowledged[spending.id] == nil else { return false }
    books[name, default: Book()].acknowledged[spending.id] = (device, spending.amount)
    return true
  }

  // MARK: What follows

  /// The spends that were acknowledged, sorted by their ids.
  package func acknowledged(of credit: String) -> [(device: Int, spending: Spending)] {
    let known = books[Name(credit)]?.acknowledged ?? [:]
    return known.sorted { $0.key < $1.key }.map { id, spend in
      (spend.device, Spending(credit: credit, amount: spend.amount, id: id))
    }
  }

  /// The keys of the devices that somebody has removed.
  package var outcasts: Set<PublicKey> { distrusted.union(removals.map(\.key)) }

  /// The removals that count here: of disks that were set back also those that everybody has forgotten since.
  private var removals: [Removal] { forgetful.isEmpty ? removed.values.flatMap(\.self) : known }

  /// What was taken over although it was spent or somebody else's, by devices that could not know better.
  package func excused(_ credit: String) -> Int64 { excused[Name(credit)] ?? 0 }

  /// Whether a disk of a device was set back, spoilt or copied.
  func isForgetful(_ key: PublicKey) -> Bool { forgetful.contains(key) }

  /// A person gives devices up.
  mutating func giveUp(_ devices: some Sequence<Int>) { lost.formUnion(devices) }

  /// What devices can spend now.
  ///
  /// - Parameter devices: those that do not count
  package func spendable(_ credit: String, without devices: Set<Int>) -> Int64 {
    let available = books[Name(credit)]?.available ?? [:]
    return available.filter { !devices.contains($0.key) && !lost.contains($0.key) }.values.reduce(0, +)
  }

  /// What was spent. Of a device that was removed nothing counts beyond its cut.
  package func spent(_ credit: String, _ authors: Authors) -> Int64 {
    let rows = books[Name(credit)]?.rows ?? [:]
    return rows.reduce(0) { $0 + Self.total($1.value, upTo: cut(of: $1.key, authors)) }
  }

  /// What devices that were removed gave, beyond their cuts, to whom those who removed them did not know: nobody could tell
  /// them in time, so that they may spend what others took over meanwhile. Where a removal may have been forgotten, to anybody.
  package func strayed(_ credit: String, _ authors: Authors) -> Int64 {
    let gifts = books[Name(credit)]?.gifts ?? [:]
    return gifts.reduce(0) { sum, gift in
      guard let cut = cut(of: gift.key.giver, authors), let giver = authors(gift.key.giver),
        let receiver = authors(gift.key.receiver),
        !forgetful.isEmpty || insiders[giver]?.contains(receiver) == false
      else { return sum }
      return sum + Self.total(gift.value, upTo: nil) - Self.total(gift.value, upTo: cut)
    }
  }

  /// Whether what a replica wrote counts, but for what a removal voids.
  func counts(_ dot: Dot, _ authors: Authors) -> Bool {
    cut(of: dot.replica, authors).map { dot.sequence <= $0 } ?? true
  }

  /// What those have spent who were removed with all that they had decided: where others lack it nobody pays it.
  package func charged(_ credit: String, _ authors: Authors) -> Int64 {
    guard !takenBack.isEmpty, let rows = books[Name(credit)]?.rows else { return 0 }
    return rows.reduce(0) { sum, row in
      guard let author = authors(row.key), takenBack.contains(author) else { return sum }
      return sum + Self.total(row.value, upTo: nil)
    }
  }

  /// The last write that counts of a replica whose device was removed; nil: all count.
  private func cut(of replica: ReplicaID, _ authors: Authors) -> UInt64? {
    let removals = removals
    guard !(removals.isEmpty && distrusted.isEmpty), let author = authors(replica) else { return nil }
    if distrusted.contains(author) { return 0 }
    return removals.filter { $0.key == author }.map { $0.cuts[replica] }.min()
  }

  private static func total(_ rows: [Row], upTo cut: UInt64?) -> Int64 {
    rows.last { $0.sequence <= cut ?? .max }?.total ?? 0
  }
}
