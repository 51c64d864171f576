/// The daemon works.
public struct HealthAnswer: Codable, Hashable, Sendable {
  /// `ok`.
  public let status: String
  /// The program's version.
  public let version: String

  package init(status: String, version: String) {
    self.status = status
    self.version = version
  }
}
