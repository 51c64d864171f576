import Foundation
import PeerSync
import Testing

/// Pairing devices, naming them and removing them, over HTTP.
@Suite("Control API: the group", .noHang)
struct GroupAPITests {
  @Test("an invitation needs a listening device, and is one that join takes")
  func invitations() async throws {
    try await ControlFixture.with { (fixture) async throws in
      #expect(try await fixture.problem("POST", "/v1/invitations")?.code == .notListening)
      #expect(try await fixture.problem("POST", "/v1/membership", JoinBody(url: "x"))?.code == .invalidValue)
      let away = JoinBody(url: "peersync://phone.example:7400/ABCDEFGHJKMN")
      #expect(try await fixture.problem("POST", "/v1/membership", away)?.code == .invalidValue)
    }
    try await ControlFixture.with(listens: true) { (fixture) async throws in
      let invitation: InvitationAnswer = try await fixture.client.send("POST", "/v1/invitations")
      let url = try #require(invitation.url)
      #expect(InvitationURL(url)?.code.letters == invitation.code && invitation.code.count == 12)
      #expect(!invitation.announced)
      let itself = try await fixture.problem("POST", "/v1/membership", JoinBody(url: url))
      #expect(itself?.code == .notAdmitted)
      let off: NetworkAnswer = try await fixture.client.send(
        "PUT", "/v1/network", body: NetworkBody(online: false))
      #expect(!off.online)
      #expect(try await fixture.problem("POST", "/v1/invitations")?.code == .offline)
      #expect(
        try await fixture.problem("POST", "/v1/membership", JoinBody(url: url))?.code == .offline)
    }
  }

  @Test("a device is called what it says from then on, and nothing that no device is called")
  func renaming() async throws {
    try await ControlFixture.with { (fixture) async throws in
      let renamed: DevicesAnswer = try await fixture.client.send(
        "PUT", "/v1/device", body: RenameBody(name: "부엌"))
      #expect(renamed.devices.map(\.name) == ["부엌"])
      #expect(try await fixture.daemon.status().device.name == "부엌")
      for name in ["", "a\u{7}", "\u{9b}31m"] {
        let problem = try await fixture.problem("PUT", "/v1/device", RenameBody(name: name))
        #expect(problem?.code == .invalidValue, "\(name.utf8.count)")
      }
      let history: HistoryAnswer = try await fixture.client.send("GET", "/v1/history")
      #expect(history.events.first { $0.change == "renamed" }?.subject?.name == "부엌")
    }
  }

  @Test("a device is removed by its id, the first group of its id or its name, once")
  func removing() async throws {
    try await ControlFixture.with(members: ["Tablet", "Mac", "Mac", "Télé/1"]) { (fixture) async throws in
      let before: DevicesAnswer = try await fixture.client.send("GET", "/v1/devices")
      #expect(before.devices.map(\.name) == ["Phone", "Tablet", "Mac", "Mac", "Télé/1"])
      #expect(before.devices.map(\.isSelf) == [true, false, false, false, false] && before.removed.isEmpty)
      let twice = try await fixture.problem("DELETE", "/v1/devices/Mac")
      #expect(twice?.code == .unknownDevice && twice?.detail.contains("2 devices are called 'Mac'") == true)
      let named: DevicesAnswer = try await fixture.client.send("DELETE", "/v1/devices/T%C3%A9l%C3%A9%2F1")
      #expect(named.removed.map(\.name) == ["Télé/1"])
      let id = before.devices[2].id
      let other: DevicesAnswer = try await fixture.client.send("DELETE", "/v1/devices/\(id)")
      #expect(other.devices.map(\.name) == ["Phone", "Tablet", "Mac"])
      #expect(other.removed.map(\.id) == [id, before.devices[4].id])
      let short = try #require(before.devices[1].id.split(separator: "-").first)
      let third: DevicesAnswer = try await fixture.client.send(
        "DELETE", "/v1/devices/\(short)", body: RemoveBody(recoveryKey: nil))
      #expect(third.devices.map(\.name) == ["Phone", "Mac"] && third.removed.count == 3)
      #expect(try await fixture.problem("DELETE", "/v1/devices/\(id)")?.code == .noEffect)
      #expect(try await fixture.problem("DELETE", "/v1/devices/Nobody")?.code == .unknownDevice)
      #expect(try await fixture.daemon.status().group.members == 2)
    }
  }

  @Test("no other recovery key removes a device, and its own only once others have what it has")
  func removingByRecoveryKey() async throws {
    try await ControlFixture.with(members: ["Tablet", "Mac"]) { (fixture) async throws in
      func remove(_ key: String?) async throws -> Problem? {
        try await fixture.problem("DELETE", "/v1/devices/Phone", RemoveBody(recoveryKey: key))
      }
      #expect(try await remove("garbage")?.code == .invalidValue)
      #expect(try await remove(RecoveryKey.generate().text)?.code == .noEffect)
      #expect(try await fixture.daemon.status().group.members == 3)
      // It is the device's own, which leaves nobody in the dark: see `LeavingTests`.
      #expect(try await remove(fixture.recoveryKey)?.code == .notComplete)
      #expect(try await fixture.daemon.status().group.members == 3)
    }
    try await ControlFixture.with { (fixture) async throws in
      #expect(try await fixture.problem("DELETE", "/v1/devices/Phone")?.code == .noEffect)
      let body = RemoveBody(recoveryKey: fixture.recoveryKey)
      #expect(try await fixture.problem("DELETE", "/v1/devices/Phone", body)?.code == .noEffect)
    }
  }
}
