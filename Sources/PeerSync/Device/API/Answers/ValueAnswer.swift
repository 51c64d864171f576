/// A small value that an app wants on all devices.
public struct ValueAnswer: Codable, Hashable, Sendable {
  /// Its name.
  public let key: String
  /// Any text.
  public let value: String
}
