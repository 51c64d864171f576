import Foundation
import PeerSync
import Testing

/// F65, F66: the database alone is put back under a daemon that was killed.
@Suite("Databases that were put back", .paced, .noHang)
struct SetBackTests {
  private let files = ["peerd.db", "peerd.db-wal"]

  /// Copies the database of a daemon at work, as `cp peerd.db* ELSEWHERE` does.
  private func copy(_ device: PeerdProcess, to place: String) throws {
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    for file in files {
      try FileManager.default.copyItem(atPath: device.data + "/" + file, toPath: place + "/" + file)
    }
  }

  private func putBack(_ device: PeerdProcess, from place: String) throws {
    for file in files {
      try FileManager.default.removeItem(atPath: device.data + "/" + file)
      try FileManager.default.copyItem(atPath: place + "/" + file, toPath: device.data + "/" + file)
    }
  }

  private func isSetBack(_ status: StatusAnswer) -> Bool {
    status.warnings.contains { $0.contains("older than what this device had acknowledged") }
  }

  @Test("F65: credits are spent once, although the database is put back behind a spend")
  func credits() async throws {
    let place = try TemporaryDirectory()
    let phone = try await PeerdProcess()
    try await phone.start()
    let _: TransactionResult = try await phone.json("buy", "RandomOwls")
    try copy(phone, to: place.path + "/copy")
    #expect(try await phone.run("spend", "owls", "5").status == 0)
    phone.kill()
    try putBack(phone, from: place.path + "/copy")
    let replica = try await before(phone)
    try await phone.start()
    let status = try await phone.status()
    #expect(isSetBack(status) && status.device.replica != replica)
    #expect(phone.log.contains("the database is older than what this device has acknowledged"))
    let refused = try await phone.run("spend", "owls", "1")
    #expect(refused.status == 1 && refused.errors.contains("an earlier life of this device holds 5"))
    // Said once: nobody else could bring anything back.
    try await phone.stop()
    try await phone.start()
    #expect(try await !isSetBack(phone.status()))
    #expect(try await phone.run("spend", "owls", "1").status == 1)
  }

