import Foundation
import PeerSync

/// The machine's clock, by itself.
enum ClockChecks {
  /// What systemd-timesyncd, chrony and ntpd leave while they keep the clock.
  private static let services = [
    "/run/systemd/timesync/synchronized", "/run/chrony/chronyd.pid", "/run/chronyd.pid", "/run/ntpd.pid",
  ]

  static var machine: DoctorCommand.Check {
    guard !services.contains(where: FileSystem.exists) else {
      return .ok("clock", .clockKept)
    }
    return .warning("clock", .clockNotKept, .keepClock)
  }
}
