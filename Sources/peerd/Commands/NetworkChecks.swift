import Foundation
import PeerSync

/// Where others reach the device, and how they find it.
struct NetworkChecks {
  /// Where the device is kept, for commands that a person copies.
  let directory: String
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
      return Check.warning("port", .listensNot, .letListen(directory))
    }
    guard !isRunning else { return Check.ok("port", .listens(on: "\(listen)")) }
    do throws(SocketError) {
      _ = try Socket.listening(on: listen)
      return Check.ok("port", .isFree("\(listen)"))
    } catch {
      return Check.failure("port", .cannotListen(on: "\(listen)", Phrase(error)), .otherPort(directory))
    }
  }

  private var addresses: DoctorCommand.Check {
    guard let listen, let found = Interfaces.now() else {
      return Check.warning("addresses", .addressesUnknown, .lookWithIP)
    }
    if (try? Socket.requireLoopback(listen)) != nil {
      return Check.warning("addresses", .onlyHere("\(listen)"), .listenElsewhere(directory))
    }
    let told = found.announced(listen, on: interface)
    guard told.isEmpty else {
      return Check.ok("addresses", .told(told.map(\.description).joined(separator: ", ")))
    }
    guard found.areOpen(to: listen, on: interface) else {
      return Check.failure("addresses", .noAddress, .connectNetwork)
    }
    return Check.warning("addresses", .oneLink, discovers ? .oneLinkDoes : .discoverOnLink(directory))
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
