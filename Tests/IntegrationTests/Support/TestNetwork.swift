import Foundation
import PeerSync
import peerd

/// A network of its own, as in a home: each device in a network namespace, with a link to the bridge of a router in another.
///
/// Nothing of it touches the network of this machine: its addresses exist inside these namespaces alone. Every namespace bears the
/// process id of the tests in its name, and is removed by that name; those that a killed run has left, by the next one.
final class TestNetwork: Sendable {
  typealias Failure = NetworkNamespace.Failure

  private static let count = Guarded(0)

  private let router: NetworkNamespace
  private let bridges: Int
  private let devices: [NetworkNamespace]
  private let directory: TemporaryDirectory

  /// Whether namespaces can be had here. What else is missing where they can is a failure of the tests, not a reason to skip
  /// them.
  static let isPossible: Bool = {
    guard getuid() == 0 else { return false }
    guard let probe = try? NetworkNamespace("probe") else { return false }
    probe.remove()
    return true
  }()

  /// Makes the router, its bridges, and devices whose link is up and that have no address yet.
  ///
  /// - Parameter bridges: how many networks the router has, which do not reach each other
  init(_ count: Int, bridges: Int = 1) throws {
    try NetworkNamespace.sweep()
    directory = try TemporaryDirectory()
    let number = Self.count.withLock { count in
      count += 1
      return count
    }
    router = try NetworkNamespace("\(number)")
    self.bridges = bridges
    devices = try (1...count).map { try NetworkNamespace("\(number)-\($0)") }
    for bridge in 1...bridges {
      try router.run("ip", "link", "add", "bridge\(bridge)", "type", "bridge")
      try router.run("ip", "link", "set", "bridge\(bridge)", "up")
    }
    for (index, device) in devices.enumerated() {
      try router.run(
        "ip", "link", "add", "port\(index)", "type", "veth", "peer", "name", "eth0", "netns", device.name)
      try plug(index, into: 1)
      try on(index, "ip", "link", "set", "lo", "up")
      try on(index, "ip", "link", "set", "eth0", "up")
    }
  }

  deinit {
    for namespace in [router] + devices { namespace.remove() }
  }

  /// The namespace of a device.
  subscript(device: Int) -> String { devices[device].name }

  /// Gives each device an Avahi daemon of its own, with a bus of its own: its name is of no other device.
  ///
  /// - Parameter objects: most things that each does for one program at a time; nil: as it comes
  func announce(objects: Int? = nil) throws {
    for (index, device) in devices.enumerated() {
      try device.announce(as: host(index), in: directory.path, objects: objects)
    }
  }

  /// Has the Avahi daemon of a device answer nobody, or go on.
  func hang(_ device: Int, _ hangs: Bool) throws {
    try devices[device].signalAvahi(hangs ? SIGSTOP : SIGCONT)
  }

  /// Has a device say by multicast DNS whatever `scripts/mdns.py` is told, as a stranger; it needs an address for that.
  func speak(_ device: Int) async throws -> NamespaceScript {
    try await NamespaceScript("mdns.py", ["eth0"], in: devices[device].name, saying: "speaking")
  }

  /// Ends the Avahi daemon of a device, which has a bus still.
  func silence(_ device: Int) throws { try devices[device].stopAvahi() }

  /// Starts it again.
  func announceAnew(_ device: Int) throws {
    try devices[device].startAvahi(as: host(device), in: directory.path)
  }

  /// Where a device finds its bus.
  func bus(_ device: Int) -> String { devices[device].bus(of: host(device), in: directory.path) }

  private func host(_ device: Int) -> String { "host-\(device)" }

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
    // Threads of Dispatch block every signal, which a process inherits: without its alarm `timeout` waits for ever as well.
    let command =
      ["env", "--default-signal", "DBUS_SYSTEM_BUS_ADDRESS=\(bus(device))"]
      + devices[device].inside(["timeout", "5", "avahi-browse", "--parsable", "--terminate"])
      + options + ["_peersync._tcp"]
    // It waits for ever for the record of an instance that went while it was being resolved: what it has said of others until
    // `timeout` ends it is enough.
    let (status, output) = try SystemCommand.run(command)
    guard [0, 124].contains(status) else { throw Failure(description: "avahi-browse: \(output)") }
    return output
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

