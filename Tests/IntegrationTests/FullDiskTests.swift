import Foundation
import PeerSync
import Testing
import peerd

/// A small file system of its own, unmounted and removed with its last user. Making one takes root.
private final class SmallDisk: Sendable {
  let path: String
  private let directory: TemporaryDirectory

  static var isPossible: Bool { geteuid() == 0 && (try? SmallDisk()) != nil }

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path + "/disk"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try NetworkNamespace.run(["mount", "-t", "tmpfs", "-o", "size=4m,mode=0700", "peerd-test", path])
  }

  deinit { _ = try? NetworkNamespace.run(["umount", "--lazy", path]) }

  /// Leaves no room.
  func fill() throws {
    _ = FileManager.default.createFile(atPath: path + "/filler", contents: nil)
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path + "/filler"))
    for size in [65_536, 4096] {
      while (try? file.write(contentsOf: Data(repeating: 1, count: size))) != nil {}
    }
    try file.close()
  }

  func makeRoom() throws { try FileManager.default.removeItem(atPath: path + "/filler") }
}

@Suite("A full disk", .paced, .noHang)
struct FullDiskTests {
  @Test(
    "ends the daemon with a clear message; everything acknowledged is there once there is room",
    .enabled(if: SmallDisk.isPossible, "mounting a small file system takes root"))
  func fullDisk() async throws {
    let disk = try SmallDisk()
    defer { withExtendedLifetime(disk) {} }
    let device = try await PeerdProcess(in: disk.path)
    let peer = try await PeerdProcess("Tablet")
    for device in [device, peer] { try await device.start() }
    try await peer.join(device)
    var acknowledged: [String] = []
    for _ in 1...3 {
      let result: TransactionResult = try await device.json("buy", "RandomOwls")
      acknowledged.append(result.transaction.transactionId)
    }
    try disk.fill()
    var refused: Peerd.Outcome?
    while refused == nil {
      let outcome = try await device.run("buy", "RandomOwls", "--json")
      guard outcome.status == 0 else {
        refused = outcome
        break
      }
      acknowledged.append(try outcome.json(TransactionResult.self).transaction.transactionId)
    }
    #expect(refused?.status == 1 || refused?.status == 3, "\(String(describing: refused))")
    // A signal in between changes nothing.
    if let pid = device.pid { kill(pid, SIGTERM) }
    #expect(try await device.end() == 1)
    expectFull(device)
    // Nor does starting again without room.
    try? await device.start(peers: [try #require(peer.ready?.listen)])
    #expect(try await device.end() == 1)
    expectFull(device)
    #expect(!FileManager.default.fileExists(atPath: device.data + "/api.json"))
    try disk.makeRoom()
    try await device.start()
    let known = try await device.client().transactions()
    #expect(Set(acknowledged).isSubset(of: known.map(\.transactionId)))
    let _: TransactionResult = try await device.json("buy", "RandomOwls")
    try await device.stop()
  }

  /// The last line says what has happened and what to do.
  private func expectFull(_ device: PeerdProcess) {
    let last = device.log.split(separator: "\n").last ?? ""
    #expect(last.contains("is full") && last.contains("make room and start again"), "\(device.log)")
  }

  @Test(
    "an export without room names its file, leaves nothing behind, and what was there stays",
    .enabled(if: SmallDisk.isPossible, "mounting a small file system takes root"))
  func fullExport() async throws {
    let disk = try SmallDisk()
    defer { withExtendedLifetime(disk) {} }
    let device = try await PeerdProcess()
    try await device.start(listen: nil)
    let file = disk.path + "/ledger.json"
    #expect(try await device.run("export", file).status == 0)
    let before = try Data(contentsOf: URL(fileURLWithPath: file))
    try disk.fill()
    let outcome = try await device.run("export", file)
    #expect(outcome.status == 1)
    #expect(
      outcome.errors
        == "peerd: \(file) cannot be written (No space left on device): make room or choose another "
        + "place\n")
    #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == before)
    #expect(Set(try FileManager.default.contentsOfDirectory(atPath: disk.path)) == ["ledger.json", "filler"])
  }

  @Test(
    "init without room says so, and can be done again",
    .enabled(if: SmallDisk.isPossible, "mounting a small file system takes root"))
  func fullInit() async throws {
    let disk = try SmallDisk()
    defer { withExtendedLifetime(disk) {} }
    try disk.fill()
    let data = disk.path + "/data"
    let outcome = try await Peerd.run(["init", "--data", data])
    #expect(outcome.status == 1 && outcome.errors.contains("is full"), "\(outcome.errors)")
    try disk.makeRoom()
    #expect(try await Peerd.run(["init", "--data", data]).status == 0)
  }
}
