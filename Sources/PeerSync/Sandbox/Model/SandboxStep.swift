import PeerSyncCore

/// By how much a clock is set on: months and days of the calendar, then milliseconds.
package struct SandboxStep: Codable, Hashable, Sendable {
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
    let step = SandboxStep(
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

extension SandboxStore {
  /// Sets the clock on, and lets everything happen that is due by then. Where that is too much, nothing happens.
  package mutating func advance(by step: SandboxStep) throws(SandboxRefusal) {
    var ahead = self
    try ahead.advance(to: step.end(from: time))
    ahead.setClockOn(from: time, to: ahead.time)
    self = ahead
  }
}
