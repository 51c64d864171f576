import Foundation
import PeerSync

/// A network namespace for a benchmark or a test: its addresses exist inside it alone. Making one takes root.
///
/// Its name bears the id of the process that made it. By that name it is removed, at the latest by the next process that makes one.
package struct NetworkNamespace: Hashable, Sendable {
  /// What could not be done, and what the system said.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
  }

  /// What the system knows it by.
  package let name: String

  private static let prefix = "peersync-"

  /// Makes one.
  ///
  /// - Parameter suffix: what tells it from others of this process
  /// - Throws: ``Failure``, also where there are no namespaces
  package init(_ suffix: String) throws {
    name = "\(Self.prefix)\(getpid())-\(suffix)"
    try Self.run("ip", "netns", "add", name)
  }

  private init(named name: String) { self.name = name }

  /// Ends what still runs in it, by its process id, and removes it.
  package func remove() {
    let left = (try? Self.run("ip", "netns", "pids", name)) ?? ""
    for process in left.split(separator: "\n").compactMap({ pid_t($0) }) { kill(process, SIGKILL) }
    _ = try? Self.run("ip", "netns", "delete", name)
  }

  /// Removes what processes have left that are no more.
  package static func sweep() throws {
    for line in try run("ip", "netns", "list").split(separator: "\n") where line.hasPrefix(prefix) {
      let namespace = NetworkNamespace(named: String(line.prefix { $0 != " " }))
      let owner = namespace.name.split(separator: "-").dropFirst().first.flatMap { pid_t($0) }
      if let owner, kill(owner, 0) != 0, errno == ESRCH { namespace.remove() }
    }
  }

  // MARK: Commands

  /// The words by which a command runs in it.
  package func inside(_ command: [String]) -> [String] { ["ip", "netns", "exec", name] + command }

  /// Runs a command in it, to its end.
  ///
  /// - Returns: its output
  /// - Throws: ``Failure`` when it ends with another status than 0
  @discardableResult package func run(_ command: String...) throws -> String { try Self.run(inside(command)) }

  @discardableResult private static func run(_ command: String...) throws -> String { try run(command) }

  /// Runs a command to its end.
  ///
  /// - Returns: its output
  /// - Throws: ``Failure`` when it ends with another status than 0
  @discardableResult package static func run(_ command: [String]) throws -> String {
    let (status, output) = try SystemCommand.run(command)
    guard status == 0 else { throw Failure(description: "\(command.joined(separator: " ")): \(output)") }
    return output
  }

  // MARK: Discovery

  /// Gives it an Avahi daemon and a bus of its own, for `eth0`. They end with it.
  ///
  /// - Parameters:
  ///   - host: the name of the machine that it is
  ///   - directory: where they keep what they need
  ///   - objects: most things that Avahi does for one program at a time; nil: as it comes
  package func announce(as host: String, in directory: String, objects: Int? = nil) throws {
    let (buses, avahi) = ("\(directory)/\(host)-bus.conf", "\(directory)/\(host)-avahi.conf")
    try Self.busFile(socket(of: host, in: directory)).write(toFile: buses, atomically: true, encoding: .utf8)
    try Self.avahiFile(host, objects).write(toFile: avahi, atomically: true, encoding: .utf8)
    // Their output is nobody's, and a daemon must hold nothing by which its end is awaited here.
    let script = """
      exec >\(directory)/\(host)-bus.log 2>&1 </dev/null
      for held in /proc/self/fd/*; do held=${held##*/}; [ "$held" -le 2 ] || eval "exec $held>&-"; done
      exec dbus-daemon --config-file=\(buses) --fork --nopidfile --nosyslog
      """
    try run("bash", "-c", script)
    try startAvahi(as: host, in: directory)
  }

  /// Starts the Avahi daemon of ``announce(as:in:)`` again, after ``stopAvahi()``.
  package func startAvahi(as host: String, in directory: String) throws {
    let script = """
      exec >>\(directory)/\(host)-avahi.log 2>&1 </dev/null
      for held in /proc/self/fd/*; do held=${held##*/}; [ "$held" -le 2 ] || eval "exec $held>&-"; done
      mkdir -p /run/avahi-daemon && mount -t tmpfs none /run/avahi-daemon
      exec avahi-daemon -D -f \(directory)/\(host)-avahi.conf --no-drop-root --no-chroot --no-rlimits
      """
    let bus = bus(of: host, in: directory)
    try Self.run(["env", "DBUS_SYSTEM_BUS_ADDRESS=\(bus)"] + inside(["bash", "-c", script]))
  }

  /// Ends the Avahi daemon; its bus goes on.
  package func stopAvahi() throws { try signalAvahi(SIGTERM) }

  /// Sends the Avahi daemon a signal, such as `SIGSTOP`, after which it answers nobody.
  package func signalAvahi(_ signal: Int32) throws {
    for process in try Self.run("ip", "netns", "pids", name).split(separator: "\n").compactMap({ pid_t($0) })
    {
      let program = try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8)
      if program == "avahi-daemon\n" { kill(process, signal) }
    }
  }

  /// Where that bus is.
  package func bus(of host: String, in directory: String) -> String {
    "unix:path=" + socket(of: host, in: directory)
  }

  private func socket(of host: String, in directory: String) -> String { "\(directory)/\(host)-bus" }

  private static func busFile(_ path: String) -> String {
    """
    <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
      "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
    <busconfig><type>system</type><listen>unix:path=\(path)</listen><auth>EXTERNAL</auth>
    <policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/>
    <allow user="*"/></policy></busconfig>
    """
  }

  private static func avahiFile(_ host: String, _ objects: Int?) -> String {
    """
    [server]
    host-name=\(host)
    use-ipv4=yes
    use-ipv6=yes
    allow-interfaces=eth0
    \(objects.map { "objects-per-client-max=\($0)" } ?? "")
    [wide-area]
    enable-wide-area=no
    [publish]
    publish-hinfo=no
    publish-workstation=no
    """
  }
}
