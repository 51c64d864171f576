import Foundation
import PeerSyncCore

/// Times for people: in the reader's zone, with the instant in UTC behind it.
package struct DateText: Sendable {
  private let zone: TimeZone

  package init(zone: TimeZone) { self.zone = zone }

  /// `2026-10-31 02:00:00 GMT+2 (2026-10-31T00:00:00Z)`; a dash for no time.
  package func callAsFunction(_ instant: Instant?) -> String {
    guard let instant else { return "–" }
    let seconds = Double(instant.milliseconds) / 1000
    let local = instant.advanced(
      byMilliseconds: Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: seconds))) * 1000)
    let digits = local.description.dropLast(5).replacing("T", with: " ")
    return "\(digits) \(name(at: seconds)) (\(instant.description.replacing(".000Z", with: "Z")))"
  }

  private func name(at seconds: Double) -> String {
    let date = Date(timeIntervalSince1970: seconds)
    return zone.abbreviation(for: date) ?? zone.identifier
  }
}
