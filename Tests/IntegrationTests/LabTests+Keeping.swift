import Foundation
import PeerSync
import Testing

/// A laboratory that stays in a directory.
extension LabTests {
  @Test("with --data it goes on where it was: devices, links, store, time and the recording")
  func goesOn() async throws {
    let home = try TemporaryDirectory()
    let data = home.path + "/lab"
    // Others may look into the directory.
    try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: data)
    var lab = try await Lab("--data", data, "--devices", "Phone,Tablet")
    for line in [
      "Phone buys 3monthsOfRandom in the store as p1", "store lets purchases ask once",
      "Phone buys ShyOwl in the store as p2", "devices Guest", "Guest joins Phone", "backup Tablet",
      "Tablet buys 6monthsOfRandom in the store as p3", "Phone buys RandomOwls at 2026-01-01 as dated",
      "settle", "cut Phone Tablet", "crash Guest", "clock Tablet +1h", "account jane of Tablet",
    ] { try await lab.play(line) }
    let before = try await lab.state { $0.devices.count { $0.status != nil } == 2 && $0.digests().count == 1 }
    let story = before.story
    // It holds the recovery keys.
    let mode = try FileManager.default.attributesOfItem(atPath: data + "/lab.json")[.posixPermissions]
    #expect(mode as? Int == 0o600)
    #expect(before.digests().count == 1 && story.contains("Phone buys ShyOwl in the store as p2 pending"))
    try await refusals(while: data)
    try await lab.stop()

    // Without a word about devices: they are there.
    lab = try await Lab("--data", data)
    let after = try await lab.state { $0.devices.count { $0.status != nil } == 2 }
    #expect(after.digests() == before.digests() && after.story == story)
    #expect(after.devices.map(\.name) == ["Phone", "Tablet", "Guest"])
    #expect(after.devices.map(\.isRunning) == [true, true, false])
    #expect(after.devices.map(\.account) == before.devices.map(\.account))
    #expect(after.links.map(\.condition) == before.links.map(\.condition))
    #expect(after.purchases.map(\.standing) == ["bought", "waiting", "bought"])
    #expect(after.store?.now == before.store?.now)
    let times = [before, after].map { $0.devices[0].status?.time.wall ?? .epoch }
    #expect(times[0] <= times[1] && times[1] < times[0].advanced(byMilliseconds: 3_600_000))
    // What was bought, ordered and copied before is known.
    for line in [
      "store approves p2", "store refunds p1", "store refunds p3",
      "Phone refunds dated at 2026-01-02", "start Guest", "mend Phone Tablet", "settle", "restore Tablet",
      "settle", "Phone removes Guest with its key",
    ] { try await lab.play(line) }
    #expect(try await lab.state().purchases.map(\.standing) == ["refunded", "bought", "refunded"])
    let recorded = String(decoding: try await lab.ask("GET", "/v1/lab/story").body, as: UTF8.self)
    // Killed, it goes on with what was played.
    kill(lab.process.id, SIGKILL)
    _ = try? await lab.process.end()
    lab = try await Lab("--data", data)
    let again = try await lab.state { $0.devices.allSatisfy { $0.status != nil } }
    #expect(again.story.last == "Phone removes Guest with its key")
    #expect(again.devices.map(\.isRemoved) == [false, false, true])
    try await lab.stop()
    try await replay(recorded)
  }

  /// What stands in the way is said, with what to do.
  private func refusals(while data: String) async throws {
    let used = try await Peerd.run(["lab", "--data", data])
    #expect(
      used.status == 1 && used.errors.contains("/lab: stop it, or choose another directory"),
      "\(used.errors)")
    let home = try TemporaryDirectory()
    try "x".write(toFile: home.path + "/notes.txt", atomically: true, encoding: .utf8)
    for other in [home.path, home.path + "/notes.txt"] {
      let foreign = try await Peerd.run(["lab", "--data", other])
      #expect(
        foreign.status == 1
          && foreign.errors.contains("holds something else than a laboratory: name a new directory"),
        "\(foreign.errors)")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: home.path) == ["notes.txt"])
    let broken = home.path + "/broken"
    try FileManager.default.createDirectory(atPath: broken, withIntermediateDirectories: true)
    for (text, why) in [
      ("{", "cannot be read, so that this laboratory cannot go on"),
      (
        #"{"version":2,"isOpen":true,"lines":[],"devices":[],"now":"2026-01-01T00:00:00.000Z"}"#,
        "of another version of peerd"
      ),
    ] {
      try text.write(toFile: broken + "/lab.json", atomically: true, encoding: .utf8)
      let refused = try await Peerd.run(["lab", "--data", broken])
      #expect(refused.status == 1 && refused.errors.contains(why), "\(refused.errors)")
    }
  }
}
