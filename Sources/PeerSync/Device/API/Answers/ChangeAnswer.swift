/// One thing that has changed, as `GET /v1/events` and `peerd watch` tell it.
public struct ChangeAnswer: Codable, Hashable, Sendable {
  /// Counts the changes since the daemon started.
  public let revision: UInt64
  /// Names of the members of ``StatusAnswer`` that differ from the event before; all of them in the first.
  public let changed: [String]
  /// How things stand now.
  public internal(set) var status: StatusAnswer
}
