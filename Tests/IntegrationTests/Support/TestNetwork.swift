import Foundation
import PeerSync

/// A network of its own, as in a home: each device in a network namespace, with a link to the bridge of a router in another.
///
/// Nothing of it touches the network of this machine: its addresses exist inside these namespaces alone. Every namespace bears the
/// process id of the tests in its name, and is removed by that name; those that a killed run has left, by the next one.
final class TestNetwork: Sendable {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// What begins the name of every namespace.
  private static let prefix = "peersync-"
  private static let count = Guarded(0)

  private let name: String
  private let devices: [String]
  private let directory: TemporaryDirectory

  /// Whether namespaces can be had here. What else is missing where they can is a failure of the tests, not a reason to skip
  /// them.
  static let isPossible: Bool = {
    guard getuid() == 0 else { return false }
    let name = "\(prefix)\(getpid())-probe"
    guard (try? run("ip", "netns", "add", name)) != nil else { return false }
    return (try? run("ip", "netns", "delete", name)) != nil
  }()

  /// Makes the router, its bridges, and devices whose link is up and that have no address yet.
  ///
  /// - Parameter bridges: how many networks the router has, which do not reach each other
  init(_ count: Int, bridges: Int = 1) throws {
    try Self.sweep()
    directory = try TemporaryDirectory()
    let number = Self.count.withLock { count in
      count += 1
      return count
    }
    name = "\(Self.prefix)\(getpid())-\(number)"
    devices = (1...count).map { [name] in "\(name)-\($0)" }
    try Self.run("ip", "netns", "add", name)
    for bridge in 1...bridges {
      try router("ip", "link", "add", "bridge\(bridge)", "type", "bridge")
      try router("ip", "link", "set", "bridge\(bridge)", "up")
    }
    for (index, device) in devices.enumerated() {
      try Self.run("ip", "netns", "add", device)
      try router(
        "ip", "link", "add", "port\(index)", "type", "veth", "peer", "name", "eth0", "netns", device)
      try plug(index, into: 1)
      try on(index, "ip", "link", "set", "lo", "up")
      try on(index, "ip", "link", "set", "eth0", "up")
    }
  }

  deinit {
    for namespace in [name] + devices { Self.remove(namespace) }
  }

  /// The namespace of a device.
  subscript(device: Int) -> String { devices[device] }

  /// Gives each device an Avahi daemon of its own, with a bus of its own: its name is of no other device.
  ///
  /// They end with their namespace.
  func announce() throws {
    for (index, device) in devices.enumerated() {
      let buses = try directory.write(Self.busFile(directory.path + "/bus-\(index)"), to: "bus-\(index).conf")
      let avahi = try directory.write(Self.avahiFile("host-\(index)"), to: "avahi-\(index).conf")
      let log = directory.path + "/avahi-\(index).log"
      // A daemon must hold nothing by which its end is awaited here.
      let script = """
        for held in /proc/self/fd/*; do held=${held##*/}; [ "$held" -le 2 ] || eval "exec $held>&-"; done
        mkdir -p /run/avahi-daemon && mount -t tmpfs none /run/avahi-daemon
        dbus-daemon --config-file=\(buses) --fork --nopidfile --nosyslog
        exec avahi-daemon -D -f \(avahi) --no-drop-root --no-chroot --no-rlimits
        """
      // Its output is not ours: whoever holds it would never see the end.
      let command = ["ip", "netns", "exec", device, "bash", "-c", "exec >\(log) 2>&1 </dev/null; \(script)"]
      try Self.run(["env", "DBUS_SYSTEM_BUS_ADDRESS=\(bus(index))"] + command)
    }
  }

  /// Where a device finds its bus.
  func bus(_ device: Int) -> String { "unix:path=\(directory.path)/bus-\(device)" }

  /// The strings of the TXT records of all instances of the service that are seen at a device now, by their names.
  func announced(to device: Int) throws -> [String: [[UInt8]]] {
    let browsed = try browse(at: device, "--resolve")
    var records: [String: [[UInt8]]] = [:]
    // =;eth0;IPv4;name;type;domain;host;address;port;"text" "text"
    for line in browsed.split(separator: "\n") where line.hasPrefix("=;eth0;IPv4;") {
      let fields = line.split(separator: ";", maxSplits: 9, omittingEmptySubsequences: false)
      records[String(fields[3])] = Self.strings(Array(fields[9].utf8))
    }
    return records
  }

