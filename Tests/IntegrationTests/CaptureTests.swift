import Foundation
import PeerSync
import Testing

/// What a stranger on the network records on two days, and whether it links them.
@Suite(
  "Local network: captures", .serialized, .pacedFirst, .noHang,
  .enabled(if: TestNetwork.isPossible, "it takes root, and a system with network namespaces"))
struct CaptureTests {
  @Test(
    "G74 G77: nothing that devices send on one day is sent again on another, but for what all devices send, beside one that was removed"
  )
  func twoDays() async throws {
    let directory = try TemporaryDirectory()
    let (days, others) = (["one", "two"].map { "\(directory.path)/\($0)" }, "\(directory.path)/others")
    try await capture([days[0], days[1]])
    try await capture([others + "1", others + "2"])
    let baseline = [others + "1", others + "2"]
    let (status, output) = try Python.script("capture.py", ["link"] + days + baseline)
    print("captures: \(output)")
    #expect(status == 0, "\(output)")
    // A stranger who compares does see what is there twice.
    let secret = (0..<8).map { _ in UInt8.random(in: 0...255) }
    for day in days {
      try plant(secret, over: IPPROTO_UDP, header: [UInt8](repeating: 0, count: 8), in: day)
      // A header of five words, without options.
      let words = [UInt8](repeating: 0, count: 12) + [0x50] + [UInt8](repeating: 0, count: 7)
      try plant(secret.reversed(), over: IPPROTO_TCP, header: words, in: day)
    }
    let planted = try Python.script("capture.py", ["link"] + days + baseline)
    #expect(planted.status == 1 && planted.output.contains("4 of them link"), "\(planted.output)")
  }

  /// Records on the bridge what three devices send on two days, from their start to their end, on networks with other addresses. One of
  /// them was removed by the others, and hears of that on the first day.
  private func capture(_ days: [String]) async throws {
    let home = try await Home(discovering: 3)
    try await home.meet()
    let left = Home(network: home.network, devices: Array(home.devices.prefix(2)))
    try await home.devices[2].stop()
    let removal = try await home.devices[0].run("remove", home.devices[2].name)
    #expect(removal.status == 0, "\(removal.errors)")
    for (number, day) in days.enumerated() {
      for (index, device) in home.devices.enumerated() {
        try await device.stop()
        // Link-local addresses follow from those of the hardware, which are not ours to hide.
        try home.network.on(index, "ip", "link", "set", "eth0", "down")
        try home.network.on(index, "ip", "link", "set", "eth0", "address", "02:00:00:00:00:0\(index + 1)")
        try home.network.on(index, "ip", "link", "set", "eth0", "up")
      }
      try home.network.swapRouter(for: "10.\(number + 8).0")
      let recording = try await home.network.record(bridge: 1, to: day)
      for device in home.devices {
        try await device.startLocally(options: ["--clock-offset", "\(number * 24)h"])
      }
      try await left.meet()
      try await left.agree()
      for device in home.devices { try await device.stop() }
      await recording.end()
    }
  }

  /// Adds a packet.
  private func plant(_ bytes: [UInt8], over transport: Int, header: [UInt8], in day: String) throws {
    let length = UInt8(20 + header.count + bytes.count)
    let start: [UInt8] = [0x45, 0, 0, length, 0, 0, 0, 0, 1, UInt8(transport), 0, 0]
    let internet = start + [10, 8, 0, 1, 224, 0, 0, 251]
    let frame = [UInt8](repeating: 2, count: 12) + [8, 0] + internet + header + bytes
    let line = frame.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "\n"
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: day))
    try file.seekToEnd()
    try file.write(contentsOf: Data(line.utf8))
    try file.close()
  }
}
