import CAvahi
import Dispatch
import Glibc
import PeerSync

extension LocalDiscovery {
  /// By the Avahi daemon of this machine, which need not run: without it there is a warning, and it is tried again.
  public static let avahi = LocalDiscovery { AvahiService($0, on: $1, report: $2) }
}

/// DNS-SD (RFC 6763) by the Avahi daemon of this machine: announces one service, and finds all others of its type.
///
/// Avahi's client waits for its daemon's answers in the calls themselves. So they are made on a queue of its own, and what happens
/// is told on a thread of its own, which sleeps until then.
///
/// `@unchecked Sendable`: everything is touched under the lock of that thread, which its callbacks hold.
final class AvahiService: ServiceDirectory, @unchecked Sendable {
  private let poll: OpaquePointer
  private let type: String
  private let interface: Int32
  private let report: @Sendable (ServiceReport) -> Void
  private var client: OpaquePointer?
  private var group: OpaquePointer?
  private var browser: OpaquePointer?
  private var resolvers: [FoundService.Place: OpaquePointer] = [:]
  private var published: (name: String, port: UInt16, text: [[UInt8]])?
  private let isStopped = Guarded(false)
  private let queue = DispatchQueue(label: "peersync discovery")

  /// Any interface, or any family of addresses: Avahi's constants for it are of other types than its parameters.
  private static let any: Int32 = -1

  /// - Parameters:
  ///   - type: such as `_peersync._tcp`
  ///   - interface: the only one to use, by its name; nil: all
  ///   - report: called on the thread of this service
  /// - Returns: nil when there is no such interface, or no memory
  init?(_ type: String, on interface: String?, report: @escaping @Sendable (ServiceReport) -> Void) {
    let index = interface.map { Int32(bitPattern: if_nametoindex($0)) } ?? Self.any
    guard index != 0, let poll = avahi_threaded_poll_new() else { return nil }
    self.poll = poll
    self.type = type
    self.interface = index
    self.report = { [isStopped] in if !isStopped.withLock(\.self) { report($0) } }
    avahi_threaded_poll_start(poll)
  }

  /// Ends everything, soon; nothing is reported any more. To be called once, before the last reference goes: until all has ended
  /// this holds itself.
  func stop() {
    isStopped.withLock { $0 = true }
    queue.async { [self] in
      avahi_threaded_poll_stop(poll)
      if let client { avahi_client_free(client) }
      avahi_threaded_poll_free(poll)
    }
  }

  /// Connects with the Avahi daemon, anew if need be.
  func connect() {
    locked { [self] in
      if let client { avahi_client_free(client) }
      client = nil
      forget()
      var error: Int32 = 0
      let made = avahi_client_new(
        avahi_threaded_poll_get(poll), AVAHI_CLIENT_NO_FAIL,
        { client, state, owner in owner.map { AvahiService.at($0).changed(client, to: state) } }, owner,
        &error)
      if made == nil { report(.failed(String(cString: avahi_strerror(error)))) } else { client = made }
    }
  }

  /// Announces the service under this name, in place of what was announced before.
  func publish(name: String, port: UInt16, text: [[UInt8]]) {
    locked { [self] in
      let isUpdate = published?.name == name && published?.port == port && group != nil
      published = (name, port, text)
      if isUpdate { updateText() } else { publish() }
    }
  }

  private func locked(_ body: @escaping @Sendable () -> Void) {
    queue.async { [self] in
      guard !isStopped.withLock(\.self) else { return }
      avahi_threaded_poll_lock(poll)
      body()
      avahi_threaded_poll_unlock(poll)
    }
  }

  private var owner: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  private static func at(_ owner: UnsafeMutableRawPointer) -> AvahiService {
    Unmanaged<AvahiService>.fromOpaque(owner).takeUnretainedValue()
  }

  // MARK: The state of the daemon

  /// What there was of the connection goes with the client.
  private func forget() { (group, browser, resolvers) = (nil, nil, [:]) }

