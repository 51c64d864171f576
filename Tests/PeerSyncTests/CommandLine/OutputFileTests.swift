import Foundation
import PeerSync
import Testing
import peerd

@Suite("Files that commands write", .noHang)
struct OutputFileTests {
  private let home: TemporaryDirectory
  private let bytes = Array("a ledger".utf8)

  init() throws { home = try TemporaryDirectory() }

  private func content(_ name: String) throws -> String {
    try String(contentsOfFile: home.path + "/" + name, encoding: .utf8)
  }

  private func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: home.path + "/" + name))
  }

  @Test("a file is replaced for its owner alone, and nothing beside it is touched")
  func replaced() throws {
    let file = home.path + "/ledger.json"
    try write("older and longer than a ledger", to: "ledger.json")
    try write("the user's own", to: "ledger.json.new")
    chmod(file, 0o644)
    try Output.write(bytes, toFile: file)
    #expect(try content("ledger.json") == "a ledger")
    #expect(try content("ledger.json.new") == "the user's own")
    #expect(try FileManager.default.contentsOfDirectory(atPath: home.path).count == 2)
    var status = stat()
    #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600)
  }

  @Test("a link stays one: what it leads to is written, whether it was there or not")
  func links() throws {
    try FileManager.default.createDirectory(atPath: home.path + "/below", withIntermediateDirectories: false)
    try write("older", to: "below/ledger.json")
    for (link, target) in [
      ("first", "below/ledger.json"), ("second", "first"), ("third", home.path + "/below/new.json"),
    ] {
      symlink(target, home.path + "/" + link)
      try Output.write(bytes, toFile: home.path + "/" + link)
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: home.path + "/" + link) == target)
      #expect(try content(link) == "a ledger")
    }
    #expect(try content("below/ledger.json") == "a ledger" && content("below/new.json") == "a ledger")
  }

  @Test("a pipe is written into, and stays a pipe")
  func pipe() async throws {
    let path = home.path + "/pipe"
    #expect(mkfifo(path, 0o600) == 0)
    let bytes = bytes
    async let written: Void = onThread { try Output.write(bytes, toFile: path) }
    let read = try await onThread {
      try FileHandle(forReadingFrom: URL(fileURLWithPath: path)).readToEnd() ?? Data()
    }
    try await written
    #expect(Array(read) == bytes)
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
  }

  // On no device of the system: were it replaced after all, it would be so for everybody.
  @Test("what cannot be written is named with what to do")
  func refused() throws {
    for (file, reason) in [
      (home.path, "name a file in it"),
      (home.path + "/none/ledger.json", "check that its directory is there"),
    ] {
      let failure = #expect(throws: Failure.self) { try Output.write(bytes, toFile: file) }
      #expect(failure?.description.hasPrefix("\(file) cannot be written (") == true)
      #expect(failure?.description.contains(reason) == true, "\(failure?.description ?? "none")")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: home.path).isEmpty)
  }

  @Test("an error of standard output is passed on, and all that came before it has been written")
  func descriptors() throws {
    let full = open("/dev/full", O_WRONLY)
    defer { close(full) }
    #expect(Output.write(bytes, to: full) == ENOSPC)
    #expect(Output.write([], to: full) == 0)
    #expect(Output.write(bytes, to: -1) == EBADF)
  }
}
