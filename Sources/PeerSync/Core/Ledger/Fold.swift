/// From the purchases of one line to the time they cover: rules 3.1 to 3.5 of docs/semantics.md.
///
/// Pure: the same purchases give the same runs on every device. Nothing here depends on the present.
public struct Fold: Equatable, Sendable {
  /// The coverage in order, each run half-open. Runs that cover nothing are left out.
  public let runs: [Run]
  /// When cover ends: the end of the last run, or an explicit date that covers nothing; nil when there never was any.
  public let expires: Instant?
  /// How each purchase counted, in the order given.
  public let steps: [Step]

  /// One purchase's part in the fold.
  public struct Step: Hashable, Sendable {
    /// How it counted.
    public let counted: Counted
    /// Where its run ended after it; nil when it counted for nothing.
    public let end: Instant?
  }

  /// Folds purchases, which must be in order (``Purchase/precedes(_:)``), on top of an explicit date if there is one.
  ///
  /// - Parameters:
  ///   - purchases: those of one line, in order.
  ///   - register: the expiration register of the line. With a date, its run is anchored there. It starts when the register
  ///     was written less ``Limits/clockDriftMilliseconds``, so that it has begun on every device that accepts the stamp,
  ///     or with the earliest purchase it covers of those given; a joining purchase older still moves the start back.
  ///   - writtenAt: the time of the register's stamp.
  public init(_ purchases: [Purchase], register: ExpirationRegister? = nil, writtenAt: Instant = .epoch) {
    var walk = Walk(purchases, register: register, writtenAt: writtenAt)
    for purchase in purchases { walk.take(purchase) }
    self = walk.finish()
  }

  fileprivate init(runs: [Run], expires: Instant?, steps: [Step]) {
    self.runs = runs
    self.expires = expires
    self.steps = steps
  }
}

/// One stretch of unbroken cover: `start <= t < end`.
public struct Run: Hashable, Sendable {
  /// The first instant covered.
  public let start: Instant
  /// The first instant no longer covered.
  public let end: Instant
  /// The references of the purchases it is made of, in the order in which they were counted.
  public let transactions: [String]

  /// Makes a run.
  public init(start: Instant, end: Instant, transactions: [String]) {
    self.start = start
    self.end = end
    self.transactions = transactions
  }

  /// Whether an instant is covered: rule 3.3.
  public func covers(_ instant: Instant) -> Bool { start <= instant && instant < end }
}

/// How a transaction counted.
public enum Counted: Hashable, Sendable {
  /// A new run began with it.
  case startedRun
  /// It prolonged the current run.
  case joinedRun
  /// After a partial refund it counted this many days.
  case prorated(days: Int)
  /// The store took it back.
  case revoked
  /// The line's explicit date stands in for it.
  case covered
  /// No catalogue says what it is, or how long it lasts.
  case unknownProduct
  /// Nobody vouches for it.
  case unverified
  /// It is of another environment or another app.
  case environmentMismatch
  /// It is kept for good.
  case owned
  /// It bought this many credits.
  case credits(Int64)
  /// It is an auto-renewable subscription until this instant.
  case subscription(until: Instant)
  /// An upgrade replaced it.
  case upgraded
}

/// The cursor of rule 3.2 and what it has left behind.
private struct Walk {
  private var runs: [Run] = []
  private var steps: [Fold.Step] = []
  private var current: OpenRun?
  private var covered: Set<Name> = []

  init(_ purchases: [Purchase], register: ExpirationRegister?, writtenAt: Instant) {
    steps.reserveCapacity(purchases.count)
    guard let register else { return }
    covered = Set(register.covers.map(Name.init))
    guard let expires = register.expires else { return }
    let earliest = purchases.first { covered.contains(Name($0.reference)) && $0.standing != .unverified }?
      .date
    let written = writtenAt.advanced(byMilliseconds: -Limits.clockDriftMilliseconds)
    current = OpenRun(start: min(earliest ?? written, written, expires), anchor: expires)
  }

  mutating func take(_ purchase: Purchase) {
    switch purchase.standing {
    case .unverified: pass(.unverified)
    case _ where !covered.isEmpty && covered.contains(Name(purchase.reference)): pass(.covered)
    case .unknownLength: pass(.unknownProduct)
    case .revoked: pass(.revoked)
    case .counts: extend(purchase, months: purchase.months, days: purchase.days, as: nil)
    case .prorated(let keeping):
      let days = purchase.proratedDays(keeping: keeping)
      extend(purchase, months: 0, days: days, as: .prorated(days: days))
    }
  }

  private mutating func pass(_ counted: Counted) { steps.append(Fold.Step(counted: counted, end: nil)) }

  private mutating func extend(_ purchase: Purchase, months: Int, days: Int, as counted: Counted?) {
    // A purchase of which a refund leaves nothing neither starts a run nor belongs to one.
    guard months > 0 || days > 0 else { return pass(counted ?? .revoked) }
    let joins = current.map { purchase.date < $0.end } ?? false
    if !joins {
      close()
      current = OpenRun(start: purchase.date, anchor: purchase.date)
    }
    current?.add(purchase, months: months, days: days)
    steps.append(Fold.Step(counted: counted ?? (joins ? .joinedRun : .startedRun), end: current?.end))
  }

  private mutating func close() {
    if let run = current?.closed { runs.append(run) }
  }

  consuming func finish() -> Fold {
    close()
    return Fold(runs: runs, expires: current?.end, steps: steps)
  }
}

/// The run that the cursor is in.
private struct OpenRun {
  private var start: Instant
  private let anchor: Instant
  private var months = 0
  private var days = 0
  private var transactions: [String] = []
  /// The cursor.
  private(set) var end: Instant

  init(start: Instant, anchor: Instant) {
    self.start = start
    self.anchor = anchor
    end = anchor
  }

  /// Adds to the sums and applies both once to the anchor, so that the order of purchases makes no difference.
  mutating func add(_ purchase: Purchase, months: Int, days: Int) {
    // Sums beyond the calendar end at its last day in any case; held there they cannot overflow.
    self.months = min(self.months + months, 9999 * 12)
    self.days = min(self.days + days, 9999 * 366)
    end = anchor.adding(months: self.months, days: self.days)
    start = min(start, purchase.date)
    transactions.append(purchase.reference)
  }

  var closed: Run? { start < end ? Run(start: start, end: end, transactions: transactions) : nil }
}
