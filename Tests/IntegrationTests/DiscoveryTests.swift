import Foundation
import PeerSync
import Testing

/// Devices that find each other with no address given, each with an Avahi daemon of its own. Run by `make network`, and with all
/// other tests.
@Suite(
  "Local network: discovery", .serialized, .pacedFirst, .noHang,
  .enabled(if: TestNetwork.isPossible, "it takes root, and a system with network namespaces"))
struct DiscoveryTests {
  @Test(
    "G74 G78: a code alone pairs two devices, which find each other again when all addresses change at once")
  func findEachOther() async throws {
    let home = try await Home(discovering: 2)
    try await home.meet()
    // Both are gone, and come back on another network: nothing that either remembers helps.
    for index in 0..<2 { try await home.devices[index].stop() }
    try home.network.swapRouter(for: "10.9.0")
    let watch = home.stopwatch()
    for device in home.devices { try await device.startLocally() }
    try await home.meet()
    try await home.agree()
    watch.expect(within: .seconds(5), "G74: both started elsewhere")
    // While they run. What is announced changes meanwhile, again and again.
    for round in 1...3 {
      let watch = home.stopwatch()
      try home.network.swapRouter(for: "10.11.\(round)")
      try await home.meet()
      try await home.agree()
      watch.expect(within: .seconds(5), "G75: the router was replaced")
    }
    for device in home.devices { #expect(!device.log.contains("discovery does not work"), "\(device.log)") }
  }

  @Test("G78: a code alone is nothing on another network; the URL is")
  func otherNetwork() async throws {
    let network = try TestNetwork(2, bridges: 2)
    try network.route(isForwarding: true)
    try network.announce()
    let devices = try await network.devices(apart: 2)
    for device in devices { try await device.startLocally() }
    let invitation: InvitationAnswer = try await devices[0].json("invite")
    #expect(invitation.announced && invitation.link.hasPrefix("peersync://10.7.0.1:7400/"))
    let code = try await devices[1].run("join", invitation.code)
    #expect(code.status == 1 && code.errors.contains("no device on this network"), "\(code)")
    let home = Home(network: network, devices: devices)
    let watch = home.stopwatch()
    let _: MembershipAnswer = try await devices[1].json("join", invitation.link)
    try await home.meet()
    try await home.agree()
    watch.expect(within: .seconds(5), "G78: joined by the URL")
  }

  @Test("--interface names the one network that is used")
  func interface() async throws {
    let home = try await Home(discovering: 2)
    try await home.devices[0].stop()
    try home.network.on(0, "ip", "link", "add", "other0", "type", "veth", "peer", "name", "other1")
    try home.network.on(0, "ip", "address", "add", "10.6.0.1/24", "dev", "other0")
    for end in ["other0", "other1"] { try home.network.on(0, "ip", "link", "set", end, "up") }
    for (interface, address) in [("other0", "10.6.0.1:7400"), ("eth0", "10.7.0.1:7400")] {
      try await home.devices[0].startLocally(options: ["--interface", interface])
      let invitation: InvitationAnswer = try await home.devices[0].json("invite")
      #expect(invitation.link.hasPrefix("peersync://\(address)/"), "\(invitation)")
      if interface == "eth0" { try await home.meet() }
      try await home.devices[0].stop()
    }
    try await home.devices[0].startLocally(options: ["--interface", "nowhere0"])
    try await home.until("it says that there is none") {
      home.devices[0].log.contains("there is no network interface 'nowhere0'")
    }
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
      var seen: [String: [[UInt8]]] = [:]
      try await home.until("both are seen") {
        seen = try home.network.announced(to: 0)
        return seen.keys.count { records[$0] == nil } >= 2
      }
      records.merge(seen) { first, _ in first }
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

  @Test(
    "clocks that differ by less than an hour do no harm; those that differ by more, until the next record")
  func clocksApart() async throws {
    let home = try await Home(discovering: 2)
    try await home.meet()
    for (subnet, offset) in [("10.9.0", "59m"), ("10.10.0", "-3h")] {
      // Nothing that either remembers helps.
      for device in home.devices { try await device.stop() }
      try home.network.swapRouter(for: subnet)
      try await home.devices[0].startLocally()
      try await home.devices[1].startLocally(options: ["--clock-offset", offset])
      if offset == "59m" { try await home.meet() }
    }
    // What is announced anew for another reason is found by the other's hour, once the other one has been seen.
    try await home.until("they meet") {
      let _: InvitationAnswer = try await home.devices[0].json("invite")
      return try await home.devices[1].run("wait", "--peers", "1", "--timeout", "2").status == 0
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
    try home.network.swapRouter(for: "10.9.0")
    let watch = home.stopwatch()
    for device in home.devices { try await device.startLocally(options: ["--log-level", "debug"]) }
    try await Home(network: home.network, devices: Array(home.devices.prefix(2))).meet()
    watch.expect(within: .seconds(5), "G77: those that are left have met")
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
    try await home.agree()
    // Whoever is there finds the device by its code: there is no address to tell.
    let invitation: InvitationAnswer = try await home.devices[0].json("invite")
    #expect(invitation.url == nil && invitation.announced)
    let said = try await home.devices[0].run("invite")
    #expect(said.output.contains("There is no URL") && !said.output.contains("peersync://"), "\(said)")
    let doctor = try await home.devices[0].run("doctor")
    #expect(doctor.output.contains("addresses of one link alone"), "\(doctor)")
    #expect(doctor.output.contains("find each other"), "\(doctor)")
    for status in try await home.statuses() {
      let address = try #require(status.peers[0].address)
      let isLocal = address.wholeMatch(of: #/\[fe80:[0-9a-f:]+(%[0-9]+)?\]:[0-9]+/#) != nil
      #expect(isLocal || address.hasPrefix("10."), "\(address)")
    }
    let dialled = try await home.statuses().filter { $0.peers[0].address?.contains("%") == true }
    #expect(!dialled.isEmpty, "one of the two has dialled the other")
  }

  @Test("when the Avahi daemon is started anew, devices find each other at once")
  func avahiStartedAnew() async throws {
    let home = try await Home(discovering: 2)
    try await home.meet()
    func saying(_ words: String) -> Int { home.devices[0].log.components(separatedBy: words).count - 1 }
    for round in 1...2 {
      try home.network.silence(0)
      try await home.until("it is missed") { saying("discovery does not work") == round }
      // Nothing that either remembers helps.
      try home.network.swapRouter(for: "10.12.\(round)")
      try home.network.announceAnew(0)
      let watch = home.stopwatch()
      try await home.meet()
      try await home.agree()
      watch.expect(within: .seconds(5), "the Avahi daemon was started anew")
      try await home.until("it is said") { saying("discovery works again") == round }
    }
  }

  @Test("an Avahi daemon that hangs holds up nothing but discovery, and is used again once it goes on")
  func avahiHangs() async throws {
    let home = try await Home(discovering: 2)
    try await home.meet()
    try home.network.hang(0, true)
    // Each announces something else, and asks for that.
    for _ in 0..<3 { let _: InvitationAnswer = try await home.devices[0].json("invite") }
    let watch = home.stopwatch()
    try await home.agree()
    watch.expect(within: .seconds(2), "the Avahi daemon hangs")
    let (status, time) = try await home.devices[0].stop()
    #expect(status == 0 && time < .seconds(5), "\(status) after \(time)")
    // Nothing that either remembers helps.
    try home.network.swapRouter(for: "10.9.0")
    let start = ContinuousClock.now
    try await home.devices[0].startLocally()
    #expect(ContinuousClock.now - start < .seconds(5))
    try home.network.hang(0, false)
    let found = home.stopwatch()
    try await home.meet()
    found.expect(within: .seconds(5), "the Avahi daemon goes on")
  }

  /// Of a device, and of Avahi: a service for each name, a browser, what is announced, and two more.
  @Test(
    "names beyond a limit hide others only while they stand, however often some come and go",
    arguments: [
      (objects: Limits.sightedServices + 4, names: Limits.sightedServices + 16), (objects: 40, names: 60),
    ])
  func manyNames(objects: Int, names: Int) async throws {
    let network = try TestNetwork(3)
    for index in 0..<3 { try network.address(index, "10.7.0.\(index + 1)/24") }
    try network.announce(objects: objects)
    let home = try await Home(network: network, discovering: 2)
    try await home.meet()
    try await home.devices[1].stop()
    // It says goodbye once, and whose address changes at that moment does not hear it.
    try await home.until("it is seen no more") { try network.names(at: 0).count == 1 }
    // Nothing that either remembers helps, and the first has to find the second.
    try network.swapRouter(for: "10.9.0")
    try network.filter(1, "tcp flags & (syn | ack) == syn drop")
    let stranger = try await network.speak(2)
    let all = #""name": "x", "address": "10.9.0.9", "port": 9, "count": \#(names)"#
    try await stranger.tell("{\(all)}", expecting: "said")
    try await home.until("all are seen") { try network.names(at: 0).count == names + 1 }
    // The last were passed over. Each that goes has what is there looked at again.
    for index in (0..<8).map({ names - 1 - $0 }) {
      try await stranger.tell(
        #"{"name": "x\#(index)", "address": "10.9.0.9", "port": 9, "ttl": 0}"#, expecting: "said")
      try await home.until("one is gone") { try !network.names(at: 0).contains("x\(index)") }
    }
    try await home.devices[1].startLocally()
    try await home.until("it is announced") { try network.names(at: 0).count == names - 8 + 2 }
    try await stranger.tell("{\(all), \"ttl\": 0}", expecting: "said")
    try await home.meet()
    #expect(!home.devices[0].log.contains("discovery does not work"), "\(home.devices[0].log)")
  }

  @Test("on no network nobody is invited, and it is said why")
  func noNetwork() async throws {
    let network = try TestNetwork(1)
    try network.announce()
    let device = try await PeerdProcess("Phone", namespace: network[0], bus: network.bus(0))
    try await device.startLocally()
    try network.on(0, "ip", "link", "set", "eth0", "down")
    let home = Home(network: network, devices: [device])
    try await home.until("nobody is invited") { try await device.run("invite").status == 1 }
    let said = try await device.run("invite")
    #expect(said.errors.contains("no other device can reach this one"), "\(said)")
    #expect(!said.output.contains("peerd join"), "\(said)")
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

  @Test("a name is probed for with one text, whatever is to be announced meanwhile: it is given up else")
  func textWhileProbing() async throws {
    let network = try TestNetwork(1)
    try network.address(0, "10.7.0.1/24")
    try network.announce()
    let directory = try TemporaryDirectory()
    let recording = try await network.record(bridge: 1, to: directory.path + "/packets")
    let device = try await PeerdProcess("Phone", namespace: network[0], bus: network.bus(0))
    try await device.startLocally()
    for _ in 1...3 { #expect(try await device.run("invite").status == 0) }
    let home = Home(network: network, devices: [device])
    try await home.until("the name is its own") { try network.announced(to: 0).count == 1 }
    await recording.end()
    let (status, output) = try Python.script("capture.py", ["probed", directory.path + "/packets"])
    #expect(status == 0 && output.split(separator: "\n").count == 1, "\(output)")
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
    try await home.agree()
    let isSaid = home.devices.allSatisfy { $0.log.contains("discovery does not work") }
    #expect(isSaid, "\(home.devices[0].log)")
    let start = ContinuousClock.now
    let code = try await home.devices[0].run("join", "ABCD-EFGH-JKMN")
    #expect(ContinuousClock.now - start >= .milliseconds(Limits.invitationSearchMilliseconds))
    #expect(code.status == 1 && code.errors.contains("discovery does not work here"), "\(code)")
    // Nobody finds this one by the code alone.
    let invitation = try await home.devices[0].run("invite")
    #expect(invitation.output.contains("peersync://10.7.0.1:7400/"), "\(invitation)")
    #expect(!invitation.output.contains("code alone"), "\(invitation)")
  }
}
