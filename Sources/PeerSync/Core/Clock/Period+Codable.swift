extension Period: Codable {
  /// Reads an ISO 8601 period, as ``Period/init(_:)`` does.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let period = Period(text) else {
      throw UnreadableText.period(text).error(at: container.codingPath)
    }
    self = period
  }

  /// Writes the period in its shortest usual form.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
