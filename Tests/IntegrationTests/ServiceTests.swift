import Foundation
import PeerSync
import Testing

/// What systemd does with a service: a socket to be told at, and a journal on standard error.
@Suite("As a service", .paced, .noHang)
struct ServiceTests {
  @Test("whoever asked is told that it is ready and that it stops")
  func notified() async throws {
    let device = try await PeerdProcess()
    let directory = try TemporaryDirectory()
    for isAbstract in [false, true] {
      let name = (isAbstract ? "@peersync-\(getpid())" : directory.path) + "/notify"
      let manager = try Manager(at: name)
      let daemon = try Peerd.Lines(
        ["run", "--data", device.data, "--json", "--listen", "none"], environment: ["NOTIFY_SOCKET": name])
      let ready = try await manager.next()
      #expect(ready.hasPrefix("READY=1\nSTATUS=not listening for peers, control API on http://127.0.0.1:"))
      kill(daemon.id, SIGTERM)
      #expect(try await manager.next() == "STOPPING=1")
      #expect(try await daemon.end() == 0)
    }
  }

  @Test("what its journal keeps has priorities, and no time; what goes elsewhere has its time")
  func journal() async throws {
    let device = try await PeerdProcess()
    // What it goes on with is something to log.
    try await device.start(options: ["--account", "ann"])
    try await device.stop()
    let directory = try TemporaryDirectory()
    for isKept in [true, false] {
      let path = directory.path + "/journal-\(isKept)"
      _ = FileManager.default.createFile(atPath: path, contents: nil)
      let facts = try FileManager.default.attributesOfItem(atPath: path)
      let number = try #require(facts[.systemFileNumber] as? NSNumber)
      let disk = try #require(facts[.systemNumber] as? NSNumber)
      let command = "exec \"$0\" run --data \"$1\" --listen none 2>\"$2\""
      let daemon = try Peerd.Lines(
        script: command, [Peerd.path, device.data, path],
        environment: isKept ? ["JOURNAL_STREAM": "\(disk):\(number)"] : ["JOURNAL_STREAM": "1:1"])
      try await daemon.skip(to: "ready")
      kill(daemon.id, SIGTERM)
      #expect(try await daemon.end() == 0)
      let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
      let isPlain = lines.allSatisfy { $0.prefixMatch(of: #/<[3467]>[^0-9]/#) != nil }
      #expect(!lines.isEmpty && isPlain == isKept, "\(lines)")
    }
  }
}

/// A socket that hears what a service says of itself.
private final class Manager: Sendable {
  private let socket: Int32

  init(at name: String) throws {
    socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = name.hasPrefix("@") ? [0] + name.utf8.dropFirst() : Array(name.utf8)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let start = try #require(MemoryLayout<sockaddr_un>.offset(of: \.sun_path))
    let length = socklen_t(start + bytes.count + (name.hasPrefix("@") ? 0 : 1))
    let isBound = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, length) == 0 }
    }
    try #require(isBound, "\(name): \(String(cString: strerror(errno)))")
    // Nothing that fails to come holds up the tests.
    var limit = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(socket) }

  /// The next that it is told; empty when nothing comes.
  func next() async throws -> String {
    await onThread {
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = recv(self.socket, &bytes, bytes.count, 0)
      return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
    }
  }
}
