import CAvahi
import Dispatch
import Glibc
import PeerSync

extension LocalDiscovery {
  /// By the Avahi daemon of this machine, which need not run: without it there is a warning, and it is tried again.
  public static let avahi = LocalDiscovery {
    AvahiService($0, on: $1, watchedBy: $2, report: $3)
  }
}

/// DNS-SD (RFC 6763) by the Avahi daemon of this machine: announces one service, and finds all others of its type.
///
/// Avahi's client waits for its daemon's answers in the calls themselves. So they are made on a queue of its own, to which an
/// ``AvahiLoop`` brings what happens. Where they wait long, what is asked meanwhile is done once, as it was asked last.
///
/// `@unchecked Sendable`: everything but what is guarded is touched on that queue alone.
final class AvahiService: ServiceDirectory, @unchecked Sendable {
  private let loop: AvahiLoop
  private let type: String
  private let interface: String?
  private let report: @Sendable (ServiceReport) -> Void
  /// What the interface was when it was last looked for: one that comes back has another number.
  private var index = AvahiService.any
  private var client: OpaquePointer?
  private var group: OpaquePointer?
  private var browser: OpaquePointer?
  private var resolvers: [FoundService.Place: OpaquePointer] = [:]
  /// What an earlier browser has found and the present one has not yet.
  private var unseen: Set<FoundService.Place> = []
  /// Whether services were passed over because there were too many.
  private var isSkipping = false
  /// Whether the client has been connected with the Avahi daemon.
  private var hasRun = false
  private var published: Publication?
  /// Whether what is announced has the text of before still.
  private var isTextOld = false
  private let asked = Guarded(Asked())
  private let queue: DispatchQueue

  /// What is announced.
  private struct Publication {
    let name: String
    let port: UInt16
    let text: [[UInt8]]
  }

  /// What was asked, and is to be done on the queue yet.
  private struct Asked {
    var isStopped = false
    var connects = false
    var looksAgain = false
    var announcesAnew = false
    /// What is to be announced then; nil: nothing any more.
    var publication: Publication?
    /// Whether the queue is on its way to it.
    var isUnderWay = false
  }

  /// Any interface, or any family of addresses: Avahi's constants for it are of other types than its parameters.
  private static let any: Int32 = -1

  /// - Parameters:
  ///   - type: such as `_peersync._tcp`
  ///   - interface: the only one to use, by its name; nil: all
  ///   - loop: of the daemon
  ///   - report: called on the queue of this service
  init(
    _ type: String, on interface: String?, watchedBy loop: EventLoop,
    report: @escaping @Sendable (ServiceReport) -> Void
  ) {
    let report: @Sendable (ServiceReport) -> Void = { [asked] in
      if !asked.withLock(\.isStopped) { report($0) }
    }
    self.type = type
    self.interface = interface
    self.report = report
    queue = DispatchQueue(label: "peersync discovery")
    self.loop = AvahiLoop(on: queue, watchedBy: loop) {
      report(.failed("nothing more is heard of Avahi: \($0)"))
    }
  }

  // MARK: What is asked

  /// Connects with the Avahi daemon, anew if need be.
  func connect() { ask { $0.connects = true } }

  /// Looks for the interface again: one that was pulled out and put in again is another to the Avahi daemon.
  func networkChanged() { ask { $0.looksAgain = true } }

  /// Announces the service under this name, in place of what was announced before.
  func publish(name: String, port: UInt16, text: [[UInt8]]) {
    let publication = Publication(name: name, port: port, text: text)
    ask { ($0.announcesAnew, $0.publication) = (true, publication) }
  }

  /// Announces nothing, until it is told to announce something again.
  func withdraw() { ask { ($0.announcesAnew, $0.publication) = (true, nil) } }

  /// Ends everything, soon; nothing is reported any more. To be called once, before the last reference goes: until all has ended
  /// this holds itself.
  func stop() { ask { $0.isStopped = true } }

  private func ask(_ change: (inout Asked) -> Void) {
    let isUnderWay = asked.withLock { asked in
      change(&asked)
      defer { asked.isUnderWay = true }
      return asked.isUnderWay
    }
    if !isUnderWay { queue.async { [self] in doWhatWasAsked() } }
  }

