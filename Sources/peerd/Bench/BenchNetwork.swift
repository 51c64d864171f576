import Foundation
import PeerSync

/// Two machines on one cable: network namespaces, each with an Avahi daemon and a bus of its own. They are removed at the end, also
/// when this program is told to stop.
final class BenchNetwork: Sendable {
  /// `CLONE_NEWNET` and `setns` of `sched.h`, which Swift does not import.
  private static let newNetwork: Int32 = 0x4000_0000
  private static let enter = dlsym(nil, "setns").map {
    unsafeBitCast($0, to: (@convention(c) (_ namespace: Int32, _ kind: Int32) -> Int32).self)
  }

  let machines: [NetworkNamespace]
  private let directory: TemporaryDirectory
  private let cleanup: UUID

  init() throws {
    let needs = "discover takes root, and a system with network namespaces, ip, dbus-daemon and avahi-daemon"
    let inKorean = "discover 벤치마크는 root로, 네트워크 네임스페이스와 ip, dbus-daemon, avahi-daemon이 있는 시스템에서 실행하세요"
    guard getuid() == 0 else { throw BenchmarkError(needs, inKorean) }
    directory = try TemporaryDirectory()
    let machines: [NetworkNamespace]
    do {
      try NetworkNamespace.sweep()
      machines = try (1...2).map { try NetworkNamespace("bench-\($0)") }
    } catch { throw BenchmarkError("\(needs): \(error)", "\(inKorean): ‘\(error)’") }
    self.machines = machines
    cleanup = try Cleanup.add { for machine in machines { machine.remove() } }
    try machines[0].run(
      "ip", "link", "add", "eth0", "type", "veth", "peer", "name", "eth0", "netns", machines[1].name)
    for machine in machines {
      for link in ["lo", "eth0"] { try machine.run("ip", "link", "set", link, "up") }
    }
  }

  deinit {
    for machine in machines { machine.remove() }
    Cleanup.forget(cleanup)
  }

  /// Gives a machine this IPv4 address, and takes away the one it had.
  func address(_ machine: Int, _ address: String) throws {
    try machines[machine].run("ip", "address", "flush", "dev", "eth0", "scope", "global")
    try machines[machine].run("ip", "address", "add", address + "/24", "dev", "eth0")
  }

  /// Starts the Avahi daemons.
  func announce() throws {
    for (index, machine) in machines.enumerated() {
      try machine.announce(as: "bench-\(index)", in: directory.path)
    }
  }

  /// Where a machine has its bus.
  func bus(_ machine: Int) -> String { machines[machine].bus(of: "bench-\(machine)", in: directory.path) }

  /// Runs something that blocks on a thread that is on a machine: the sockets that it opens are there.
  func inside<Result: Sendable>(
    _ machine: Int, _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    let path = "/run/netns/" + machines[machine].name
    return try await onThread { () throws -> Result in
      let namespace = open(path, O_RDONLY | O_CLOEXEC)
      defer { close(namespace) }
      guard namespace >= 0, Self.enter?(namespace, Self.newNetwork) == 0 else {
        throw BenchmarkError("\(path) cannot be entered", "\(path) 네임스페이스에 들어갈 수 없습니다")
      }
      return try body()
    }
  }

  /// How many bytes have left a machine for the cable, with all headers.
  func sentBytes(_ machine: Int) throws -> Double {
    let text = try machines[machine].run("cat", "/sys/class/net/eth0/statistics/tx_bytes")
    return Double(text.filter(\.isNumber)) ?? 0
  }
}
