import Foundation
import PeerSync
import Testing

/// Debian's Chromium, and what drives it.
enum Browser {
  static let isPossible = ["/usr/bin/chromium", "/usr/bin/chromedriver"].allSatisfy {
    FileManager.default.isExecutableFile(atPath: $0)
  }
}

/// The pages in a real browser: see `scripts/browser`. Pictures for the documents are written into `PEERSYNC_PICTURES`.
@Suite(
  "Pages", .serialized, .pacedFirst, .noHang,
  .enabled(if: Browser.isPossible, "it takes Debian's packages chromium and chromium-driver"))
struct PagesTests {
  private let directory = try? TemporaryDirectory()

  /// Runs a script, and fails with what it says.
  private func run(_ script: String, _ arguments: [String]) async throws {
    let directory = try #require(directory)
    let python = try #require(
      try await Python.withLibrary(directory, package: "selenium"), "selenium cannot be had from PyPI")
    let report = directory.path + "/report.txt"
    try Data().write(to: URL(fileURLWithPath: report))
    let output = try #require(FileHandle(forWritingAtPath: report))
    let pictures = ProcessInfo.processInfo.environment["PEERSYNC_PICTURES"].map { [$0] } ?? []
    let status = try await Python.run(
      python, ["-B", Python.root + "/scripts/browser/" + script] + arguments + pictures, output: output)
    let said = try String(contentsOfFile: report, encoding: .utf8)
    #expect(status == 0, "\(said)")
  }

  @Test(
    "the nine months by clicking and by keyboard, what crossed, mistakes, approval, replay, both languages, removal"
  )
  func lab() async throws {
    struct Ready: Decodable {
      let url: String
    }
    let process = try Peerd.Lines(["lab", "--json"])
    let ready = try JSON.decode(Ready.self, from: Array(try await process.next().utf8))
    try await run("lab.py", [ready.url])
    kill(process.id, SIGTERM)
    #expect(try await process.end() == 0)
  }

  @Test("a device's page does what the device can, invites, and says when it was removed")
  func dashboard() async throws {
    try await run("dashboard.py", [Peerd.path, try #require(directory).path])
  }
}
