import Foundation
import PeerSync
import Testing

/// What homes do to networks, each on a network of its own. Run by `make network`, and with all other tests.
@Suite(
  "Local network", .serialized, .pacedFirst, .noHang,
  .enabled(if: TestNetwork.isPossible, "it takes root, and a system with network namespaces"))
struct LocalNetworkTests {
  @Test("G75: of three devices one gets another address, then another one does, and all stay together")
  func oneMoves() async throws {
    let home = try await Home(3)
    for index in [1, 0] {
      let watch = home.stopwatch()
      try home.network.address(index, "10.7.0.\(index + 11)/24")
      try await home.agree()
      watch.expect(within: .seconds(5), "G75: device \(index) moved")
      try await home.meet()
      let name = home.devices[index].name
      try await home.until("all know \(name) at its new address") {
        try await home.statuses().enumerated().allSatisfy { other, status in
          other == index || status.peers.first { $0.name == name }?.address == "10.7.0.\(index + 11):7400"
        }
      }
    }
  }

  @Test("G75: two of three get other addresses at once, and find each other by the third")
  func twoMove() async throws {
    let home = try await Home(3)
    let watch = home.stopwatch()
    for index in [0, 1] { try home.network.address(index, "10.7.0.\(index + 21)/24") }
    try await home.agree()
    watch.expect(within: .seconds(5), "G75: two moved")
    try await home.meet()
  }

  @Test("G75: a device that starts before its network is there is in sync once it is")
  func startsWithoutNetwork() async throws {
    let home = try await Home(2)
    try await home.devices[1].stop()
    try home.network.address(1)
    try home.network.unplug(1)
    try await home.devices[1].start(listen: "0.0.0.0:7400")
    let alone = try await home.devices[1].run("invite")
    #expect(alone.status == 1 && alone.errors.contains("no network"), "\(alone)")
    let watch = home.stopwatch()
    try home.network.plug(1, into: 1)
    try home.network.address(1, "10.7.0.31/24")
    try await home.agree()
    watch.expect(within: .seconds(5), "G75: the network came")
    let invitation: InvitationAnswer = try await home.devices[1].json("invite")
    #expect(invitation.link.hasPrefix("peersync://10.7.0.31:7400/"))
  }

  @Test("G76: one direction is blocked: the dead session is found within 10 s, and nothing is lost")
  func oneWay() async throws {
    let home = try await Home(2)
    try home.network.filter(1, "drop")
    try await findDead(home)
    try home.network.filter(1, nil)
    let watch = home.stopwatch()
    try await home.meet()
    try await home.agree()
    watch.expect(within: .seconds(20), "G76: the way was free again")
  }

  @Test("G76: a machine that has stopped is found out although its system still acknowledges")
  func stopped() async throws {
    let home = try await Home(2)
    let pid = try #require(home.devices[1].pid)
    kill(pid, SIGSTOP)
    defer { kill(pid, SIGCONT) }
    try await findDead(home)
    kill(pid, SIGCONT)
    let watch = home.stopwatch()
    try await home.meet()
    try await home.agree()
    watch.expect(within: .seconds(5), "G76: the machine went on")
  }

  /// Buys on the first of two devices and waits until it knows that the other one is gone.
  private func findDead(_ home: Home) async throws {
    let _: TransactionResult = try await home.devices[0].json("buy", "CarefreeOwl")
    let watch = home.stopwatch()
    try await home.until("it is found dead") {
      let status: StatusAnswer = try await home.devices[0].status()
      return !status.peers.contains { $0.connected }
    }
    // Whoever asks needs a moment to see it.
    watch.expect(within: .milliseconds(Int(Limits.answerMilliseconds) + 500), "G76: found dead")
  }

  @Test("G76: of what is sent 5 % is lost: everything arrives")
  func lossy() async throws {
    let home = try await Home(2)
    for index in 0..<2 { try home.network.filter(index, "numgen random mod 100 < 5 drop") }
    let watch = home.stopwatch()
    for _ in 0..<5 { try await home.agree() }
    watch.expect(within: .seconds(25), "G76: five times with 5 % lost")
    try await home.meet()
  }

  @Test("G76: all that is sent arrives 200 ms later: nobody is taken for dead")
  func slow() async throws {
    let network = try TestNetwork(2, bridges: 2)
    try network.route()
    let devices = try await network.devices(apart: 2)
    for device in devices { try await device.start(listen: "0.0.0.0:7400") }
    // There is no other way: the router passes nothing on.
    let relay = try await network.relay(from: "10.7.0.254:7400", to: "10.8.0.2:7400", milliseconds: 200)
    let invitation: InvitationAnswer = try await devices[1].json("invite")
    let _: MembershipAnswer = try await devices[0].json(
      "join", "peersync://10.7.0.254:7400/\(invitation.code)")
    try await devices[0].stop()
    try await devices[0].start(listen: "0.0.0.0:7400", peers: ["10.7.0.254:7400"])
    let home = Home(network: network, devices: devices)
    try await home.meet()
    let before = devices.map(\.log)
    for _ in 0..<3 {
      let watch = home.stopwatch()
      try await home.agree()
      #expect(watch.time > .milliseconds(200))
      watch.expect(within: .seconds(5), "G76: 200 ms late")
    }
    #expect(devices.map(\.log) == before, "a session has ended")
    withExtendedLifetime(relay) {}
  }

  @Test("G76: packets of more than 1,200 bytes vanish: the next session does without them")
  func smallPackets() async throws {
    let home = try await Home(2)
    for index in 0..<2 { try home.network.filter(index, "meta length > 1200 drop") }
    let watch = home.stopwatch()
    try await home.agree()
    watch.expect(within: .seconds(15), "G76: large packets vanished")
  }

  @Test("--peer takes a name, which is looked up at each dial")
  func peerByName() async throws {
    let home = try await Home(2)
    try await home.devices[0].stop()
    try await home.devices[1].stop()
    // Neither knows the new address of the other: both have moved while they were off.
    for index in 0..<2 { try home.network.address(index, "10.7.0.\(index + 41)/24") }
    try await home.devices[0].start(listen: "0.0.0.0:7401")
    // A number in hexadecimal is a name to us, and stands for 10.7.0.41 to the system.
    let names = ["nobody.invalid:7401", "0x0a070029:7401"]
    try await home.devices[1].start(listen: "0.0.0.0:7400", peers: names)
    try await home.agree()
  }

  @Test("whoever listens on [::] is reached over IPv4, whatever the system's default is")
  func bothFamilies() async throws {
    let home = try await Home(2)
    for (index, device) in home.devices.enumerated() {
      try await device.stop()
      try home.network.on(index, "sysctl", "-w", "net.ipv6.bindv6only=1")
      try await device.start(listen: "[::]:7400")
    }
    try await home.meet()
  }
}
