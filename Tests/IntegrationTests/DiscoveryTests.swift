import Foundation
import PeerSync
import Testing

/// Devices that find each other with no address given, each with an Avahi daemon of its own. Run by `make network`, and with all
/// other tests.
@Suite(
  "Local network: discovery", .serialized, .paced, .noHang,
  .enabled(if: TestNetwork.isPossible, "it takes root, and a system with network namespaces"))
struct DiscoveryTests {
  private func expect(
    _ time: Duration, within promise: Duration, _ what: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    print("local network: \(what): \(time)")
    #expect(time < promise + .slack / 2, "\(what)", sourceLocation: sourceLocation)
  }

  @Test(
    "G74 G78: a code alone pairs two devices, which find each other again when all addresses change at once")
  func findEachOther() async throws {
    let home = try await Home(discovering: 2)
    try await home.meet()
    // Both are gone, and come back on another network: nothing that either remembers helps.
    for index in 0..<2 { try await home.devices[index].stop() }
    for index in 0..<2 { try home.network.address(index, "10.9.0.\(index + 1)/24") }
    let start = ContinuousClock.now
    for device in home.devices { try await device.startLocally() }
    try await home.meet()
    expect(try await home.agree(since: start), within: .seconds(5), "both started elsewhere")
    // While they run, as when a router is replaced.
    let swap = ContinuousClock.now
    for index in 0..<2 { try home.network.address(index, "10.11.0.\(index + 1)/24") }
    try await home.meet()
    expect(try await home.agree(since: swap), within: .seconds(5), "the router was replaced")
  }

  @Test("G74: whoever listens learns neither ids nor names, and no two records have a tag in common")
  func strangersLearnNothing() async throws {
    let home = try await Home(discovering: 2)
    try await home.meet()
    let ids = try await home.statuses().flatMap { [$0.device.id, $0.device.replica, $0.group.id] }
    for device in home.devices { try await device.stop() }
    var records: [String: [[UInt8]]] = [:]
    for _ in 0..<3 {
      for device in home.devices { try await device.startLocally() }
      // What was announced before may still be remembered.
      try await home.until("both are seen") {
        try home.network.announced(to: 0).keys.count { records[$0] == nil } >= 2
      }
      records.merge(try home.network.announced(to: 0)) { first, _ in first }
      try await home.meet()
      for device in home.devices { try await device.stop() }
    }
    #expect(records.count >= 6)
    let announcements = try records.values.map { try #require(Announcement($0)) }
    // A tag is found again by chance once in 2^48.
    let (nonces, tags) = (announcements.map(\.nonce), announcements.flatMap(\.tags))
    #expect(Set(nonces).count == nonces.count && Set(tags).count == tags.count)
    #expect(announcements.allSatisfy { $0.tags.count == Announcement.steps[0] })
    for (name, strings) in records {
      let said = name + strings.map { String(decoding: $0, as: UTF8.self) }.joined()
      for secret in ids + ["Phone", "Tablet"] { #expect(!said.contains(secret)) }
      #expect(strings.count == 3, "\(strings)")
    }
  }

  @Test("G77: a device that was removed is not announced to, and those that are left find each other")
  func removed() async throws {
    let home = try await Home(discovering: 3)
    try await home.meet()
    try await home.devices[2].stop()
    let removal = try await home.devices[0].run("remove", "Mac")
    #expect(removal.status == 0, "\(removal.errors)")
    for index in 0..<2 { try await home.devices[index].stop() }
    for index in 0..<3 { try home.network.address(index, "10.9.0.\(index + 1)/24") }
    for device in home.devices { try await device.startLocally(options: ["--log-level", "debug"]) }
    for device in home.devices.prefix(2) {
      let waited = try await device.run("wait", "--peers", "1", "--timeout", "30")
      #expect(waited.status == 0, "\(device.name): \(waited.errors)\n\(device.log)")
    }
    // The one that was removed dials what it remembers, which is nobody's address any more, and sees nobody.
    let mac = try await home.devices[2].status()
    #expect(mac.peers.allSatisfy { !$0.connected && $0.address?.hasPrefix("10.9.") != true })
  }

  @Test("without any address but those of one link devices find each other, and tell nobody of these")
  func oneLink() async throws {
    let home = try await Home(discovering: 2)
    try await home.meet()
    for device in home.devices { try await device.stop() }
    for index in 0..<2 { try home.network.on(index, "ip", "-4", "address", "flush", "dev", "eth0") }
    for device in home.devices { try await device.startLocally() }
    try await home.meet()
    _ = try await home.agree()
    for status in try await home.statuses() {
      let address = try #require(status.peers[0].address)
      let isLocal = address.wholeMatch(of: #/\[fe80:[0-9a-f:]+(%[0-9]+)?\]:[0-9]+/#) != nil
      #expect(isLocal || address.hasPrefix("10."), "\(address)")
    }
    let dialled = try await home.statuses().filter { $0.peers[0].address?.contains("%") == true }
    #expect(!dialled.isEmpty, "one of the two has dialled the other")
  }

  @Test("a code still pairs two devices when the one that is found does not answer at first")
  func unreachableAtFirst() async throws {
    let network = try TestNetwork(2)
    for index in 0..<2 { try network.address(index, "10.7.0.\(index + 1)/24") }
    try network.announce()
    var devices: [PeerdProcess] = []
    for (index, name) in PeerdGroup.names.prefix(2).enumerated() {
      devices.append(try await PeerdProcess(name, namespace: network[index], bus: network.bus(index)))
      try await devices[index].startLocally()
    }
    try network.filter(1, "meta l4proto tcp counter reject with tcp reset")
    let invitation: InvitationAnswer = try await devices[0].json("invite")
    async let joining: MembershipAnswer = devices[1].json("join", invitation.code)
    while try !network.hasCounted(1) { await Task.yield() }
    try network.filter(1, nil)
    #expect(try await joining.group.members == 2)
  }

  @Test("a device that is offline is announced no more, until it is back")
  func offline() async throws {
    let home = try await Home(discovering: 2)
    try await home.meet()
    for (command, count) in [("offline", 1), ("online", 2)] {
      let told = try await home.devices[0].run(command)
      #expect(told.status == 0, "\(told.errors)")
      try await home.until("\(count) are announced") { try home.network.names(at: 1).count == count }
    }
    try await home.meet()
  }

  @Test("without an Avahi daemon there is a warning, and addresses that are known still do")
  func withoutAvahi() async throws {
    let home = try await Home(2)
    for device in home.devices {
      try await device.stop()
      try await device.start(listen: "0.0.0.0:7400", options: ["--discover"])
    }
    _ = try await home.agree()
    let isSaid = home.devices.allSatisfy { $0.log.contains("discovery does not work") }
    #expect(isSaid, "\(home.devices[0].log)")
    let start = ContinuousClock.now
    let code = try await home.devices[0].run("join", "ABCD-EFGH-JKMN")
    #expect(ContinuousClock.now - start >= .milliseconds(Limits.invitationSearchMilliseconds))
    #expect(code.status == 1 && code.errors.contains("discovery is off"), "\(code)")
  }
}
