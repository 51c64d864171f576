import Foundation
import PeerSync
import PeerSyncControl

/// The stories that come with peerd: beside an installed one in `share/peerd/stories`, in a clone in `docs/stories`.
struct LabStories {
  /// Longest story that the page may open, in bytes.
  static let bytes = 65_536
  /// Most steps of a story that the page may open.
  static let stepsLimit = 2000
  /// Most stories that are listed.
  private static let limit = 1000

  /// A story to choose.
  struct Entry: Encodable, Sendable {
    /// The file's name without its ending.
    let name: String
    /// What it says of itself first.
    let title: String
  }

  /// A story, whole.
  struct Text: Encodable, Sendable {
    let name: String
    let story: String
  }

  /// Nil: none were installed.
  private let directory: String?

  init() {
    let home = ChildProcess.program.deletingLastPathComponent()
    let installed = home.deletingLastPathComponent().appendingPathComponent("share/peerd/stories").path
    var (places, above) = ([installed], home)
    // A program that was built in a clone lies a few directories below it.
    for _ in 0..<6 {
      above.deleteLastPathComponent()
      if FileManager.default.fileExists(atPath: above.appendingPathComponent("Package.swift").path) {
        places.append(above.appendingPathComponent("docs/stories").path)
      }
    }
    directory = places.first { FileManager.default.fileExists(atPath: $0) }
  }

  private var names: [String] {
    let files = directory.flatMap { try? FileManager.default.contentsOfDirectory(atPath: $0) } ?? []
    return Array(
      files.filter { $0.hasSuffix(".txt") }.map { String($0.dropLast(4)) }.sorted().prefix(Self.limit))
  }

  /// All of them.
  var entries: [Entry] {
    names.compactMap { name in
      story(name).map { story in
        let first = story.split(whereSeparator: \.isNewline).first { $0.hasPrefix("#") }
        return Entry(
          name: name, title: first.map { $0.drop { $0 == "#" || $0 == " " } }.map(String.init) ?? name)
      }
    }
  }

  /// - Throws: ``Problem`` where there is none of this name
  func text(_ name: String) throws(Problem) -> Text {
    guard names.contains(name), let story = story(name) else {
      throw Problem(
        .notFound,
        Phrase(
          "there is no story of this name: see GET /v1/lab/stories",
          "그런 이름의 스토리가 없습니다. GET /v1/lab/stories 경로를 보세요"))
    }
    return Text(name: name, story: story)
  }

  private func story(_ name: String) -> String? {
    guard let directory, let file = FileHandle(forReadingAtPath: "\(directory)/\(name).txt"),
      let content = try? file.read(upToCount: Self.bytes + 1), content.count <= Self.bytes
    else { return nil }
    return String(decoding: content, as: UTF8.self)
  }
}
