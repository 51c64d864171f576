/// Finds the other members on the local network, and has them find this device, without telling anybody else who belongs to whom.
///
/// Under a random name, anew with every start and each day, it announces a port and, for each member with which there is no session,
/// a tag that only this member recognises (``Announcement``), for about an hour. What it finds (``Sightings``) is an event of the engine,
/// which decides what to do about it.
package final class Discovery {
  private let secrets: PairSecrets
  private let own: PublicKey
  private let port: UInt16
  private let timers: Timers
  private let now: () -> Now
  private let log: Log
  private let service: any ServiceDirectory
  private let sighted: (PublicKey, [Address]) -> Void
  /// Under which name, and in which hour.
  private var announced: (name: String, hour: AnnouncedHour)
  private var sightings: Sightings
  /// Those that are to find this device.
  private var sought: [PublicKey] = []
  private var invitation: InvitationKey?
  private var isPresent = false
  private var update: Delay?
  private var renewal: Delay?
  /// How late after the turn of an hour, in milliseconds, and the wait for that.
  private var turn: (late: ClosedRange<Int>, wait: Delay?)
  private var retry: Delay?
  private var isWarned = false
  /// How many names were taken, of late, and when that is forgotten.
  private var taken = (count: 0, end: Delay?.none)
  /// Whoever waits for a device that has made an invitation.
  private var search: (key: InvitationKey, found: ([Address]) -> Void, end: Delay)?

  /// How soon members that are newly sought are announced to, in milliseconds: several become so at once.
  private static let soonMilliseconds = 50
  /// How late the tag of a member that was found goes away, in milliseconds, at random: two announcements that shrink at the same
  /// moment would tell who has found whom. And after the turn of the hour: when exactly it turns by a clock tells whose it is.
  package static let lateMilliseconds = 5_000...60_000
  package static let renewalMilliseconds = 24 * 60 * 60 * 1000
  private static let retryMilliseconds = 60 * 1000
  /// Most names within ``retryMilliseconds``: somebody might claim them all.
  private static let takenLimit = 8

  /// - Parameters:
  ///   - port: where the device listens
  ///   - interface: the only network interface to use; nil: all
  ///   - renewal: how long a name is good for, in milliseconds
  ///   - late: how long after the turn of an hour its tags go out, in milliseconds, at random
  ///   - now: reads the clocks
  ///   - report: takes what the service reports, on whatever thread, and brings it to ``take(_:)`` on the loop
  ///   - sighted: called on the loop with a member and its addresses; with none, when it is not announced any more
  /// - Returns: nil when there is no memory
  package init?(
    _ key: DeviceKey, by discovery: LocalDiscovery, port: UInt16, on interface: String?, loop: EventLoop,
    log: Log, renewal: Int = Discovery.renewalMilliseconds,
    late: ClosedRange<Int> = Discovery.lateMilliseconds, now: @escaping () -> Now,
    report: @escaping @Sendable (ServiceReport) -> Void,
    sighted: @escaping (PublicKey, [Address]) -> Void
  ) {
    guard let secrets = try? PairSecrets(key),
      let service = discovery.directory("_peersync._tcp", interface, loop, report)
    else { return nil }
    self.secrets = secrets
    self.service = service
    self.sighted = sighted
    self.now = now
    (own, self.port, timers, self.log) = (key.publicKey, port, loop.timers, log)
    turn = (late, nil)
    sightings = Sightings(secrets)
    announced = (Self.drawName(), AnnouncedHour(at: now().wall))
    service.connect()
    renewLater(afterMilliseconds: renewal)
    turnLater()
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

  /// The clock may have been set, or the machine have slept: then another hour has come that no timer has told of.
  package func clockChanged() {
    // It comes at another time now, in this hour or another.
    turnLater()
    guard AnnouncedHour(at: now().wall) != announced.hour else { return }
    announce(afterMilliseconds: Self.soonMilliseconds)
    tell(sightings.turn(at: now()))
  }

  /// The group has these members.
  package func know(_ members: Set<PublicKey>) {
    secrets.keep(members)
    let left = sought.filter { members.contains($0) }
    if left != sought {
      sought = left
      // Whoever was removed is to find this device no more, from now on.
      announce(afterMilliseconds: Self.soonMilliseconds)
    }
    tell(sightings.know(members.subtracting([own]), at: now()))
  }

  /// These members are to find this device.
  package func seek(_ sought: [PublicKey]) {
    let news = sought.filter { !self.sought.contains($0) }
    self.sought = sought
    announce(afterMilliseconds: news.isEmpty ? .random(in: Self.lateMilliseconds) : Self.soonMilliseconds)
    tell(sightings.seek(news, at: now()))
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
    announced.hour = AnnouncedHour(at: now().wall)
    var random = SystemRandomNumberGenerator()
    let nonce = (0..<Announcement.nonceBytes).map { _ in UInt8.random(in: 0...255, using: &random) }
    let invited = invitation.map { Announcement.tag(under: $0, nonce: nonce, port: port, .openSSL) }
    let tags = sought.compactMap { tag(for: $0, nonce, announced.hour) }
    // Whoever counts by another hour finds it with the next record that goes out anyway. One that went out for that would answer
    // whoever repeats an old announcement.
    let more = sought.compactMap { member in
      sightings.hour(of: member, at: announced.hour).flatMap { tag(for: member, nonce, $0) }
    }
    let announcement = Announcement(
      nonce: nonce, tags: [invited].compactMap(\.self) + tags, more: more, using: &random)
    service.publish(name: announced.name, port: port, text: announcement.strings)
  }

  private func tag(for member: PublicKey, _ nonce: [UInt8], _ hour: AnnouncedHour) -> [UInt8]? {
    secrets.secret(with: member).map {
      Announcement.tag(under: $0, nonce: nonce, announcer: own, hour: hour, port: port, .openSSL)
    }
  }

  private func renewLater(afterMilliseconds wait: Int) {
    renewal = Delay(milliseconds: wait, on: timers) { [weak self] in
      guard let self else { return }
      announced.name = Self.drawName()
      announce()
      renewLater(afterMilliseconds: wait)
    }
  }

  private func turnLater() {
    let left = Int(AnnouncedHour.left(at: now().wall))
    turn.wait = Delay(milliseconds: left + .random(in: turn.late), on: timers) { [weak self] in
      guard let self else { return }
      if AnnouncedHour(at: now().wall) != announced.hour { announce() }
      tell(sightings.turn(at: now()))
      turnLater()
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
      guard found.place.name != announced.name else { return }
      tell(sightings.take(found, at: now()))
      answerSearch()
    case .lost(let place): tell(sightings.lose(place))
    }
  }

  private func tell(_ sightings: [Sightings.Sighting]) {
    for sighting in sightings { sighted(sighting.member, sighting.addresses) }
  }

  private func failed(_ reason: String) {
    tell(sightings.clear())
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
    guard taken == announced.name else { return }
    announced.name = Self.drawName()
    self.taken.count += 1
    guard self.taken.count <= Self.takenLimit else { return failed("somebody here claims every name") }
    if self.taken.end == nil {
      self.taken.end = Delay(milliseconds: Self.retryMilliseconds, on: timers) { [weak self] in
        self?.taken = (0, nil)
      }
    }
    announce()
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
    let addresses = Sightings.interleaved(sightings.places(of: search.key))
    if !addresses.isEmpty { endSearch(addresses) }
  }

  private func endSearch(_ addresses: [Address]) {
    guard let search else { return }
    self.search = nil
    search.found(addresses)
  }
}
