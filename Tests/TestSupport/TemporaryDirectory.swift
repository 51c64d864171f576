import Foundation

/// A directory of its own for one test, gone with the value.
package final class TemporaryDirectory: Sendable {
  package let path: String

  package init() throws {
    var template = Array((NSTemporaryDirectory() + "/peersync-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else { throw CocoaError(.fileWriteUnknown) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Writes a file and returns its path.
  package func write(_ content: String, to name: String) throws -> String {
    let file = path + "/" + name
    try Data(content.utf8).write(to: URL(fileURLWithPath: file))
    return file
  }

  /// Copies what the files hold now, as a crash would leave them.
  package func crashImage() throws -> TemporaryDirectory {
    let copy = try TemporaryDirectory()
    for name in try FileManager.default.contentsOfDirectory(atPath: path) {
      try FileManager.default.copyItem(atPath: path + "/" + name, toPath: copy.path + "/" + name)
    }
    return copy
  }
}
