/// An offer with which a period of a subscription was, or will be, bought: Apple's `offerType`, `offerIdentifier` and
/// `offerDiscountType`.
public struct StoreOffer: Hashable, Sendable {
  /// Where an offer comes from.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// For new subscribers.
    case introductory = "introductory"
    /// For those the app chooses.
    case promotional = "promotional"
    /// By a code.
    case code = "code"
    /// For those who have left.
    case winBack = "winBack"
    /// One that this version does not know.
    case other = "other"

    /// Apple's `offerType`; 0 for what this version does not know.
    package var code: Int {
      switch self {
      case .introductory: 1
      case .promotional: 2
      case .code: 3
      case .winBack: 4
      case .other: 0
      }
    }
  }

  /// How an offer is paid.
  public enum Payment: String, Hashable, Sendable, CaseIterable {
    /// Not at all.
    case freeTrial = "FREE_TRIAL"
    /// Less for some periods.
    case payAsYouGo = "PAY_AS_YOU_GO"
    /// One price for a longer time.
    case payUpFront = "PAY_UP_FRONT"
    /// Once.
    case oneTime = "ONE_TIME"
  }

  /// Apple's code: 1 introductory, 2 promotional, 3 by a code, 4 win-back; 0 to 255.
  public var code: Int
  /// The app's name of it.
  public var id: String?
  /// How it is paid; nil when the store does not say, or in a word that this version does not know.
  public var payment: Payment?

  /// Makes an offer.
  public init(code: Int, id: String? = nil, payment: Payment? = nil) {
    self.code = code
    self.id = id
    self.payment = payment
  }

  /// Where it comes from.
  public var kind: Kind { Kind.allCases.first { $0.code == code } ?? .other }
}

extension StoreOffer {
  /// Reads the fields of an offer; nil when there is none.
  init?(_ fields: PayloadFields) throws(JWSRejection) {
    let id = try fields.text("offerIdentifier")
    let payment = try fields.text("offerDiscountType").flatMap(Payment.init(rawValue:))
    guard let code = try fields.integer("offerType", in: 0...255) else { return nil }
    self.init(code: Int(code), id: id, payment: payment)
  }

  package func write(to object: inout JSONObjectWriter) {
    object.write("offerType", Int64(code))
    object.write("offerIdentifier", id)
    object.write("offerDiscountType", payment?.rawValue)
  }
}
