import Foundation
import PeerSync

/// What is kept of a laboratory, to go on with it: `lab.json` beside the directories of devices and store.
struct PersistedLab: Codable, Sendable {
  /// A line that was played.
  struct Line: Codable, Sendable {
    let text: String
    let answers: [LabAnswer]
  }

  /// A device, by its number.
  struct Device: Codable, Sendable {
    let recoveryKey: String?
    let id: String?
  }

  static let version = 1

  var version = PersistedLab.version
  /// Whether it was opened: all lines that it begins with are played.
  var isOpen = false
  var lines: [Line] = []
  var devices: [Device] = []
  /// The time of the laboratory when this was written; it stands still until it goes on.
  var now: Instant = .epoch
}

/// The directory of a laboratory that stays. Nobody else uses it while this lives.
final class LabDirectory: Sendable {
  let path: String
  /// What is there to go on with; nil: the laboratory is new.
  let kept: PersistedLab?
  private let lock: LockFile

  private var file: String { path + "/lab.json" }

  /// Takes a directory, which holds a laboratory, is empty or is made.
  ///
  /// - Throws: `Failure` for a directory that holds something else, `StorageError` for one that is in use or cannot be used
  init(_ path: String) throws {
    let path = URL(fileURLWithPath: path).standardizedFileURL.path
    self.path = path
    let file = path + "/lab.json"
    var isDirectory: ObjCBool = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) {
      let isOwn = FileManager.default.fileExists(atPath: file)
      let content = isDirectory.boolValue ? try FileManager.default.contentsOfDirectory(atPath: path) : [path]
      guard isOwn || content.allSatisfy({ $0 == "lock" }) else {
        throw Failure(
          Phrase(
            "\(path) holds something else than a laboratory: name a new directory, or an empty one, with --data",
            "\(path)에는 실험실이 아닌 것이 있습니다. --data 옵션으로 새 디렉터리나 빈 디렉터리를 지정하세요"))
      }
    }
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    lock = try LockFile(path: path + "/lock", directory: path)
    kept = try LabDirectory.read(file)
    if kept == nil { try clear() }
  }

  /// What was kept; nil without anything, and of a laboratory that never was opened.
  private static func read(_ file: String) throws -> PersistedLab? {
    guard let data = FileManager.default.contents(atPath: file) else { return nil }
    guard let kept = try? JSON.decode(PersistedLab.self, from: Array(data)) else {
      throw Failure(
        Phrase(
          "\(file) cannot be read, so that this laboratory cannot go on: delete its directory, or name another one with --data",
          "\(file) 파일을 읽을 수 없어 이 실험실을 이어 갈 수 없습니다. 디렉터리를 지우거나 --data 옵션으로 다른 디렉터리를 지정하세요"))
    }
    guard kept.version == PersistedLab.version else {
      throw Failure(
        Phrase(
          "\(file) is of another version of peerd: go on with that one, or name another directory with --data",
          "\(file) 파일은 다른 버전의 peerd가 만들었습니다. 그 버전을 쓰거나 --data 옵션으로 다른 디렉터리를 지정하세요"))
    }
    return kept.isOpen ? kept : nil
  }

  /// Takes away what a laboratory left that never was opened, and says whose directory it is.
  private func clear() throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: path) where name != "lock" {
      try FileManager.default.removeItem(atPath: "\(path)/\(name)")
    }
    try keep(PersistedLab())
  }

  /// Writes down how things are. Either all of it is there afterwards, or what was before. It holds the devices' recovery keys, and is for
  /// its owner alone.
  func keep(_ kept: PersistedLab) throws {
    try FileSystem.replace(file, with: JSON.encode(kept))
  }
}
