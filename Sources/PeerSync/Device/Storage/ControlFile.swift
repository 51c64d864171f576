import Foundation

/// How a client on the same machine reaches a running daemon: `api.json` in its data directory.
package struct ControlFile: Codable, Hashable, Sendable {
  /// Where the control API listens, such as `http://127.0.0.1:7400`.
  package let url: String
  /// The bearer token of the control API.
  package let token: String
  /// The daemon's process id.
  package let pid: Int32

  /// What the file is called.
  static let name = "api.json"

  package init(url: String, token: String, pid: Int32 = getpid()) {
    self.url = url
    self.token = token
    self.pid = pid
  }
}

extension HeldDirectory {
  /// Tells clients about this daemon.
  package func write(_ file: ControlFile) throws(StorageError) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let json = try? encoder.encode(file) else {
      throw .failed(
        path: path, message: StorageReason(Phrase("its content cannot be encoded", "내용을 인코드할 수 없음")))
    }
    try replace(ControlFile.name, with: Array(json) + [0x0a])
  }

  /// Withdraws what ``write(_:)`` told.
  package func removeControlFile() { remove(ControlFile.name) }
}

extension DataDirectory {
  /// The daemon that runs here.
  ///
  /// - Throws: ``StorageError/notRunning(directory:)`` when there is none, or what is left of it is stale.
  package func readControlFile() throws(StorageError) -> ControlFile {
    guard let bytes = try FileSystem.read(control, limit: 4096) else { throw .notRunning(directory: path) }
    try FileSystem.requirePrivate(control)
    guard let file = try? JSONDecoder().decode(ControlFile.self, from: Data(bytes)), file.pid > 0,
      kill(file.pid, 0) == 0 || errno == EPERM
    else { throw .notRunning(directory: path) }
    return file
  }
}