  private func doWhatWasAsked() {
    let todo = asked.withLock { asked in
      defer { asked = Asked(isStopped: asked.isStopped) }
      return asked
    }
    guard !todo.isStopped else { return disconnect() }
    let before = published
    if todo.announcesAnew { published = todo.publication }
    if todo.connects || todo.looksAgain && currentIndex != index { return reconnect() }
    guard todo.announcesAnew else { return }
    guard let published else { return reset() }
    let isUpdate = before?.name == published.name && before?.port == published.port && group != nil
    if isUpdate { updateText() } else { publish() }
  }

  /// For what is told while the object is at work that would have to go.
  private func later(_ body: @escaping @Sendable () -> Void) {
    queue.async { [asked] in if !asked.withLock(\.isStopped) { body() } }
  }

  private func disconnect() {
    if let client { avahi_client_free(client) }
    client = nil
  }

  private func reconnect() {
    disconnect()
    for place in resolvers.keys { report(.lost(place)) }
    forget()
    index = currentIndex
    guard index != 0 else { return report(.failed("there is no network interface '\(interface ?? "")' now")) }
    var error: Int32 = 0
    let made = avahi_client_new(
      loop.api, AVAHI_CLIENT_NO_FAIL,
      { client, state, owner in owner.map { AvahiService.at($0).changed(client, to: state) } }, owner, &error)
    if made == nil { report(.failed("\(Self.message(error)): \(Self.advice)")) } else { client = made }
  }

  /// 0: there is no such interface.
  private var currentIndex: Int32 { interface.map { Int32(bitPattern: if_nametoindex($0)) } ?? Self.any }

  private var owner: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  private static func at(_ owner: UnsafeMutableRawPointer) -> AvahiService {
    Unmanaged<AvahiService>.fromOpaque(owner).takeUnretainedValue()
  }

  // MARK: The state of the daemon

  /// What there was of the connection goes with the client.
  private func forget() {
    (group, browser, resolvers) = (nil, nil, [:])
    (unseen, isSkipping, hasRun) = ([], false, false)
  }

  private static let advice = "install and start the Avahi daemon (avahi-daemon)"

  private static func message(_ number: Int32) -> String { String(cString: avahi_strerror(number)) }

  /// What the last call has failed with.
  private var lastError: String { client.map { Self.message(avahi_client_errno($0)) } ?? "" }

  private func changed(_ client: OpaquePointer?, to state: AvahiClientState) {
    // It is called before the client is returned.
    self.client = client
    switch state {
    case AVAHI_CLIENT_S_RUNNING:
      hasRun = true
      report(.running)
      browse()
      publish()
    case AVAHI_CLIENT_FAILURE:
      let hasRun = hasRun
      forget()
      report(.failed("\(lastError): \(Self.advice)"))
      // It is of no more use, also when the daemon is there again; another one waits for that. Not here, for this one would go.
      if hasRun { later { [self] in if !self.hasRun { reconnect() } } }
    case AVAHI_CLIENT_CONNECTING:
      forget()
      report(.failed("the Avahi daemon does not run: \(Self.advice)"))
    // The host name is being changed: what was announced is announced anew when it is known.
    default: reset()
    }
  }

  // MARK: Announcing

  private func publish() {
    guard let client, let published, avahi_client_get_state(client) == AVAHI_CLIENT_S_RUNNING else { return }
    reset()
    group =
      group
      ?? avahi_entry_group_new(
        client, { _, state, owner in owner.map { AvahiService.at($0).announced(state) } }, owner)
    guard let group else { return report(.failed("nothing can be announced: \(lastError)")) }
    isTextOld = false
    let list = strings(published.text)
    defer { avahi_string_list_free(list) }
    let added = avahi_entry_group_add_service_strlst(
      group, index, Self.any, AvahiPublishFlags(rawValue: 0), published.name, type, nil, nil,
      published.port, list)
    requireAnnounced(added < 0 ? added : avahi_entry_group_commit(group))
  }

  /// The announcement has come so far.
  private func announced(_ state: AvahiEntryGroupState) {
    switch state {
    case AVAHI_ENTRY_GROUP_COLLISION: requireAnnounced(Int32(AVAHI_ERR_COLLISION))
    case AVAHI_ENTRY_GROUP_FAILURE: report(.failed("nothing can be announced: \(lastError)"))
    case AVAHI_ENTRY_GROUP_ESTABLISHED: if isTextOld { updateText() }
    default: break
    }
  }

