/// One transaction of a line, ready to be folded.
public struct Purchase: Hashable, Sendable {
  /// Whether it takes part, and with how much.
  public enum Standing: Hashable, Sendable {
    /// In full.
    case counts
    /// With a part of its days, in milliunits of the whole: 0 to 100,000, and held within them.
    case prorated(keeping: Int)
    /// Not at all: the store took it back.
    case revoked
    /// Not at all: nobody vouches for it.
    case unverified
    /// Not yet: no catalogue says how long it lasts.
    case unknownLength

    /// Whether it adds anything to its line.
    var takesPart: Bool {
      switch self {
      case .counts, .prorated: true
      case .revoked, .unverified, .unknownLength: false
      }
    }
  }

  /// The store's transaction id, by whose bytes purchases of one instant are ordered.
  public let id: String
  /// The device that recorded it, in the ``Environment/xcode`` environment.
  public let device: DeviceID?
  /// When it was bought.
  public let date: Instant
  /// The months of all its units.
  public let months: Int
  /// The days of all its units, besides the months.
  public let days: Int
  /// Whether it takes part.
  public let standing: Standing

  /// Makes a purchase of `quantity` units, held within 1 to ``Limits/quantity``.
  public init(
    id: String, device: DeviceID? = nil, date: Instant, period: Period?, quantity: Int = 1,
    standing: Standing = .counts
  ) {
    let quantity = min(max(quantity, 1), Limits.quantity)
    self.id = id
    self.device = device
    self.date = date
    // A period holds at most 1,200 months and 36,525 days, and a purchase 1,000 units.
    months = (period?.months ?? 0) * quantity
    days = (period?.days ?? 0) * quantity
    self.standing = period == nil && standing != .unverified ? .unknownLength : standing
  }

  init(_ transaction: Transaction, device: DeviceID?, period: Period?) {
    self.init(
      id: transaction.transactionId, device: transaction.environment == .xcode ? device : nil,
      date: transaction.purchaseDate, period: period, quantity: transaction.quantity,
      standing: Standing(transaction))
  }

  /// How runs, registers and grants name the transaction: the store's id, and where every device counts its own ids
  /// ``Environment/xcode``) the device behind an `@`.
  public var reference: String { device.map { "\(id)@\($0)" } ?? id }

  /// The order of the fold: by date, then by the bytes of the id, then by device (rule 3.1).
  public func precedes(_ other: Purchase) -> Bool {
    if date != other.date { return date < other.date }
    let (mine, theirs) = (Name(id), Name(other.id))
    if mine != theirs { return mine < theirs }
    guard let device, let otherDevice = other.device else { return device == nil && other.device != nil }
    return device < otherDevice
  }

  /// Rule 3.5: the part of its own period, counted from its own date in days and rounded down.
  func proratedDays(keeping milliunits: Int) -> Int {
    let end = date.adding(months: months, days: days)
    let length = (end.milliseconds - date.milliseconds) / Instant.dayMilliseconds
    return Int(length) * min(max(milliunits, 0), Transaction.wholeMilliunits) / Transaction.wholeMilliunits
  }
}

extension Purchase.Standing {
  /// What verification and refunds leave of a transaction.
  init(_ transaction: Transaction) {
    guard transaction.isAccepted else {
      self = .unverified
      return
    }
    switch transaction.refund {
    case .none: self = .counts
    case .prorated(let keeping): self = .prorated(keeping: keeping)
    case .full: self = .revoked
    }
  }
}
