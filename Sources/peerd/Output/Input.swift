import Foundation
import PeerSync
import PeerSyncControl

/// What a command reads. It may never end, as that of a device or of a pipe.
enum Input {
  /// Longest file that is read, in bytes: a longer one the daemon does not import either.
  private static let fileBytes = HTTPLimits.importBytes
  /// Longest line that somebody types, in bytes: the ids of a whole group fit.
  private static let lineBytes = 16 * 1024

  /// All of a file, or of standard input for `-`.
  static func read(_ file: String) throws -> Data {
    let handle = file == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: file)
    guard let content = try? handle?.read(upToCount: fileBytes + 1) else { throw Failure(.unreadable(file)) }
    guard content.count <= fileBytes else { throw Failure(.tooLong(file, mebibytes: fileBytes >> 20)) }
    return content
  }

  /// A line of standard input, without its end; nil where nothing comes. Only the beginning of one that is too long.
  static func line() -> String? {
    var bytes: [UInt8] = []
    while bytes.count < lineBytes {
      let next = getchar()
      guard next != EOF else {
        guard !bytes.isEmpty else { return nil }
        break
      }
      guard next != 0x0a else { break }
      bytes.append(UInt8(truncatingIfNeeded: next))
    }
    if bytes.last == 0x0d { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }
}
