import Foundation
import PeerSync
import PeerSyncControl
import Testing

/// Data directories of daemons at work that are really copied: put back as backups of many ages, or started beside the
/// original.
@Suite("Copies", .paced, .noHang)
struct CopyTests {
  /// Copies the directory of a running daemon as it is at one moment, as a snapshot of a whole disk does.
  private func snapshot(_ device: PeerdProcess, to target: String) throws {
    let pid = try #require(device.pid)
    kill(pid, SIGSTOP)
    defer { kill(pid, SIGCONT) }
    // Tells of a stop alone: how the process ends some time is left for whoever waits for that.
    var stopped = siginfo_t()
    try #require(waitid(P_PID, id_t(pid), &stopped, Int32(WSTOPPED)) == 0)
    try FileManager.default.copyItem(atPath: device.data, toPath: target)
  }

  private func grant(_ name: String, on device: PeerdProcess) async throws {
    let _: JSONValue = try await device.client().send(
      "PUT", "/v1/grants/\(name)", body: GrantBody(until: nil))
  }

  private func granted(on device: PeerdProcess) async throws -> Set<String> {
    Set(try await device.status().entitlements.filter(\.active).map(\.id))
  }

  @Test(
    "E46: backups of many ages, taken of a daemon at work: nothing that another device knows is lost, no number comes twice"
  )
  func backups() async throws {
    let seed = Seed.make(for: "backups")
    var generator = seed.generator
    let group = try await PeerdGroup(2)
    let (phone, tablet) = (group[0], group[1])
    let place = try TemporaryDirectory()
    var known: Set<String> = []
    for age in 0..<12 {
      try await grant("g\(age)", on: phone)
      known.insert("g\(age)")
      try snapshot(phone, to: "\(place.path)/\(age)")
    }
    try await group.agree("\(seed)")
    for turn in 0..<6 {
      let age = generator.pick(0...11)
      phone.kill()
      try FileManager.default.removeItem(atPath: phone.data)
      try FileManager.default.copyItem(atPath: "\(place.path)/\(age)", toPath: phone.data)
      // It decides something before it can hear what it has forgotten.
      try await phone.start(listen: nil)
      #expect(try await granted(on: phone).isSuperset(of: (0...age).map { "g\($0)" }), "\(seed)")
      try await grant("h\(turn)", on: phone)
      known.insert("h\(turn)")
      try await phone.stop()
      try await phone.start(peers: [try #require(tablet.ready?.listen)])
      let status = try await group.agree("backup \(age), turn \(turn), \(seed)")
      #expect(Set(status.entitlements.filter(\.active).map(\.id)) == known, "backup \(age), \(seed)")
      // The pair of replica and number that two writes had would show as a fork.
      #expect(status.warnings.allSatisfy { !$0.contains("equivocated") }, "\(status.warnings) \(seed)")
    }
  }

  @Test("E47: a copy beside the original: both stop deciding, and one goes on once the other is gone")
  func copies() async throws {
    let group = try await PeerdGroup(2)
    let (phone, tablet) = (group[0], group[1])
    let place = try TemporaryDirectory()
    try snapshot(phone, to: place.path + "/data")
    let twin = PeerdProcess("Twin", existing: place.path + "/data", place)
    try await twin.start()
    for device in [phone, twin] {
      try await device.wait(for: "the other copy", within: .slack) {
        $0.warnings.contains(StatusAnswer.anotherCopy)
      }
      await #expect(throws: ControlError.self) { try await grant("x", on: device) }
      // Nobody takes anything from it, paired or not.
      let bought = try await device.run("buy", "CarefreeOwl")
      #expect(bought.output.contains("on this device only, for another copy"), "\(bought)")
      // Nor does it leave: the other copy's credits would be taken over, while that can spend them again.
      let left = try await device.run("leave", "--yes")
      #expect(left.status == 1 && left.errors.contains("another copy of this device is at work"), "\(left)")
    }
    #expect(try await !tablet.status().warnings.contains(StatusAnswer.anotherCopy))
    twin.kill()
    try await phone.stop()
    try await phone.start()
    try await grant("y", on: phone)
    try await group.agree()
    let granted = try await granted(on: tablet)
    #expect(granted.contains("y") && !granted.contains("x"))
  }
}
