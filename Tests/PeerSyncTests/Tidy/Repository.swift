import Foundation

/// One file of the repository, read, and taken apart once for all rules.
struct TidyFile: Sendable {
  /// From the root, with slashes.
  let path: String
  let text: String
  /// The lines, without their line feeds.
  let lines: [Substring]
  /// A Swift file without comments and strings; of another file, all of it.
  let code: SwiftCode

  init(path: String, text: String) {
    self.path = path
    self.text = text
    lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    code = SwiftCode(text, isSwift: path.hasSuffix(".swift"))
  }

  /// Whether a text stands anywhere in it: sooner told than of each line.
  func contains(_ part: String) -> Bool { strstr(text, part) != nil }

  var isSwift: Bool { path.hasSuffix(".swift") }
  var isMarkdown: Bool { path.hasSuffix(".md") }
  var isSource: Bool { isSwift && path.hasPrefix("Sources/") }
  /// The modules that a file of the part that touches nothing of the system may import; nil: it is of another part.
  var pureImports: [String]? {
    if path.hasPrefix("Sources/PeerSync/Core/") { return [] }
    if path.hasPrefix("Sources/PeerSync/Sandbox/Model/") { return ["PeerSyncCore"] }
    return path.hasPrefix("Sources/PeerSync/Simulation/") ? ["PeerSyncCore", "PeerSyncSandbox"] : nil
  }
}

/// Something that breaks a rule of the house.
struct Finding: Hashable, CustomStringConvertible {
  let path: String
  /// From 1; 0: the file as a whole.
  let line: Int
  let problem: String

  var description: String { "\(path):\(line): \(problem)" }
}

/// The text files of this repository.
struct Repository: Sendable {
  /// The repository that this file lies in, read once for all tests.
  static let whole = Result { try Repository() }

  let root: URL
  let files: [TidyFile]

  private init() throws {
    let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    self.root = root
    var paths = try FileManager.default.contentsOfDirectory(atPath: root.path).filter {
      !Self.isDirectory(root, $0)
    }
    for folder in Self.folders { paths += Self.paths(below: folder, in: root) }
    files = paths.sorted().compactMap { path in
      guard Self.isText(path), let text = try? String(contentsOf: root.appending(path: path), encoding: .utf8)
      else { return nil }
      return TidyFile(path: path, text: text)
    }
  }

  /// Whether there is a file or folder of that path.
  func contains(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: root.appending(path: path).path)
  }

  /// The text of one file; empty when there is none.
  func text(_ path: String) -> String { files.first { $0.path == path }?.text ?? "" }

  /// The documentation that users and contributors read, one text behind another.
  var documentation: String { files.filter(\.isMarkdown).map(\.text).joined(separator: "\n") }

  private static let folders = [
    "Sources", "Tests", "Fuzz", "docs", "scripts", "examples", "packaging", ".ci",
  ]
  private static let endings: Set = [
    "swift", "md", "sh", "json", "txt", "yml", "h", "modulemap", "hex", "svg", "storekit", "html", "js",
    "css", "py",
    "service", "socket", "sysusers", "tmpfiles",
  ]
  private static let names: Set = [
    "Makefile", "LICENSE", "run", ".swift-format", ".gitignore", "control", "postinst", "postrm", "prerm",
  ]

  private static func isText(_ path: String) -> Bool {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    return names.contains(name) || endings.contains(name.split(separator: ".").last.map(String.init) ?? "")
  }

  private static func isDirectory(_ root: URL, _ path: String) -> Bool {
    var isDirectory: ObjCBool = false
    return FileManager.default.fileExists(atPath: root.appending(path: path).path, isDirectory: &isDirectory)
      && isDirectory.boolValue
  }

  private static func paths(below folder: String, in root: URL) -> [String] {
    let names = FileManager.default.enumerator(atPath: root.appending(path: folder).path)
    return (names?.compactMap { $0 as? String } ?? []).map { "\(folder)/\($0)" }.filter {
      !isDirectory(root, $0)
    }
  }
}
