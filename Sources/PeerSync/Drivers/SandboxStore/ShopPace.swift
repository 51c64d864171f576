/// How the time of a sandbox store runs: `--time-rate`.
package enum ShopPace: Hashable, Sendable {
  /// With the wall clock, and periods as long as the scale says.
  case scale(ShopScale)
  /// Not by itself: `peerd store advance` sets the clock on.
  case manual

  /// Reads `real`, `sandbox`, `manual`, or by how much periods are shortened.
  package init?(_ text: String) {
    switch text {
    case "real": self = .scale(.real)
    case "sandbox": self = .scale(.sandbox)
    case "manual": self = .manual
    default:
      guard let times = Int64(text), (1...Limits.shopSpeed).contains(times) else { return nil }
      self = .scale(times == 1 ? .real : .faster(times))
    }
  }
}

/// By how much a clock is set on: months and days of the calendar, then milliseconds.
package struct ShopStep: Codable, Hashable, Sendable {
  package let months: Int
  package let days: Int
  package let milliseconds: Int64

  /// Nil for nothing, for less, and for more than ``Limits/periodMonths`` or as many days or milliseconds.
  package init?(months: Int, days: Int, milliseconds: Int64) {
    guard (0...Limits.periodMonths).contains(months), (0...Limits.periodDays).contains(days),
      (0...Int64(Limits.periodDays) * Instant.dayMilliseconds).contains(milliseconds),
      months > 0 || days > 0 || milliseconds > 0
    else { return nil }
    self.months = months
    self.days = days
    self.milliseconds = milliseconds
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let step = ShopStep(
      months: try container.decode(Int.self, forKey: .months),
      days: try container.decode(Int.self, forKey: .days),
      milliseconds: try container.decode(Int64.self, forKey: .milliseconds))
    guard let step else {
      throw DecodingError.dataCorruptedError(
        forKey: .months, in: container, debugDescription: "a clock is set on by up to a hundred years")
    }
    self = step
  }

  func end(from start: Instant) -> Instant {
    start.adding(months: months, days: days).advanced(byMilliseconds: milliseconds)
  }
}

extension Shop {
  mutating func set(_ pace: ShopPace) {
    switch pace {
    case .manual: setTerms { $0.isManual = true }
    case .scale(let scale): setTerms { ($0.isManual, $0.scale) = (false, scale) }
    }
  }
}
