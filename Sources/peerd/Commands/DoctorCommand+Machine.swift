import Foundation
import PeerSync

/// The data directory: who may use it, what room there is, whether what lies in it is whole.
struct DirectoryChecks {
  let directory: DataDirectory

  private typealias Check = DoctorCommand.Check
  /// Bytes below which a commit may fail soon, and below which it is time to look.
  private static let (least, little): (UInt64, UInt64) = (16 << 20, 256 << 20)

  var device: DoctorCommand.Check {
    do throws(StorageError) {
      try directory.requireDevice()
    } catch {
      if case .missing = error {
        return Check.failure(
          "device", "there is no device in \(directory.path)",
          "make one with `peerd init --data \(directory.path)`")
      }
      return Check.failure(
        "device", "\(error)", "chmod 700 \(directory.path), and chmod 600 the file named, if it is yours")
    }
    return Check.ok("device", "\(directory.path) is its owner's alone")
  }

  var space: DoctorCommand.Check {
    var facts = statvfs()
    guard statvfs(directory.path, &facts) == 0 else {
      return Check.warning(
        "space", "the room on the disk cannot be told", "check that \(directory.path) is there")
    }
    let free = UInt64(facts.f_bavail) * UInt64(facts.f_frsize)
    let detail = "\(free >> 20) MiB are free"
    if free < Self.least {
      return Check.failure("space", detail, "make room: a daemon stops when the disk is full")
    }
    return free < Self.little ? Check.warning("space", detail, "make room soon") : Check.ok("space", detail)
  }

  /// Asked only while no daemon has it open.
  var database: DoctorCommand.Check {
    do {
      let lock = try directory.takeLock()
      defer { withExtendedLifetime(lock) {} }
      let database = try Database(path: directory.database)
      // A log that a crash left is read through by whoever opens the device.
      database.keepLog()
      let said = try database.text("PRAGMA quick_check(1)") ?? "it says nothing"
      guard said == "ok" else { throw StorageError.corrupt(path: directory.database, message: said) }
      return Check.ok(
        "database", "it is whole; checksums and signatures are verified by the daemon when it starts")
    } catch {
      return Check.failure(
        "database", "\(error)",
        "start the daemon: it leaves out what is spoilt, says so, and peers bring it back")
    }
  }
}

/// Where others reach the device, and how they find it.
struct NetworkChecks {
  let listen: Address?
  let isRunning: Bool
  let discovers: Bool
  let interface: String?

  private typealias Check = DoctorCommand.Check

  var all: [DoctorCommand.Check] {
    [port] + (listen == nil ? [] : [addresses]) + [multicast, avahi] + (listen == nil ? [] : [firewall])
  }

  private var port: DoctorCommand.Check {
    guard let listen else {
      return Check.warning(
        "port", "it does not listen, so no device can dial it or join it",
        "`peerd config listen HOST:PORT` or `peerd config lan yes`, then start it again")
    }
    guard !isRunning else { return Check.ok("port", "it listens on \(listen)") }
    do throws(SocketError) {
      _ = try Socket.listening(on: listen)
      return Check.ok("port", "\(listen) is free")
    } catch {
      return Check.failure(
        "port", "it cannot listen on \(listen): \(error)",
        "stop what uses it (`ss -ltnp`), or choose another with `peerd config listen HOST:PORT`")
    }
  }

  private var addresses: DoctorCommand.Check {
    guard let listen, let found = Interfaces.now() else {
      return Check.warning("addresses", "the system does not say which there are", "look with `ip address`")
    }
    if (try? Socket.requireLoopback(listen)) != nil {
      return Check.warning(
        "addresses", "only this machine reaches \(listen)",
        "for devices elsewhere listen on an address of the network, or `peerd config lan yes`")
    }
    let told = found.announced(listen, on: interface)
    guard !told.isEmpty else {
      return Check.failure("addresses", "this machine has no address on a network", "connect it to one")
    }
    return Check.ok("addresses", "others are told \(told.map(\.description).joined(separator: ", "))")
  }

  /// Discovery needs an interface that is up and takes multicast.
  private var multicast: DoctorCommand.Check {
    let names = Self.multicastInterfaces().filter { interface == nil || $0 == interface }
    guard names.isEmpty else {
      return Check.ok("multicast", "possible on \(names.joined(separator: ", "))")
    }
    let detail = interface.map { "\($0) is not up, or takes none" } ?? "no interface that is up takes it"
    return discovers
      ? Check.failure("multicast", detail, "connect the network, or find devices by --peer HOST:PORT")
      : Check.ok("multicast", detail + "; it is not needed")
  }

