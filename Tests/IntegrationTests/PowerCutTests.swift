import PeerSync
import Testing

/// Whether they can be had here.
private enum PowerCut {
  static let isPossible = (try? Python.script("powercut.py", ["--probe"]).status) == 0
}

/// Power cuts under a device that writes, on a file system of its own. `make powercut` does more of them.
@Suite(
  "Power cuts", .paced, .noHang,
  .enabled(
    if: PowerCut.isPossible, "it takes root, python3, mkfs.ext4, and loop devices that can be mounted"))
struct PowerCutTests {
  @Test("what was acknowledged outlasts five power cuts, and does not when commits are not synced")
  func powerCuts() async throws {
    let (status, output) = try await onThread {
      try Python.script("powercut.py", ["--cuts", "5", Peerd.path])
    }
    print(output)
    #expect(status == 0, "\(output)")
  }
}