  @Test("what several earlier lives hold is one warning")
  func earlierLives() async throws {
    let place = try TemporaryDirectory()
    let phone = try await PeerdProcess()
    for life in ["first", "second"] {
      try await phone.start()
      let _: TransactionResult = try await phone.json("buy", "RandomOwls")
      try copy(phone, to: place.path + "/" + life)
      #expect(try await phone.run("grant", life).status == 0)
      phone.kill()
      try putBack(phone, from: place.path + "/" + life)
    }
    try await phone.start()
    let warnings = try await phone.status().warnings.filter { $0.contains("'owls'") }
    #expect(
      warnings == [
        "2 earlier lives of this device hold 10 of 'owls': reclaim the credit if those lives are over"
      ])
    try await phone.stop()
  }

  /// The replica that the device wrote under, by the file that tells.
  private func before(_ device: PeerdProcess) async throws -> String {
    let mark = try String(contentsOfFile: device.data + "/high-water", encoding: .utf8)
    return String(mark.split(separator: " ")[1])
  }

  @Test("F66: what a peer holds of the life that was forgotten is there again on both")
  func decisions() async throws {
    let place = try TemporaryDirectory()
    let group = try await PeerdGroup(2)
    let (phone, tablet) = (group[0], group[1])
    try copy(phone, to: place.path + "/copy")
    #expect(try await phone.run("grant", "acknowledged").status == 0)
    try await group.agree()
    phone.kill()
    try putBack(phone, from: place.path + "/copy")
    // It decides something before it can hear what it has forgotten.
    try await tablet.stop()
    try await phone.start(listen: nil)
    #expect(try await isSetBack(phone.status()))
    #expect(try await phone.run("grant", "since").status == 0)
    try await phone.stop()
    try await tablet.start()
    try await phone.start(peers: [try #require(tablet.ready?.listen)])
    let status = try await group.agree()
    #expect(Set(status.entitlements.filter(\.active).map(\.id)).isSuperset(of: ["acknowledged", "since"]))
    try await phone.wait(for: "the end of the warning", within: .slack) { !isSetBack($0) }
    #expect(try await tablet.status().warnings.allSatisfy { !$0.contains("equivocated") })
  }

  /// All that it has forgotten of the removed device would be void for everybody, who may hold it.
  @Test("F66: a directory that was put back removes nobody, and nobody leaves with it, before it is in sync")
  func removing() async throws {
    let place = try TemporaryDirectory()
    let group = try await PeerdGroup(3)
    let (phone, tablet, mac) = (group[0], group[1], group[2])
    for device in group.devices { try await device.stop() }
    try FileManager.default.copyItem(atPath: phone.data, toPath: place.path + "/copy")
    try await phone.start()
    for device in [tablet, mac] { try await device.start(peers: [try #require(phone.ready?.listen)]) }
    #expect(try await mac.run("grant", "forgotten").status == 0)
    try await group.agree()
    for device in group.devices { try await device.stop() }
    try FileManager.default.removeItem(atPath: phone.data)
    try FileManager.default.copyItem(atPath: place.path + "/copy", toPath: phone.data)
    try await phone.start()
    #expect(try await isSetBack(phone.status()))
    let removal = try await phone.run("remove", "Mac", "--yes")
    #expect(removal.status == 1 && removal.errors.contains("has lost a part of what it knew"), "\(removal)")
    #expect(try await phone.run("leave", "--yes").status == 1)
    try await tablet.start(peers: [try #require(phone.ready?.listen)])
    try await phone.wait(for: "the end of the warning", within: .slack) { !isSetBack($0) }
    #expect(try await phone.run("remove", "Mac", "--yes").status == 0)
    let status = try await PeerdGroup(of: [phone, tablet]).agree()
    #expect(status.entitlements.contains { $0.id == "forgotten" && $0.active })
    // The others may be lost for good: with nothing of one to count, there is nothing to ask for.
    try await phone.stop()
    try FileManager.default.removeItem(atPath: phone.data)
    try FileManager.default.copyItem(atPath: place.path + "/copy", toPath: phone.data)
    try await tablet.stop()
    try await phone.start()
    #expect(try await phone.run("remove", "Mac", "--yes").status == 1)
    #expect(try await phone.run("remove", "Mac", "--all", "--yes").status == 0)
    #expect(try await phone.status().group.members == 2)
  }

  /// Everything is written over in place, as a snapshot of a whole machine does: no file tells.
  @Test("F66: what was spent stays spent, although the device does not notice that it was set back")
  func unnoticed() async throws {
    let catalogue = """
      {"products": [{"id": "Flock", "type": "consumable", "credit": "owls", "amount": 20000}]}
      """
    let phone = try await PeerdProcess("Phone", catalogue: catalogue)
    let tablet = try await PeerdProcess("Tablet", catalogue: nil)
    let group = PeerdGroup(of: [phone, tablet])
    for device in [phone, tablet] { try await device.start() }
    try await tablet.join(phone)
    let _: TransactionResult = try await phone.json("buy", "Flock")
    #expect(try await phone.run("spend", "owls", "1", "--id", "before").status == 0)
    try await group.agree()
    phone.kill()
    let files = self.files + ["high-water"]
    let snapshot = try files.map { try Data(contentsOf: URL(fileURLWithPath: phone.data + "/" + $0)) }
    try await phone.start(peers: [try #require(tablet.ready?.listen)])
    for id in ["forgotten", "too"] {
      #expect(try await phone.run("spend", "owls", "2", "--id", id).status == 0)
    }
    try await group.agree()
    phone.kill()
    for (file, content) in zip(files, snapshot) {
      let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: phone.data + "/" + file))
      try handle.truncate(atOffset: 0)
      try handle.write(contentsOf: content)
      try handle.close()
    }
    // It spends before it meets anybody who knows better.
    try await tablet.stop()
    try await phone.start()
    #expect(try await !isSetBack(phone.status()))
    for number in 1...30 { try await phone.set("line", "\(number)") }
    for (id, amount) in [("since", "2000"), ("after", "1")] {
      #expect(try await phone.run("spend", "owls", amount, "--id", id).status == 0)
    }
    try await tablet.start(peers: [try #require(phone.ready?.listen)])
    // Vectors do not tell of writes that share their dots: a digest does, at a beat.
    let beats = Duration.milliseconds(3 * Int(Limits.beatMilliseconds))
    for device in [phone, tablet] {
      try await device.wait(for: "the spends of both lives", within: beats) {
        $0.credits.first?.balance == 17_994
      }
    }
    try await group.agree()
    #expect(try await phone.run("reclaim", "owls").status == 0)
    // Asked for again, each answers as before.
    for (id, amount) in [("forgotten", "2"), ("too", "2"), ("since", "2000"), ("after", "1")] {
      let again = try await phone.run("spend", "owls", amount, "--id", id)
      #expect(again.status == 0 && again.output.contains("17994"), "\(again)")
    }
  }

  @Test("F65: without its log the database is behind, and a peer fills it again")
  func logs() async throws {
    let group = try await PeerdGroup(2)
    let (phone, tablet) = (group[0], group[1])
    #expect(try await phone.run("grant", "acknowledged").status == 0)
    try await group.agree()
    phone.kill()
    try FileManager.default.removeItem(atPath: phone.data + "/peerd.db-wal")
    try await phone.start(peers: [try #require(tablet.ready?.listen)])
    #expect(phone.log.contains("the database is older than what this device has acknowledged"))
    let status = try await group.agree()
    #expect(status.entitlements.contains { $0.id == "acknowledged" && $0.active })
  }

  @Test("a copied directory is said in the log at the start; one that never ran becomes a device of its own")
  func copies() async throws {
    let place = try TemporaryDirectory()
    let image = try await PeerdProcess("Image")
    for name in ["one", "two"] {
      try FileManager.default.copyItem(atPath: image.data, toPath: "\(place.path)/\(name)")
    }
    let copies = ["one", "two"].map { PeerdProcess($0, existing: "\(place.path)/\($0)", place) }
    for copy in copies { try await copy.start() }
    #expect(copies[0].log.contains("continuing as a device of its own"))
    // They are devices to each other: one can take the other in.
    try await copies[1].join(copies[0])
    let group = PeerdGroup(of: copies)
    try await group.agree()
    #expect(try await copies[0].status().group.members == 2)
    try await copies[1].stop()
    try FileManager.default.copyItem(atPath: copies[1].data, toPath: place.path + "/moved")
    let moved = PeerdProcess("moved", existing: place.path + "/moved", place)
    try await moved.start()
    #expect(moved.log.contains("the directory was copied or restored; continuing as a new incarnation"))
  }
}