  private static func multicastInterfaces() -> [String] {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return [] }
    defer { freeifaddrs(list) }
    let wanted = UInt32(IFF_UP | IFF_MULTICAST)
    var names: Set<String> = []
    for entry in sequence(first: list, next: { $0?.pointee.ifa_next }).prefix(while: { $0 != nil }) {
      guard let entry, entry.pointee.ifa_flags & wanted == wanted,
        entry.pointee.ifa_flags & UInt32(IFF_LOOPBACK) == 0
      else { continue }
      names.insert(String(cString: entry.pointee.ifa_name))
    }
    return names.sorted()
  }

  private var avahi: DoctorCommand.Check {
    let isThere = FileSystem.exists("/run/avahi-daemon/socket")
    let file = try? FileSystem.read("/etc/avahi/avahi-daemon.conf", limit: 64 * 1024)
    let lines = String(decoding: file ?? [], as: UTF8.self).split(separator: "\n")
      .map { $0.filter { $0 != " " }.lowercased() }
    let forbidden = ["disable-publishing=yes", "disable-user-service-publishing=yes", "enable-dbus=no"]
    let found = forbidden.filter { lines.contains($0) }
    guard discovers else {
      return Check.ok("avahi", isThere ? "it runs; discovery is off" : "it does not run; discovery is off")
    }
    guard isThere else {
      return Check.failure(
        "avahi", "avahi-daemon does not run, so devices do not find each other",
        "install and start it: sudo apt-get install avahi-daemon")
    }
    guard found.isEmpty else {
      return Check.failure(
        "avahi", "its configuration forbids to announce: \(found.joined(separator: ", "))",
        "change /etc/avahi/avahi-daemon.conf and restart avahi-daemon")
    }
    return Check.ok("avahi", "it runs, and its configuration allows to announce")
  }

  /// What the rules are only root may read; which of the usual firewalls is on, anybody.
  private var firewall: DoctorCommand.Check {
    let port = listen.map { $0.port == 0 ? "the port it listens on" : "\($0.port)/tcp" } ?? ""
    let ufw = (try? FileSystem.read("/etc/ufw/ufw.conf", limit: 4096)) ?? nil
    if String(decoding: ufw ?? [], as: UTF8.self).contains("ENABLED=yes") {
      return Check.warning(
        "firewall", "ufw is on", "let peers in: sudo ufw allow \(port)\(discovers ? ", and 5353/udp" : "")")
    }
    if FileSystem.exists("/run/firewalld") {
      return Check.warning(
        "firewall", "firewalld is on",
        "let peers in: sudo firewall-cmd --add-port=\(port)\(discovers ? " --add-service=mdns" : "")")
    }
    return Check.ok("firewall", "neither ufw nor firewalld is on; rules of nftables are not looked at")
  }
}

/// The machine's clock, by itself.
enum ClockChecks {
  /// What systemd-timesyncd, chrony and ntpd leave while they keep the clock.
  private static let services = [
    "/run/systemd/timesync/synchronized", "/run/chrony/chronyd.pid", "/run/chronyd.pid", "/run/ntpd.pid",
  ]

  static var machine: DoctorCommand.Check {
    guard !services.contains(where: FileSystem.exists) else {
      return .ok("clock", "a time service keeps it")
    }
    return .warning(
      "clock", "no time service was found that keeps it",
      "turn a time service on: sudo timedatectl set-ntp true")
  }
}

/// The other devices, as a running daemon knows them.
struct GroupChecks {
  let status: StatusAnswer
  let console: Console

  private typealias Check = DoctorCommand.Check
  /// How long a device may be away before somebody should look.
  private static let longMilliseconds: Int64 = 14 * 86_400_000

  var all: [DoctorCommand.Check] {
    [time, members] + status.peers.map(peer) + status.warnings.map(told)
  }

  private var time: DoctorCommand.Check {
    guard status.time.source == "clock" else {
      return Check.warning(
        "time", "this device's clock is behind what others vouch for", "set the clock; see `peerd time`")
    }
    return Check.ok("time", "this device's clock counts")
  }

  private var members: DoctorCommand.Check {
    guard status.group.members > 1 else {
      return Check.warning(
        "group", "it is alone in its group: what is lost here is lost",
        "`peerd invite` here, and `peerd join` on another device")
    }
    let connected = status.peers.count { $0.connected }
    let detail = "\(connected) of \(status.peers.count) other devices are connected"
    guard connected == 0 else { return Check.ok("group", detail) }
    return Check.warning(
      "group", detail,
      status.online ? "start a daemon on another device" : "this device is offline: `peerd online`")
  }

  private func peer(_ peer: PeerAnswer) -> DoctorCommand.Check {
    let id = "peer \(peer.name)"
    let seen =
      peer.lastSeen.map { "last seen \(console.date.near($0, from: status.time.now))" } ?? "never seen"
    let skew = "its clock \(StatusCommand.skew(peer.clockSkew))"
    if let lead = peer.clockSkew, lead.magnitude > UInt64(Limits.clockDriftMilliseconds) {
      return Check.warning(id, "\(seen), \(skew)", "set the clock that is wrong; see `peerd time`")
    }
    guard !peer.connected else {
      return Check.ok(
        id,
        "connected\(peer.address.map { " at \($0)" } ?? ""), \(peer.clockSkew == nil ? "clock not known" : skew)"
      )
    }
    let isLong =
      peer.lastSeen.map {
        status.time.now.milliseconds - $0.milliseconds > Self.longMilliseconds
      } ?? true
    let detail = "not connected, \(seen)" + (peer.address.map { ", at \($0)" } ?? ", no address known")
    return isLong
      ? Check.warning(id, detail, "start its daemon, or `peerd remove` it if it is gone")
      : Check.ok(id, detail)
  }

  private func told(_ warning: String) -> DoctorCommand.Check {
    Check.warning("status", warning, "see `peerd status`")
  }
}
