/// Which store a purchase comes from. Environments never mix: a sandbox purchase grants nothing in production.
public enum Environment: String, Sendable, CaseIterable {
  /// The App Store that takes money.
  case production
  /// The test store.
  case sandbox
  /// A local store of one device, which numbers its transactions from "0" (`Xcode`, `LocalTesting`).
  case xcode
}
