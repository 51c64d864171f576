import Foundation
import PeerSync

/// Two machines on one cable: network namespaces, each with an Avahi daemon and a bus of its own. Making them takes root.
///
/// They bear this process's id in their names and are removed by those, also when it is told to stop; what one that was killed has
/// left, the next one removes.
final class BenchNetwork: Sendable {
  private static let prefix = "peersync-"
  /// `CLONE_NEWNET` and `setns` of `sched.h`, which Swift does not import.
  private static let newNetwork: Int32 = 0x4000_0000
  private static let enter = dlsym(nil, "setns").map {
    unsafeBitCast($0, to: (@convention(c) (_ namespace: Int32, _ kind: Int32) -> Int32).self)
  }

  let names: [String]
  private let directory: TemporaryDirectory
  private let cleanup: UUID

  init() throws {
    let needs = "discover takes root, and a system with network namespaces, ip, dbus-daemon and avahi-daemon"
    guard getuid() == 0 else { throw BenchmarkError(needs) }
    try Self.sweep()
    let names = (1...2).map { "\(Self.prefix)\(getpid())-bench-\($0)" }
    self.names = names
    directory = try TemporaryDirectory()
    cleanup = try Cleanup.add { for name in names { Self.remove(name) } }
    do {
      for name in names { try Self.run("ip", "netns", "add", name) }
    } catch { throw BenchmarkError("\(needs): \(error)") }
    try on(0, "ip", "link", "add", "eth0", "type", "veth", "peer", "name", "eth0", "netns", names[1])
    for index in names.indices {
      for link in ["lo", "eth0"] { try on(index, "ip", "link", "set", link, "up") }
    }
  }

  deinit {
    for name in names { Self.remove(name) }
    Cleanup.forget(cleanup)
  }

  /// Gives a machine this IPv4 address, and takes away the one it had.
  func address(_ machine: Int, _ address: String) throws {
    try on(machine, "ip", "address", "flush", "dev", "eth0", "scope", "global")
    try on(machine, "ip", "address", "add", address + "/24", "dev", "eth0")
  }

  /// Starts the Avahi daemons. They end with their namespaces.
  func announce() throws {
    for index in names.indices {
      let busFile = try write(Self.busFile(directory.path + "/bus-\(index)"), "bus-\(index).conf")
      let avahiFile = try write(Self.avahiFile("bench-\(index)"), "avahi-\(index).conf")
      // A daemon must hold nothing by which its end is awaited here.
      let script = """
        exec >\(directory.path)/avahi-\(index).log 2>&1 </dev/null
        for held in /proc/self/fd/*; do held=${held##*/}; [ "$held" -le 2 ] || eval "exec $held>&-"; done
        mkdir -p /run/avahi-daemon && mount -t tmpfs none /run/avahi-daemon
        dbus-daemon --config-file=\(busFile) --fork --nopidfile --nosyslog
        exec avahi-daemon -D -f \(avahiFile) --no-drop-root --no-chroot --no-rlimits
        """
      try on(index, "env", "DBUS_SYSTEM_BUS_ADDRESS=\(bus(index))", "bash", "-c", script)
    }
  }

  /// Where a machine has its bus.
  func bus(_ machine: Int) -> String { "unix:path=\(directory.path)/bus-\(machine)" }

  /// Runs something that blocks on a thread that is on a machine: the sockets that it opens are there.
  func inside<Result: Sendable>(
    _ machine: Int, _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    let path = "/run/netns/" + names[machine]
    return try await onThread { () throws -> Result in
      let namespace = open(path, O_RDONLY | O_CLOEXEC)
      defer { close(namespace) }
      guard namespace >= 0, Self.enter?(namespace, Self.newNetwork) == 0 else {
        throw BenchmarkError("\(path) cannot be entered")
      }
      return try body()
    }
  }

  /// How many bytes have left a machine for the cable, with all headers.
  func sentBytes(_ machine: Int) throws -> Double {
    let text = try on(machine, "cat", "/sys/class/net/eth0/statistics/tx_bytes")
    return Double(text.filter(\.isNumber)) ?? 0
  }

  @discardableResult private func on(_ machine: Int, _ command: String...) throws -> String {
    try Self.run(["ip", "netns", "exec", names[machine]] + command)
  }

  private func write(_ content: String, _ name: String) throws -> String {
    let path = directory.path + "/" + name
    try Data(content.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  private static func busFile(_ path: String) -> String {
    """
    <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
      "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
    <busconfig><type>system</type><listen>unix:path=\(path)</listen><auth>EXTERNAL</auth>
    <policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/>
    <allow user="*"/></policy></busconfig>
    """
  }

  private static func avahiFile(_ host: String) -> String {
    """
    [server]
    host-name=\(host)
    allow-interfaces=eth0
    [wide-area]
    enable-wide-area=no
    [publish]
    publish-hinfo=no
    publish-workstation=no
    """
  }

  private static func sweep() throws {
    let left = (try? FileManager.default.contentsOfDirectory(atPath: "/run/netns")) ?? []
    for name in left where name.hasPrefix(prefix) && name.contains("-bench-") {
      let owner = name.split(separator: "-").dropFirst().first.flatMap { pid_t($0) }
      if let owner, kill(owner, 0) != 0, errno == ESRCH { remove(name) }
    }
  }

  /// Ends what still runs in a namespace, by its process id, and removes it.
  private static func remove(_ name: String) {
    let left = (try? run(["ip", "netns", "pids", name])) ?? ""
    for process in left.split(separator: "\n").compactMap({ pid_t($0) }) { kill(process, SIGKILL) }
    _ = try? run(["ip", "netns", "delete", name])
  }

  @discardableResult private static func run(_ command: String...) throws -> String { try run(command) }

  /// Runs a command to its end and returns its output.
  @discardableResult private static func run(_ command: [String]) throws -> String {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw BenchmarkError("\(command.joined(separator: " ")): \(text)")
    }
    return text
  }
}
