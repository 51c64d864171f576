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
        return FileSystem.exists(directory.sandboxDatabase)
          ? Check.failure("device", .isStore(directory.path), .nameDevice)
          : Check.failure("device", .noDeviceIn(directory.path), .makeDevice(directory.path))
      }
      return Check.failure("device", Phrase(error), .changeModes(directory.path))
    }
    return Check.ok("device", .ownersAlone(directory.path))
  }

  var space: DoctorCommand.Check {
    var facts = statvfs()
    guard statvfs(directory.path, &facts) == 0 else {
      return Check.warning("space", .roomUnknown, .checkThere(directory.path))
    }
    let free = UInt64(facts.f_bavail) * UInt64(facts.f_frsize)
    let detail = Phrase.room(free >> 20)
    if free < Self.least { return Check.failure("space", detail, .makeRoom) }
    return free < Self.little ? Check.warning("space", detail, .makeRoomSoon) : Check.ok("space", detail)
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
      if let damage = try Storage.damage(inCopyOf: directory) {
        return Check.failure("database", .databaseDamaged(damage.what), .startToMend)
      }
      return Check.ok("database", .databaseWhole)
    } catch {
      return Check.failure("database", Phrase(error), .startToMend)
    }
  }
}

extension DirectoryChecks {
  /// Beside a daemon, which has it for itself alone: what lies on the disk now, and not what the daemon has read of it.
  var databaseInUse: DoctorCommand.Check {
    do {
      if let damage = try Storage.damage(inCopyOf: directory, isInUse: true) {
        return .failure("database", .databaseDamaged(damage.what), .restartToMend)
      }
      return .ok("database", .databaseWhole)
    } catch StorageError.locked {
      return .warning("database", .databaseBusy, .askAgain)
    } catch {
      return .failure("database", Phrase(error), .restartToMend)
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
      return Check.warning("port", .listensNot, .letListen)
    }
    guard !isRunning else { return Check.ok("port", .listens(on: "\(listen)")) }
    do throws(SocketError) {
      _ = try Socket.listening(on: listen)
      return Check.ok("port", .isFree("\(listen)"))
    } catch {
      return Check.failure("port", .cannotListen(on: "\(listen)", Phrase(error)), .otherPort)
    }
  }

  private var addresses: DoctorCommand.Check {
    guard let listen, let found = Interfaces.now() else {
      return Check.warning("addresses", .addressesUnknown, .lookWithIP)
    }
    if (try? Socket.requireLoopback(listen)) != nil {
      return Check.warning("addresses", .onlyHere("\(listen)"), .listenElsewhere)
    }
    let told = found.announced(listen, on: interface)
    guard told.isEmpty else {
      return Check.ok("addresses", .told(told.map(\.description).joined(separator: ", ")))
    }
    guard found.areOpen(to: listen, on: interface) else {
      return Check.failure("addresses", .noAddress, .connectNetwork)
    }
    return Check.warning("addresses", .oneLink, discovers ? .oneLinkDoes : .discoverOnLink)
  }

  /// Discovery needs an interface that is up and takes multicast.
  private var multicast: DoctorCommand.Check {
    let names = Self.interfaces(with: UInt32(IFF_MULTICAST)).filter { interface == nil || $0 == interface }
    guard names.isEmpty else {
      let silent = Self.interfaces(without: UInt32(IFF_MULTICAST)).joined(separator: ", ")
      let detail = Phrase.multicast(on: names.joined(separator: ", "))
      return Check.ok("multicast", silent.isEmpty ? detail : detail + .multicastNot(onOthers: silent))
    }
    let detail = interface.map { Phrase.multicastNot(on: $0) } ?? .multicastNowhere
    return discovers
      ? Check.failure("multicast", detail, .findByAddress) : Check.ok("multicast", detail + .notNeeded)
  }

