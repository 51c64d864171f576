import Foundation

/// `api.json` in a data directory: how programs find and may use the daemon that runs there.
package struct APIFile: Codable, Equatable, Sendable {
  package let url: String
  package let token: String
  package let pid: Int32

  package init(url: String, token: String, pid: Int32) {
    self.url = url
    self.token = token
    self.pid = pid
  }

  /// Where it lies in a data directory.
  package static func path(in directory: String) -> String { directory + "/api.json" }

  /// Nil when there is none, or not a whole one.
  package static func read(in directory: String) -> APIFile? {
    guard let data = FileManager.default.contents(atPath: path(in: directory)) else { return nil }
    return try? JSONDecoder().decode(APIFile.self, from: data)
  }

  /// Writes it, readable by its owner alone, in one step.
  package func write(in directory: String) throws {
    let path = APIFile.path(in: directory)
    let fresh = path + ".\(pid)"
    let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
    guard
      FileManager.default.createFile(
        atPath: fresh, contents: Data(JSON.encode(self)), attributes: attributes),
      rename(fresh, path) == 0
    else { throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: path]) }
  }

  /// Removes it when it still is this one.
  package func remove(in directory: String) {
    guard APIFile.read(in: directory) == self else { return }
    unlink(APIFile.path(in: directory))
  }

  /// A token nobody can guess: 256 random bits.
  package static func makeToken() -> String {
    (0..<4).map { _ in hexadecimal(UInt64.random(in: .min ... .max)) }.joined()
  }
}
