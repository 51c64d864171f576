/// Finds the other members on the local network, and has them find this device, without telling anybody else who belongs to whom.
///
/// Under a random name, anew with every start and each day, it announces a port and, for each member with which there is no session,
/// a tag that only this member recognises (``Announcement``). What it finds is an event of the engine, which decides
/// what to do about it.
package final class Discovery {
  private let secrets: PairSecrets
  private let own: PublicKey
  private let port: UInt16
  private let timers: Timers
  private let log: Log
  private let service: any ServiceDirectory
  private let sighted: (PublicKey, [Address]) -> Void
  private var name = Discovery.drawName()
  /// The other members.
  private var members: Set<PublicKey> = []
  /// Those that are to find this device.
  private var sought: [PublicKey] = []
  private var invitation: InvitationKey?
  private var isPresent = false
  private var services = FoundServices()
  /// Which members were recognised under which names.
  private var recognised: [String: PublicKey] = [:]
  private var update: Delay?
  private var renewal: Delay?
  private var retry: Delay?
  private var isWarned = false
  /// How many names were taken, of late, and when that is forgotten.
  private var taken = (count: 0, end: Delay?.none)
  /// Whoever waits for a device that has made an invitation.
  private var search: (key: InvitationKey, found: ([Address]) -> Void, end: Delay)?

  /// How soon members that are newly sought are announced to, in milliseconds: several become so at once.
  private static let soonMilliseconds = 50
  /// How late the tag of a member that was found goes away, in milliseconds, at random: two announcements that shrink at the same
  /// moment would tell who has found whom.
  private static let lateMilliseconds = 5_000...60_000
  package static let renewalMilliseconds = 24 * 60 * 60 * 1000
  private static let retryMilliseconds = 60 * 1000
  /// Most names within ``retryMilliseconds``: somebody might claim them all.
  private static let takenLimit = 8

  /// - Parameters:
  ///   - port: where the device listens
  ///   - interface: the only network interface to use; nil: all
  ///   - renewal: how long a name is good for, in milliseconds
  ///   - report: takes what the service reports, on whatever thread, and brings it to ``take(_:)`` on the loop
  ///   - sighted: called on the loop with a member and its addresses; with none, when it is not announced any more
  /// - Returns: nil when there is no memory
  package init?(
    _ key: DeviceKey, by discovery: LocalDiscovery, port: UInt16, on interface: String?, timers: Timers,
    log: Log, renewal: Int = Discovery.renewalMilliseconds,
    report: @escaping @Sendable (ServiceReport) -> Void,
    sighted: @escaping (PublicKey, [Address]) -> Void
  ) {
    guard let secrets = try? PairSecrets(key),
      let service = discovery.directory("_peersync._tcp", interface, report)
    else { return nil }
    self.secrets = secrets
    self.service = service
    self.sighted = sighted
    (own, self.port, self.timers, self.log) = (key.publicKey, port, timers, log)
    service.connect()
    renewLater(afterMilliseconds: renewal)
  }

  deinit {
    service.stop()
    search?.found([])
  }

  /// Whether this device finds others and is found, for all it knows: the service says soon when it does not work.
  package var isWorking: Bool { !isWarned }

  // MARK: What is announced

  /// Whether this device is there for anybody: one that is offline, is no member any more or has another copy at work is not.
  package func show(_ isPresent: Bool) {
    guard isPresent != self.isPresent else { return }
    self.isPresent = isPresent
    if isPresent { return announce() }
    update = nil
    service.withdraw()
  }

  /// The interfaces of this machine may be others than before.
  func networkChanged() { service.networkChanged() }

  /// The group has these members.
  package func know(_ members: Set<PublicKey>) {
    self.members = members.subtracting([own])
    secrets.keep(members)
    let left = sought.filter { members.contains($0) }
    if left != sought {
      sought = left
      // Whoever was removed is to find this device no more, from now on.
      announce(afterMilliseconds: Self.soonMilliseconds)
    }
    for name in services.names { recognise(name, among: self.members.sorted()) }
  }

  /// These members are to find this device.
  package func seek(_ sought: [PublicKey]) {
    let news = sought.filter { !self.sought.contains($0) }
    self.sought = sought
    announce(afterMilliseconds: news.isEmpty ? .random(in: Self.lateMilliseconds) : Self.soonMilliseconds)
    // They may have been here all the time.
    for name in services.names { recognise(name, among: news) }
  }

  /// The invitation that is open; nil: none is.
  package func invite(_ invitation: InvitationKey?) {
    self.invitation = invitation
    announce(afterMilliseconds: Self.soonMilliseconds)
  }

  private func announce(afterMilliseconds wait: Int) {
    // What is to go out soon is not put off by what may wait.
    if update != nil, wait > Self.soonMilliseconds { return }
    update = Delay(milliseconds: wait, on: timers) { [weak self] in self?.announce() }
  }

  private func announce() {
    update = nil
    guard isPresent else { return }
    var random = SystemRandomNumberGenerator()
    let nonce = (0..<Announcement.nonceBytes).map { _ in UInt8.random(in: 0...255, using: &random) }
    let invited = invitation.map { Announcement.tag(under: $0, nonce: nonce, port: port, .openSSL) }
    let tags = sought.compactMap { member in
      secrets.secret(with: member).map {
        Announcement.tag(under: $0, nonce: nonce, announcer: own, port: port, .openSSL)
      }
    }
    let announcement = Announcement(nonce: nonce, tags: [invited].compactMap(\.self) + tags, using: &random)
    service.publish(name: name, port: port, text: announcement.strings)
  }

  private func renewLater(afterMilliseconds wait: Int) {
    renewal = Delay(milliseconds: wait, on: timers) { [weak self] in
      guard let self else { return }
      name = Self.drawName()
      announce()
      renewLater(afterMilliseconds: wait)
    }
  }

  private static func drawName() -> String {
    let digits = String(UInt64.random(in: .min ... .max), radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  // MARK: What is found

  /// Takes what the service has reported.
  package func take(_ report: ServiceReport) {
    switch report {
    case .running:
      if isWarned { log(.info, "discovery works again") }
      isWarned = false
      retry = nil
    case .failed(let reason): failed(reason)
    case .taken(let name): nameWasTaken(name)
    case .found(let found):
      guard found.place.name != name else { return }
      services.take(found)
      recognise(found.place.name, among: members.sorted())
      answerSearch()
    case .lost(let place):
      services.lose(place)
      forgetUnannounced()
    }
  }

  private func failed(_ reason: String) {
    services = FoundServices()
    forgetUnannounced()
    if !isWarned {
      log(
        .warning,
        "discovery does not work: \(reason); devices whose addresses are known are found without it")
    }
    isWarned = true
    retry = Delay(milliseconds: Self.retryMilliseconds, on: timers) { [weak self] in
      self?.announce()
      self?.service.connect()
    }
  }

  /// Takes another name at once. Names are random, so it is hardly ever anybody's: Avahi takes what it has sent itself for somebody
  /// else's when it comes back while the machine's addresses change.
  private func nameWasTaken(_ taken: String) {
    guard taken == name else { return }
    name = Self.drawName()
    self.taken.count += 1
    guard self.taken.count <= Self.takenLimit else { return failed("somebody here claims every name") }
    if self.taken.end == nil {
      self.taken.end = Delay(milliseconds: Self.retryMilliseconds, on: timers) { [weak self] in
        self?.taken = (0, nil)
      }
    }
    announce()
  }

  private func recognise(_ name: String, among candidates: [PublicKey]) {
    guard let (announcement, address, all) = services.device(name) else { return }
    for member in candidates {
      guard let secret = secrets.secret(with: member) else { continue }
      let tag = Announcement.tag(
        under: secret, nonce: announcement.nonce, announcer: member, port: address.port, .openSSL)
      guard announcement.tags.contains(tag) else { continue }
      recognised[name] = member
      return sighted(member, all)
    }
  }

  /// Where members were sighted goes with the announcement that said so; what another one says of them stays.
  private func forgetUnannounced() {
    for (name, member) in recognised.sorted(by: { $0.key < $1.key }) where services.device(name) == nil {
      recognised[name] = nil
      sighted(member, [])
      let others = recognised.filter { $0.value == member }.keys.sorted()
      if let all = others.lazy.compactMap({ self.services.device($0)?.all }).first { sighted(member, all) }
    }
  }

  // MARK: Invitations

  /// Finds the device that has made an invitation.
  ///
  /// - Parameter found: called once with the addresses at which it may be, for others can repeat what it announces; with none, when it
  ///   is not found in time, or another one is looked for
  package func find(
    _ key: InvitationKey, withinMilliseconds limit: Int, found: @escaping ([Address]) -> Void
  ) {
    endSearch([])
    let end = Delay(milliseconds: limit, on: timers) { [weak self] in self?.endSearch([]) }
    search = (key, found, end)
    answerSearch()
  }

  private func answerSearch() {
    guard let search else { return }
    var places: [[Address]] = []
    // Whoever repeats an announcement picks a name that comes first.
    for name in services.names.shuffled() {
      guard let (announcement, address, all) = services.device(name) else { continue }
      let tag = Announcement.tag(under: search.key, nonce: announcement.nonce, port: address.port, .openSSL)
      if announcement.tags.contains(tag) { places.append(all) }
    }
    // The likeliest of each before the next of any.
    let longest = places.map(\.count).max() ?? 0
    var addresses: [Address] = []
    for turn in 0..<longest {
      for place in places where turn < place.count && !addresses.contains(place[turn]) {
        addresses.append(place[turn])
      }
    }
    if !addresses.isEmpty { endSearch(Array(addresses.prefix(Limits.deviceAddresses))) }
  }

  private func endSearch(_ addresses: [Address]) {
    guard let search else { return }
    self.search = nil
    search.found(addresses)
  }
}
