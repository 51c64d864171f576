import Foundation
import PeerSync
import Testing

/// Thousands of connections that come and go, while members write and sync: nothing ends a daemon, good peers are served
/// all along, and nothing stays behind.
@Suite("Soak", .paced, .timeLimit(.minutes(Sanitizer.isOn ? 120 : 20 + Crowd.size / 5_000)))
struct SoakTests {
  /// By how much memory may have grown since the first of them have gone.
  private static let growthKiB = 16 * 1024

  @Test(
    "connections of eight kinds come and go while members sync: the daemons live, and nothing stays behind")
  func soak() async throws {
    let group = try await PeerdGroup(4)
    let devices = [group[0], group[1]]
    let crowd = try await Crowd(
      at: devices, removed: try await removed(group), member: try await StolenMember(group[3]))
    // What is opened or taken the first time, and then kept, is there when it is counted.
    try await serve(devices, while: crowd, comes: max(Crowd.size / 10, 400))
    let before = try devices.map { try Footprint($0) }
    try await serve(devices, while: crowd, comes: Crowd.size)
    for (device, before) in zip(devices, before) { try await expectNothingLeft(of: device, since: before) }
    crowd.expectMet()
  }

  /// The key of a device that the others have removed.
  private func removed(_ group: PeerdGroup) async throws -> StolenMember {
    let mac = try await StolenMember(group[2])
    let _: DevicesAnswer = try await group[0].json("remove", mac.name)
    try await group[1].wait(for: "the Mac to be out") { $0.group.members == 3 }
    return mac
  }

  /// What each device sets the other hears of within seconds, until the crowd has gone.
  private func serve(_ devices: [PeerdProcess], while crowd: Crowd, comes count: Int) async throws {
    let start = ContinuousClock.now
    var rounds = 0
    for try await _ in crowd.come(count) {
      try await sync(devices[rounds % 2], devices[1 - rounds % 2], "\(rounds)")
      rounds += 1
    }
    try await sync(devices[0], devices[1], "last")
    print("soak: \(count) connections and \(rounds + 1) writes in \(ContinuousClock.now - start)")
  }

  private func sync(_ from: PeerdProcess, _ to: PeerdProcess, _ value: String) async throws {
    let client = try from.client()
    let _: JSONValue = try await client.send("PUT", "/v1/values/soak", body: ValueBody(value: value))
    let status: StatusAnswer = try await client.send("GET", "/v1/status")
    try await to.wait(for: "what \(from.name) has set", within: .seconds(5) + .slack) {
      $0.digest == status.digest
    }
  }

  private func expectNothingLeft(of device: PeerdProcess, since before: Footprint) async throws {
    #expect(device.pid == before.pid, "\(device.name) ended: \(device.log.suffix(2_000))")
    let facts = ProcessFacts(pid: before.pid)
    // The last closings are on their way: each request gives the daemon its turn. Its own connection may be open
    // still, and one that dials a device that is gone.
    let end = ContinuousClock.now + .slack
    while try facts.descriptors > before.descriptors, ContinuousClock.now < end {
      _ = try await device.status()
    }
    let left = try facts.files
    #expect(left.count <= before.descriptors + 2, "\(device.name): \(before.files) became \(left)")
    let growth = try facts.residentKiB - before.residentKiB
    print("soak: \(device.name) grew from \(before.residentKiB) KiB by \(growth); \(left.count) files")
    #expect(Sanitizer.isOn || growth < Self.growthKiB)
  }
}

/// What a daemon has of the system.
private struct Footprint {
  let pid: Int32
  let descriptors: Int
  let files: [String]
  let residentKiB: Int

  init(_ device: PeerdProcess) throws {
    pid = try #require(device.pid)
    let facts = ProcessFacts(pid: pid)
    (descriptors, files, residentKiB) = (try facts.descriptors, try facts.files, try facts.residentKiB)
  }
}
