/// A device that was removed from the group.
public struct RemovedDeviceAnswer: Codable, Hashable, Sendable {
  /// Four groups of seven characters.
  public let id: String
  /// What people called it.
  public let name: String
}
