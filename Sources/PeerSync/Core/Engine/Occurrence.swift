/// One thing that has happened to what a group knows: a purchase, a decision, somebody who came or was removed.
package struct Occurrence: Hashable, Sendable {
  /// What happened.
  package enum What: Hashable, Sendable {
    case bought(TransactionRecord)
    case refunded(TransactionRecord)
    case spent(CreditSpend, of: String)
    /// So much was taken over from devices that are lost. Where it is named it was by a device that never was a member: whose occurrence it is
    /// names it.
    case reclaimed(Int64, of: String, counts: Bool, isNamed: Bool = false)
    /// A grant, or its removal.
    case granted(entitlement: String, Grant)
    case dated(line: String, ExpirationRegister)
    case stated(Product)
    case set(key: String, value: [UInt8])
    case joined(MembershipGroup.Device)
    /// A device calls itself something else.
    case renamed(String)
    case removed(MembershipGroup.Device)
    /// A person said that the clock of this device is right.
    case accepted
  }

  /// When.
  package enum Time: Hashable, Sendable {
    /// As the store or the device that decided it says.
    case stated(Instant)
    /// Nobody says: this device had heard of it by then, and not an hour before.
    case learned(by: Instant)
    /// Nobody says, and it is not kept when this device heard of it; not before then, if that is known.
    case unknown(after: Instant?)
  }

  package let what: What
  package let time: Time
  /// The device that did it; nil: it is not known here.
  package let device: MembershipGroup.Device?
  /// Decides between what happened at one time.
  let order: [UInt8]

  init(_ what: What, _ time: Time, by device: MembershipGroup.Device?, order: [UInt8] = []) {
    self.what = what
    self.time = time
    self.device = device
    self.order = order
  }

  /// Where it stands among others.
  package var instant: Instant? {
    switch time {
    case .stated(let instant), .learned(let instant): instant
    case .unknown(let after): after
    }
  }

  /// The same, no later than now: the hour in which something was heard of may not be over.
  func heard(by now: Instant) -> Occurrence {
    guard case .learned(let end) = time, now < end else { return self }
    return Occurrence(what, .learned(by: now), by: device, order: order)
  }

  /// By time, then by what tells of it.
  func precedes(_ other: Occurrence) -> Bool {
    let (own, theirs) = (instant?.milliseconds ?? .min, other.instant?.milliseconds ?? .min)
    return own == theirs ? order.lexicographicallyPrecedes(other.order) : own < theirs
  }
}

/// The newest of many things that have happened, in no more room than those take.
struct NewestOccurrences {
  private var list: [Occurrence] = []
  private let limit: Int
  private let since: Instant?

  init(atMost limit: Int, since: Instant?) {
    self.limit = limit
    self.since = since
  }

  mutating func add(_ occurrence: Occurrence) {
    if let since, occurrence.instant.map({ $0 < since }) ?? true { return }
    list.append(occurrence)
    if list.count >= 2 * limit + 1024 { list = sorted }
  }

  /// The newest last.
  var sorted: [Occurrence] { Array(list.sorted { $0.precedes($1) }.suffix(limit)) }
}
