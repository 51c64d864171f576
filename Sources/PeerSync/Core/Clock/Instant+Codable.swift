extension Instant: Codable {
  /// Reads a time of ISO 8601, as ``Instant/init(_:)`` does.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let instant = Instant(text) else {
      throw UnreadableText.instant(text).error(at: container.codingPath)
    }
    self = instant
  }

  /// Writes `2026-01-31T00:00:00.000Z`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