  /// Gives a device these addresses, and takes away those it had.
  func address(_ device: Int, _ addresses: String...) throws {
    try on(device, "ip", "address", "flush", "dev", "eth0", "scope", "global")
    // Nobody else is here who could have it: it need not be tried out first.
    for address in addresses { try on(device, "ip", "address", "add", address, "dev", "eth0", "nodad") }
  }

  /// Gives all devices addresses of another network, as when the router is replaced.
  ///
  /// - Parameter prefix: what the addresses begin with, such as `10.9.0`
  func swapRouter(for prefix: String) throws {
    for index in devices.indices { try address(index, "\(prefix).\(index + 1)/24") }
  }

  /// Gives the router an address on each of its bridges: 10.7.0.254, 10.8.0.254 and so on.
  ///
  /// - Parameter isForwarding: whether it passes packets on from one network to another
  func route(isForwarding: Bool = false) throws {
    for bridge in 1...bridges {
      try router.run("ip", "address", "add", "10.\(bridge + 6).0.254/24", "dev", "bridge\(bridge)")
    }
    try router.run("sysctl", "-w", "net.ipv4.ip_forward=\(isForwarding ? 1 : 0)")
  }

  /// Makes devices, not started yet, each on a network of its own whose router is the way to all others.
  func devices(apart count: Int) async throws -> [PeerdProcess] {
    var made: [PeerdProcess] = []
    for (index, name) in PeerdGroup.names.prefix(count).enumerated() {
      try plug(index, into: index + 1)
      try address(index, "10.\(index + 7).0.\(index + 1)/24")
      try on(index, "ip", "route", "add", "default", "via", "10.\(index + 7).0.254")
      made.append(try await PeerdProcess(name, namespace: self[index], bus: bus(index)))
    }
    return made
  }

  /// Has the router pass on, late, what comes to one of its addresses, for as long as the relay is held.
  func relay(from address: String, to target: String, milliseconds: Int) async throws -> NamespaceScript {
    try await NamespaceScript(
      "relay.py", [address, target, "\(milliseconds)"], in: router.name, saying: "relaying")
  }

  /// Records all packets that pass a bridge, until the recording ends.
  func record(bridge: Int, to path: String) async throws -> NamespaceScript {
    // Or it sees only what is for the router, and for all.
    try router.run("ip", "link", "set", "bridge\(bridge)", "promisc", "on")
    return try await NamespaceScript(
      "capture.py", ["record", path, "bridge\(bridge)"], in: router.name, saying: "recording")
  }

  /// Plugs the link of a device into a bridge.
  func plug(_ device: Int, into bridge: Int) throws {
    try router.run("ip", "link", "set", "port\(device)", "master", "bridge\(bridge)", "up")
  }

  /// Pulls the cable of a device.
  func unplug(_ device: Int) throws { try router.run("ip", "link", "set", "port\(device)", "down") }

  /// Has a rule of nft decide what leaves a device for the network, as `drop` or `meta length > 1228 drop`; nil: everything does.
  func filter(_ device: Int, _ rule: String?) throws {
    try on(device, "nft", "flush", "ruleset")
    guard let rule else { return }
    try on(device, "nft", "add table inet filter")
    try on(device, "nft", "add chain inet filter out { type filter hook output priority 0; }")
    try on(device, "nft", "add rule inet filter out oifname eth0 \(rule)")
  }

  /// Whether the `counter` of a device's ``filter(_:_:)`` has counted anything.
  func hasCounted(_ device: Int) throws -> Bool {
    let rules = try NetworkNamespace.run(devices[device].inside(["nft", "list", "ruleset"]))
    return rules.contains(#/counter packets [1-9]/#)
  }

  /// Runs a command in the namespace of a device.
  func on(_ device: Int, _ command: String...) throws {
    try NetworkNamespace.run(devices[device].inside(command))
  }
}
