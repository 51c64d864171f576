#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Tells whether a data directory is where the daemon left it.
///
/// A small file beside the database holds a number that is drawn when the device is made, and with each incarnation that a
/// start begins. The database remembers the number, the machine, and where the system keeps the file and when it was last
/// changed: what no copy and no backup brings back alike. A directory that was copied, or restored in whole or in part,
/// does not match what its database remembers. (A snapshot of a whole disk or machine does; that is noticed when a peer
/// knows more of this device's writes than it does itself.)
package struct HostMarker: Hashable, Sendable {
  /// The machine's own id; empty where there is none.
  package let machine: String
  /// Number of the disk that the file lies on.
  package let disk: UInt64
  /// Number of the file on it.
  package let file: UInt64
  /// When the file last changed in any way, in nanoseconds since 1970. No program can set it.
  package let changed: Int64
  /// What the file holds: the number drawn at the last start.
  package let number: UInt64

  /// The marker as text, to be remembered.
  package var text: String { "\(machine) \(disk) \(file) \(changed) \(hexadecimal(number))" }
}

extension DataDirectory {
  private var marker: String { path + "/host" }

  /// The marker as it is now; nil when the file is missing or holds something else.
  package func readHostMarker() throws(StorageError) -> HostMarker? {
    guard let bytes = try FileSystem.read(marker, limit: 64),
      let number = UInt64(String(decoding: bytes, as: UTF8.self), radix: 16)
    else { return nil }
    var status = stat()
    guard stat(marker, &status) == 0 else { throw FileSystem.error(marker) }
    return HostMarker(
      machine: Self.machine, disk: UInt64(status.st_dev), file: UInt64(status.st_ino),
      changed: status.changedNanoseconds, number: number)
  }

  /// Draws a new number and returns the marker that the directory has from now on.
  package func renewHostMarker() throws(StorageError) -> HostMarker {
    try FileSystem.replace(marker, with: Array(hexadecimal(UInt64.random(in: .min ... .max)).utf8))
    guard let renewed = try readHostMarker() else {
      throw .denied(path: marker, message: StorageReason(Phrase("it cannot be read back", "다시 읽을 수 없음")))
    }
    return renewed
  }

  private static var machine: String {
    let bytes = (try? FileSystem.read("/etc/machine-id", limit: 64)) ?? nil
    return String(decoding: bytes ?? [], as: UTF8.self).filter(\.isHexDigit)
  }
}

extension stat {
  fileprivate var changedNanoseconds: Int64 {
    #if canImport(Glibc)
      let time = st_ctim
    #else
      let time = st_ctimespec
    #endif
    // Wraps around after the year 2262, which tells two times apart as well.
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}