  /// The interfaces that are up, besides loopback, by name: those with a flag, or those without one.
  private static func interfaces(with flag: UInt32 = 0, without other: UInt32 = 0) -> [String] {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return [] }
    defer { freeifaddrs(list) }
    let wanted = UInt32(IFF_UP) | flag
    let unwanted = UInt32(IFF_LOOPBACK) | other
    var names: Set<String> = []
    for entry in sequence(first: list, next: { $0?.pointee.ifa_next }).prefix(while: { $0 != nil }) {
      guard let entry, entry.pointee.ifa_flags & wanted == wanted, entry.pointee.ifa_flags & unwanted == 0
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
      return Check.ok("avahi", .avahiOff(isThere: isThere))
    }
    guard isThere else {
      return Check.failure("avahi", .avahiMissing, .installAvahi)
    }
    guard found.isEmpty else {
      return Check.failure("avahi", .avahiForbids(found.joined(separator: ", ")), .changeAvahi)
    }
    return Check.ok("avahi", .avahiAllows)
  }

  /// What the rules are only root may read; which of the usual firewalls is on, anybody.
  private var firewall: DoctorCommand.Check {
    let port = listen.map { $0.port == 0 ? "PORT/tcp" : "\($0.port)/tcp" } ?? ""
    let ufw = (try? FileSystem.read("/etc/ufw/ufw.conf", limit: 4096)) ?? nil
    if String(decoding: ufw ?? [], as: UTF8.self).contains("ENABLED=yes") {
      return Check.warning(
        "firewall", .firewallOn("ufw"), .letIn("sudo ufw allow \(port)\(discovers ? ", 5353/udp" : "")"))
    }
    if FileSystem.exists("/run/firewalld") {
      return Check.warning(
        "firewall", .firewallOn("firewalld"),
        .letIn("sudo firewall-cmd --add-port=\(port)\(discovers ? " --add-service=mdns" : "")"))
    }
    return Check.ok("firewall", .noFirewall)
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
      return .ok("clock", .clockKept)
    }
    return .warning("clock", .clockNotKept, .keepClock)
  }
}

/// The other devices, as a running daemon knows them.
struct GroupChecks {
  let status: StatusAnswer
  /// What a peer has reached of this device; nil: it could not be asked.
  let dialBack: DialBackAnswer?
  let console: Console

  private typealias Check = DoctorCommand.Check
  /// How long a device may be away before somebody should look.
  private static let longMilliseconds: Int64 = 14 * 86_400_000

  var all: [DoctorCommand.Check] {
    [time, members] + reachability + status.peers.map(peer) + status.told.map(told)
  }

  /// Whether others can dial this device: one of them has tried.
  private var reachability: [DoctorCommand.Check] {
    guard status.listen != nil, let dialBack, let asked = dialBack.peer else { return [] }
    let name = status.peers.first { $0.device == asked }?.name ?? asked
    let (reached, missed) = dialBack.addresses.split()
    if dialBack.addresses.isEmpty { return [Check.warning("dial-back", .dialBackUnknown(name), .askAgain)] }
    if reached.isEmpty { return [Check.warning("dial-back", .reachedNowhere(by: name, missed), .openPort)] }
    let detail = Phrase.reached(by: name, at: reached)
    guard !missed.isEmpty else { return [Check.ok("dial-back", detail)] }
    return [Check.ok("dial-back", detail + .notReached(at: missed))]
  }

  private var time: DoctorCommand.Check {
    guard status.time.source == "clock" else {
      return Check.warning("time", .clockBehind, .setClock)
    }
    return Check.ok("time", .clockCounts)
  }

  private var members: DoctorCommand.Check {
    guard status.group.members > 1 else {
      return Check.warning("group", .alone, .invite)
    }
    let connected = status.peers.count { $0.connected }
    let detail = Phrase.othersConnected(connected, of: status.peers.count)
    guard connected == 0 else { return Check.ok("group", detail) }
    return Check.warning("group", detail, status.online ? .startAnother : .goOnline)
  }

  private func peer(_ peer: PeerAnswer) -> DoctorCommand.Check {
    let id = "peer \(peer.name)"
    let seen = Phrase.seen(peer.lastSeen.map { console.date.ago($0, from: status.time.now) })
    let skew = Phrase.itsClock(peer.clockSkew.map { StatusCommand.skew($0) })
    if let lead = peer.clockSkew, lead.magnitude > UInt64(Limits.clockDriftMilliseconds) {
      return Check.warning(id, seen + skew, .setWrongClock)
    }
    guard !peer.connected else {
      return Check.ok(id, .isConnected(at: peer.address) + skew + .runs(peer.program))
    }
    let isLong =
      peer.lastSeen.map {
        status.time.now.milliseconds - $0.milliseconds > Self.longMilliseconds
      } ?? true
    let detail = .notConnected + seen + .at(peer.address)
    return isLong ? Check.warning(id, detail, .startOrRemove) : Check.ok(id, detail)
  }

  private func told(_ warning: Phrase) -> DoctorCommand.Check {
    Check.warning("status", warning, .seeStatus)
  }
}

extension [DialBackAnswer.Dialled] {
  /// The addresses that were reached and those that were not, each as one text.
  fileprivate func split() -> (reached: String, missed: String) {
    func text(_ isReached: Bool) -> String {
      filter { $0.reached == isReached }.map(\.address).joined(separator: ", ")
    }
    return (text(true), text(false))
  }
}
