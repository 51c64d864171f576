import Foundation
import PeerSync
import Testing

/// What a stranger on the network records on two days, and whether it links them.
@Suite(
  "Local network: captures", .serialized, .paced, .noHang,
  .enabled(if: TestNetwork.isPossible, "it takes root, and a system with network namespaces"))
struct CaptureTests {
  @Test(
    "G74 G77: nothing that devices send on one day is sent again on another, but for what all devices send")
  func twoDays() async throws {
    let directory = try TemporaryDirectory()
    let (days, others) = (["one", "two"].map { "\(directory.path)/\($0)" }, "\(directory.path)/others")
    let home = try await Home(discovering: 2)
    try await capture([days[0], days[1]], home)
    let neighbours = try await Home(discovering: 2)
    try await capture([others + "1", others + "2"], neighbours)
    let baseline = [others + "1", others + "2"]
    let (status, output) = try Python.script("capture.py", ["link"] + days + baseline)
    print("captures: \(output)")
    #expect(status == 0, "\(output)")
    // A stranger who compares does see what is there twice.
    let secret = (0..<8).map { _ in UInt8.random(in: 0...255) }
    for day in days { try plant(secret, in: day) }
    let planted = try Python.script("capture.py", ["link"] + days + baseline)
    #expect(planted.status == 1 && planted.output.contains("3 of them link"), "\(planted.output)")
  }

  /// Records what devices send on two days, from their start to their end, on networks with other addresses.
  private func capture(_ days: [String], _ home: Home) async throws {
    for (number, day) in days.enumerated() {
      for (index, device) in home.devices.enumerated() {
        try await device.stop()
        // Link-local addresses follow from those of the hardware, which are not ours to hide.
        try home.network.on(index, "ip", "link", "set", "eth0", "down")
        try home.network.on(index, "ip", "link", "set", "eth0", "address", "02:00:00:00:00:0\(index + 1)")
        try home.network.on(index, "ip", "link", "set", "eth0", "up")
        try home.network.address(index, "10.\(number + 8).0.\(index + 1)/24")
      }
      let recording = try await Recording(in: home.network[0], to: day)
      for device in home.devices {
        try await device.startLocally(options: ["--clock-offset", "\(number * 24)h"])
      }
      try await home.meet()
      _ = try await home.agree()
      for device in home.devices { try await device.stop() }
      await recording.end()
    }
  }

  /// Adds a packet over UDP.
  private func plant(_ bytes: [UInt8], in day: String) throws {
    let length = UInt8(28 + bytes.count)
    let header: [UInt8] = [0x45, 0, 0, length, 0, 0, 0, 0, 1, 17, 0, 0, 10, 8, 0, 1, 224, 0, 0, 251]
    let frame = [UInt8](repeating: 2, count: 12) + [8, 0] + header + [UInt8](repeating: 0, count: 8) + bytes
    let line = frame.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "\n"
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: day))
    try file.seekToEnd()
    try file.write(contentsOf: Data(line.utf8))
    try file.close()
  }
}

/// All packets that pass a device's link, written down by `scripts/capture.py`. It ends by its own process id at the latest when the
/// last reference goes.
private final class Recording: @unchecked Sendable {
  private let process = Process()
  private let (input, output) = (Pipe(), Pipe())

  init(in namespace: String, to path: String) async throws {
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "ip", "netns", "exec", namespace, "python3", "-B", Python.root + "/scripts/capture.py", "record", path,
    ]
    process.environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    let said = await onThread { self.output.fileHandleForReading.readLine() }
    guard said == "recording" else { throw TestNetwork.Failure(description: "nothing can be recorded") }
  }

  deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

  /// Waits until all is written down.
  func end() async {
    try? input.fileHandleForWriting.close()
    await onThread { self.process.waitUntilExit() }
  }
}
