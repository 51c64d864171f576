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
