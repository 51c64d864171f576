/// What an import did.
public struct ImportAnswer: Codable, Hashable, Sendable {
  /// Registers of the file that were looked at.
  public let registers: Int
  /// Registers of the file that only devices of its group may write: what each has spent and given of its credits.
  public let skipped: Int
  /// Registers that are new here or newer than what was here.
  public let changed: Int
}