  /// The names of all instances of the service that are seen at a device now. Unlike their records they can be had while some go.
  func names(at device: Int) throws -> Set<String> {
    let lines = try browse(at: device).split(separator: "\n").filter { $0.hasPrefix("+;eth0;IPv4;") }
    return Set(lines.map { String($0.split(separator: ";", omittingEmptySubsequences: false)[3]) })
  }

  private func browse(at device: Int, _ options: String...) throws -> String {
    let command =
      [
        // Threads of Dispatch block every signal, which a process inherits: without its alarm `timeout` waits for ever as well.
        "env", "--default-signal", "DBUS_SYSTEM_BUS_ADDRESS=\(bus(device))", "ip", "netns", "exec",
        devices[device], "timeout", "5",
      ]
      + ["avahi-browse", "--parsable", "--terminate"] + options + ["_peersync._tcp"]
    // It waits for ever for the record of an instance that went while it was being resolved.
    for _ in 0..<3 { if let found = try? Self.run(command) { return found } }
    return try Self.run(command)
  }

  /// Reads strings in quotes, in which a backslash stands before three digits, or before a character of its own.
  private static func strings(_ text: [UInt8]) -> [[UInt8]] {
    var (strings, current): ([[UInt8]], [UInt8]?) = ([], nil)
    var rest = text[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\"") {
        if let string = current { strings.append(string) }
        current = current == nil ? [] : nil
      } else if byte == UInt8(ascii: "\\"), let code = UInt8(String(decoding: rest.prefix(3), as: UTF8.self))
      {
        current?.append(code)
        rest = rest.dropFirst(3)
      } else if byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() {
        current?.append(escaped)
      } else {
        current?.append(byte)
      }
    }
    return strings
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
    use-ipv4=yes
    use-ipv6=yes
    allow-interfaces=eth0
    [wide-area]
    enable-wide-area=no
    [publish]
    publish-hinfo=no
    publish-workstation=no
    """
  }

  /// Gives a device these addresses, and takes away those it had.
  func address(_ device: Int, _ addresses: String...) throws {
    try on(device, "ip", "address", "flush", "dev", "eth0", "scope", "global")
    // Nobody else is here who could have it: it need not be tried out first.
    for address in addresses { try on(device, "ip", "address", "add", address, "dev", "eth0", "nodad") }
  }

  /// Plugs the link of a device into a bridge.
  func plug(_ device: Int, into bridge: Int) throws {
    try router("ip", "link", "set", "port\(device)", "master", "bridge\(bridge)", "up")
  }

  /// Pulls the cable of a device.
  func unplug(_ device: Int) throws { try router("ip", "link", "set", "port\(device)", "down") }

  /// Has a rule of nft decide what leaves a device for the network, as `drop` or `meta length > 1228 drop`; nil: everything does.
  func filter(_ device: Int, _ rule: String?) throws {
    try on(device, "nft", "flush", "ruleset")
    guard let rule else { return }
    try on(device, "nft", "add table inet filter")
    try on(device, "nft", "add chain inet filter out { type filter hook output priority 0; }")
    try on(device, "nft", "add rule inet filter out oifname eth0 \(rule)")
  }

  /// Runs a command in the namespace of a device.
  func on(_ device: Int, _ command: String...) throws {
    try Self.run(["ip", "netns", "exec", devices[device]] + command)
  }

  private func router(_ command: String...) throws {
    try Self.run(["ip", "netns", "exec", name] + command)
  }

  /// Removes what runs of these tests have left that are over.
  private static func sweep() throws {
    for line in try run("ip", "netns", "list").split(separator: "\n") where line.hasPrefix(prefix) {
      let namespace = String(line.prefix { $0 != " " })
      guard let owner = namespace.split(separator: "-").dropFirst().first.flatMap({ pid_t($0) }) else {
        continue
      }
      if kill(owner, 0) != 0, errno == ESRCH { remove(namespace) }
    }
  }

  /// Ends what still runs in a namespace, by its process id, and removes it.
  private static func remove(_ namespace: String) {
    let left = (try? run("ip", "netns", "pids", namespace)) ?? ""
    for process in left.split(separator: "\n").compactMap({ pid_t($0) }) { kill(process, SIGKILL) }
    _ = try? run("ip", "netns", "delete", namespace)
  }

  @discardableResult private static func run(_ command: String...) throws -> String { try run(command) }

  /// Runs a command to its end.
  ///
  /// - Returns: its output
  @discardableResult private static func run(_ command: [String]) throws -> String {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(description: "\(command.joined(separator: " ")): \(text)")
    }
    return text
  }
}
