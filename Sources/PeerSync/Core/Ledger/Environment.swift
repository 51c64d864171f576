/// Which store a purchase comes from. Environments never mix [B26].
public enum Environment: String, Hashable, Sendable, CaseIterable {
  /// The App Store, with money.
  case production = "production"
  /// Apple's sandbox, or peerd's own sandbox store.
  case sandbox = "sandbox"
  /// StoreKit testing in Xcode: every device counts its transaction ids from "0" [A3].
  case xcode = "xcode"

  /// Whether a purchase counts only with a signature of the store that was checked.
  public var requiresVerification: Bool { self == .production }

  /// The byte that stands for it in keys and values.
  var code: UInt8 {
    switch self {
    case .production: 1
    case .sandbox: 2
    case .xcode: 3
    }
  }

  init(code: UInt8) throws(WireError) {
    switch code {
    case 1: self = .production
    case 2: self = .sandbox
    case 3: self = .xcode
    default: throw .malformed
    }
  }
}
