import Foundation
import PeerSync
import Testing

/// Bits that flip in the database of a stopped daemon.
@Suite("Rot", .paced, .noHang)
struct RotTests {
  /// Alters one register behind the daemon's back, as a flipped bit does.
  private func flip(_ key: RegisterKey, on device: PeerdProcess) throws {
    let database = try Database(path: device.data + "/peerd.db")
    let change = try database.prepare("UPDATE registers SET stamp = stamp + 1 WHERE key = ?")
    change.bind(1, copying: key.encoded)
    try change.run()
  }

  private func isDamaged(_ status: StatusAnswer) -> Bool {
    status.warnings.contains { $0.contains("the disk is damaged") }
  }

  @Test("F67: two damaged devices repair each other")
  func bothDamaged() async throws {
    let group = try await PeerdGroup(2)
    for device in group.devices { try await device.set("of-\(device.name)", "blue") }
    try await group.agree()
    for device in group.devices { try await device.stop() }
    try flip(.value(key: "of-Phone"), on: group[1])
    try flip(.value(key: "of-Tablet"), on: group[0])
    try await group[0].start()
    #expect(try await isDamaged(group[0].status()))
    try await group[1].start(peers: [try #require(group[0].ready?.listen)])
    #expect(group[1].log.contains("the disk is damaged"))
    for device in group.devices {
      try await device.wait(for: "the repair", within: .slack) { !isDamaged($0) }
    }
    try await group.agree()
    for device in group.devices {
      for name in ["of-Phone", "of-Tablet"] { #expect(try await device.value(name) == "blue") }
    }
  }

  @Test("F67: a flipped bit is said, a third device joins all the same, and one good peer repairs it")
  func repaired() async throws {
    let group = try await PeerdGroup(2)
    let (phone, tablet) = (group[0], group[1])
    for number in 0..<5 { try await (number % 2 == 0 ? phone : tablet).set("v\(number)", "blue") }
    try await group.agree()
    let replica = try await phone.status().device.replica
    for device in group.devices { try await device.stop() }
    try flip(.value(key: "v2"), on: phone)
    try await phone.start()
    let damaged = try await phone.status()
    #expect(
      isDamaged(damaged) && damaged.warnings.contains { $0.contains("value 'v2'") }, "\(damaged.warnings)")
    #expect(damaged.device.replica == replica)
    // Who keeps an export of it is told what it lacks; it can be taken in all the same.
    let export = try await phone.run("export", phone.data + "/export.json")
    #expect(export.status == 0 && export.errors.contains("warning: the disk is damaged"), "\(export)")
    #expect(try await phone.run("import", phone.data + "/export.json").status == 0)
    let mac = try await PeerdProcess("Mac")
    try await mac.start()
    try await mac.join(phone)
    // Its catalogue comes along: each device has registers of its own for it.
    let joined = try await phone.wait(for: "what Mac brings") { $0.digest != damaged.digest }
    let waited = try await mac.run("wait", "--digest", joined.digest, "--timeout", "20")
    #expect(waited.status == 0, "\(waited.errors)")
    #expect(try await mac.value("v1") == "blue")
    #expect(try await mac.value("v2") == nil)
    #expect(try await isDamaged(phone.status()))
    #expect(try await phone.status().peers.allSatisfy { !$0.inSync })
    try await tablet.start(peers: [try #require(phone.ready?.listen)])
    try await phone.wait(for: "the repair") { status in
      status.warnings.allSatisfy { !$0.contains("the disk is damaged") }
    }
    try await PeerdGroup(of: [phone, tablet, mac]).agree()
    #expect(try await phone.value("v2") == "blue")
    // Nothing is left of it.
    try await phone.stop()
    try await phone.start()
    #expect(try await !isDamaged(phone.status()))
  }

  @Test("F67: alone it is said at every start, and left out")
  func alone() async throws {
    let device = try await PeerdProcess()
    try await device.start()
    for number in 0..<3 { try await device.set("v\(number)", "blue") }
    try await device.stop()
    try flip(.value(key: "v1"), on: device)
    for _ in 0..<2 {
      try await device.start()
      let status = try await device.status()
      #expect(
        isDamaged(status) && status.warnings.contains { $0.contains("value 'v1'") }, "\(status.warnings)")
      #expect(try await device.value("v1") == nil)
      #expect(try await device.value("v2") == "blue")
      try await device.stop()
    }
  }

  @Test("F67: a removed device that sees one other member does not take itself for that one")
  func removed() async throws {
    let group = try await PeerdGroup(2)
    let (phone, tablet) = (group[0], group[1])
    for device in group.devices { try await device.set("of-\(device.name)", "blue") }
    try await group.agree()
    let _: DevicesAnswer = try await phone.json("remove", "Tablet")
    try await tablet.wait(for: "its removal") { $0.warnings.contains(StatusAnswer.wasRemoved) }
    try await tablet.stop()
    try flip(.value(key: "of-Phone"), on: tablet)
    try await tablet.start()
    let status = try await tablet.status()
    #expect(isDamaged(status), "\(status.warnings)")
    #expect(!status.warnings.contains { $0.contains("nobody else was in the group") }, "\(status.warnings)")
  }

  @Test(
    "a file that is no database: people read why in their language, the log and doctor's JSON have SQLite's words"
  )
  func noDatabase() async throws {
    let device = try await PeerdProcess()
    let path = device.data + "/peerd.db"
    for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    try Data(repeating: 0xee, count: 8192).write(to: URL(filePath: path))
    let korean = ["LC_ALL": "ko_KR.UTF-8"]
    let doctor = try await Peerd.run(["doctor", "--data", device.data], environment: korean)
    #expect(
      doctor.output.contains("데이터베이스가 아님") && !doctor.output.contains("not a database"), "\(doctor.output)")
    let document = try await Peerd.run(["doctor", "--json", "--data", device.data], environment: korean)
    #expect(document.output.contains("(file is not a database)"), "\(document.output)")
    let run = try await Peerd.run(["run", "--data", device.data], environment: korean)
    let lines = run.errors.split(separator: "\n")
    #expect(run.status == 1 && lines.last?.contains("(데이터베이스가 아님)") == true, "\(run.errors)")
    #expect(lines.first?.contains("words=\"file is not a database\"") == true, "\(run.errors)")
  }
}