  private func changed(_ client: OpaquePointer?, to state: AvahiClientState) {
    // It is called before the client is returned.
    self.client = client
    switch state {
    case AVAHI_CLIENT_S_RUNNING:
      report(.running)
      browse()
      publish()
    case AVAHI_CLIENT_FAILURE:
      forget()
      report(.failed(client.map { String(cString: avahi_strerror(avahi_client_errno($0))) } ?? ""))
    case AVAHI_CLIENT_CONNECTING:
      forget()
      report(.failed("the Avahi daemon does not run"))
    // The host name is being changed: what was announced is announced anew when it is known.
    default: withdraw()
    }
  }

  // MARK: Announcing

  private func publish() {
    guard let client, let published, avahi_client_get_state(client) == AVAHI_CLIENT_S_RUNNING else { return }
    withdraw()
    group = group ?? avahi_entry_group_new(client, { _, _, _ in }, nil)
    guard let group else { return }
    let list = strings(published.text)
    defer { avahi_string_list_free(list) }
    // A name that is taken is drawn anew with the next announcement: it is random.
    _ = avahi_entry_group_add_service_strlst(
      group, interface, Self.any, AvahiPublishFlags(rawValue: 0), published.name, type, nil, nil,
      published.port, list)
    avahi_entry_group_commit(group)
  }

  private func updateText() {
    guard let group, let published else { return }
    let list = strings(published.text)
    defer { avahi_string_list_free(list) }
    avahi_entry_group_update_service_txt_strlst(
      group, interface, Self.any, AvahiPublishFlags(rawValue: 0), published.name, type, nil, list)
  }

  private func withdraw() { if let group { avahi_entry_group_reset(group) } }

  private func strings(_ text: [[UInt8]]) -> UnsafeMutablePointer<AvahiStringList>? {
    // Each is put before those that are there.
    text.reversed().reduce(nil) { avahi_string_list_add_arbitrary($0, $1, $1.count) }
  }

  // MARK: Finding

  private func browse() {
    guard let client, browser == nil else { return }
    browser = avahi_service_browser_new(
      client, interface, Self.any, type, nil, AvahiLookupFlags(rawValue: 0),
      { _, interface, family, event, name, _, domain, _, owner in
        guard let owner, let name, let domain else { return }
        let place = FoundService.Place(name: String(cString: name), interface: interface, family: family)
        AvahiService.at(owner).browsed(place, String(cString: domain), event)
      }, owner)
  }

  private func browsed(_ place: FoundService.Place, _ domain: String, _ event: AvahiBrowserEvent) {
    if event == AVAHI_BROWSER_REMOVE {
      if let resolver = resolvers.removeValue(forKey: place) { avahi_service_resolver_free(resolver) }
      report(.lost(place))
    }
    guard event == AVAHI_BROWSER_NEW, let client, resolvers[place] == nil,
      resolvers.count < Limits.sightedServices
    else { return }
    // It stays, and tells of each change.
    resolvers[place] = avahi_service_resolver_new(
      client, place.interface, place.family, place.name, type, domain, place.family,
      AvahiLookupFlags(rawValue: 0),
      { _, interface, family, event, name, _, _, _, address, port, text, _, owner in
        guard event == AVAHI_RESOLVER_FOUND, let owner, let name, let address else { return }
        let place = FoundService.Place(name: String(cString: name), interface: interface, family: family)
        AvahiService.at(owner).resolved(place, address, port, text)
      }, owner)
  }

  private func resolved(
    _ place: FoundService.Place, _ address: UnsafePointer<AvahiAddress>, _ port: UInt16,
    _ text: UnsafeMutablePointer<AvahiStringList>?
  ) {
    var host = [CChar](repeating: 0, count: Int(AVAHI_ADDRESS_STR_MAX))
    guard avahi_address_snprint(&host, host.count, address) != nil else { return }
    var strings: [[UInt8]] = []
    var next = text
    while let string = next, strings.count < Limits.sightedStrings {
      if let bytes = avahi_string_list_get_text(string) {
        strings.append(Array(UnsafeBufferPointer(start: bytes, count: avahi_string_list_get_size(string))))
      }
      next = avahi_string_list_get_next(string)
    }
    let shown = String(decoding: host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    report(.found(FoundService(place: place, address: Address(host: shown, port: port), text: strings)))
  }
}