  private func requireAnnounced(_ result: Int32) {
    if result == Int32(AVAHI_ERR_COLLISION), let published { return report(.taken(published.name)) }
    if result < 0 { report(.failed("nothing can be announced: \(Self.message(result))")) }
  }

  private func updateText() {
    guard let group, let published else { return }
    // While Avahi probes for a name it takes a probe of its own that comes back with the text of before for another device's, and half of
    // the time gives the name up without a goodbye: others would list it for an hour and more.
    isTextOld = avahi_entry_group_get_state(group) != Int32(AVAHI_ENTRY_GROUP_ESTABLISHED.rawValue)
    guard !isTextOld else { return }
    let list = strings(published.text)
    defer { avahi_string_list_free(list) }
    requireAnnounced(
      avahi_entry_group_update_service_txt_strlst(
        group, index, Self.any, AvahiPublishFlags(rawValue: 0), published.name, type, nil, list))
  }

  private func reset() { if let group { avahi_entry_group_reset(group) } }

  private func strings(_ text: [[UInt8]]) -> UnsafeMutablePointer<AvahiStringList>? {
    // Each is put before those that are there.
    text.reversed().reduce(nil) { avahi_string_list_add_arbitrary($0, $1, $1.count) }
  }

  // MARK: Finding

  private func browse() {
    guard let client, browser == nil else { return }
    browser = avahi_service_browser_new(
      client, index, Self.any, type, nil, AvahiLookupFlags(rawValue: 0),
      { _, interface, family, event, name, _, domain, _, owner in
        guard let owner else { return }
        if event == AVAHI_BROWSER_FAILURE { AvahiService.at(owner).failedToBrowse() }
        if event == AVAHI_BROWSER_ALL_FOR_NOW { AvahiService.at(owner).loseUnseen() }
        guard let name, let domain else { return }
        let place = FoundService.Place(name: String(cString: name), interface: interface, family: family)
        AvahiService.at(owner).browsed(place, String(cString: domain), event)
      }, owner)
    if browser == nil { failedToBrowse() }
  }

  private func failedToBrowse() { report(.failed("nothing can be found: \(lastError)")) }

  /// What goes between the two browsers neither tells of.
  private func browseAnew() {
    guard let old = browser else { return }
    avahi_service_browser_free(old)
    browser = nil
    unseen = Set(resolvers.keys)
    browse()
  }

  private func loseUnseen() {
    for place in unseen.sorted() { lose(place) }
    unseen = []
  }

  private func lose(_ place: FoundService.Place) {
    if let resolver = resolvers.removeValue(forKey: place) { avahi_service_resolver_free(resolver) }
    report(.lost(place))
  }

  private func browsed(_ place: FoundService.Place, _ domain: String, _ event: AvahiBrowserEvent) {
    if event == AVAHI_BROWSER_REMOVE {
      lose(place)
      // There may be room for what was passed over; not here, for the browser that is at work would go.
      if isSkipping { later { [self] in browseAnew() } }
      isSkipping = false
    }
    guard event == AVAHI_BROWSER_NEW, let client else { return }
    unseen.remove(place)
    guard resolvers[place] == nil else { return }
    guard resolvers.count < Limits.sightedServices else {
      isSkipping = true
      return
    }
    // It stays, and tells of each change.
    resolvers[place] = avahi_service_resolver_new(
      client, place.interface, place.family, place.name, type, domain, place.family,
      AvahiLookupFlags(rawValue: 0),
      { _, interface, family, event, name, _, _, _, address, port, text, _, owner in
        guard let owner, let name else { return }
        let place = FoundService.Place(name: String(cString: name), interface: interface, family: family)
        // What it says can be had no more, though its name may stay; it goes on looking.
        guard event == AVAHI_RESOLVER_FOUND, let address else {
          return AvahiService.at(owner).report(.lost(place))
        }
        AvahiService.at(owner).resolved(place, address, port, text)
      }, owner)
    guard resolvers[place] == nil else { return }
    // Avahi, too, looks at only so many.
    isSkipping = true
    // A name that it refuses is nobody's. Where it does not answer, what was passed over would never be told of again.
    if avahi_client_errno(client) == Int32(AVAHI_ERR_DBUS_ERROR) { failedToBrowse() }
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
