import Foundation

/// A directory that goes away with its last user.
final class TemporaryDirectory: Sendable {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.path + "/peerd-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Writes a file and returns its path.
  func write(_ content: String, to name: String) throws -> String {
    let file = path + "/" + name
    try Data(content.utf8).write(to: URL(fileURLWithPath: file))
    return file
  }
}
