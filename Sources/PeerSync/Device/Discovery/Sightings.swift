/// Which members announce themselves, as far as what is found on the local network tells. A value: what it makes of something new it
/// answers with.
package struct Sightings {
  /// A member and where it is; with no address, when it is not announced any more.
  package struct Sighting: Hashable, Sendable {
    package let member: PublicKey
    package let addresses: [Address]

    package init(member: PublicKey, addresses: [Address]) {
      self.member = member
      self.addresses = addresses
    }
  }

  private let secrets: PairSecrets
  private var services = FoundServices()
  /// The other members, in order.
  private var members: [PublicKey] = []
  /// Which of them were recognised under which names, and as the how manieth.
  private var recognised: [String: (member: PublicKey, order: UInt64)] = [:]
  private var lastOrder: UInt64 = 0
  /// By how many hours the clocks of members are off that were recognised by another hour than this one's.
  private var strays: [PublicKey: Int64] = [:]
  private var looks = TokenBucket(
    capacity: Limits.strayLooks * Limits.strayLookMilliseconds, perMillisecond: 1)

  package init(_ secrets: PairSecrets) { self.secrets = secrets }

  /// The other members are these.
  package mutating func know(_ others: Set<PublicKey>, at now: Now) -> [Sighting] {
    members = others.sorted()
    strays = strays.filter { others.contains($0.key) }
    return services.names.flatMap { look(at: $0, now) }
  }

  /// These members are to be found, too: they may have been here all the time.
  package mutating func seek(_ news: [PublicKey], at now: Now) -> [Sighting] {
    services.names.compactMap { recognise($0, among: news, now) }
  }

  package mutating func take(_ found: FoundService, at now: Now) -> [Sighting] {
    services.take(found)
    return look(at: found.place.name, now)
  }

  package mutating func lose(_ place: FoundService.Place) -> [Sighting] {
    services.lose(place)
    return services.device(place.name) == nil ? forget(place.name) : []
  }

  /// Nothing is found any more.
  package mutating func clear() -> [Sighting] {
    services = FoundServices()
    return recognised.keys.sorted().flatMap { forget($0) }
  }

  /// Another hour has come: what was announced in one that is over means nothing any more, and what was of one to come does now.
  package mutating func turn(at now: Now) -> [Sighting] {
    services.names.flatMap { name in
      let before = recognised[name]?.member
      let sightings = look(at: name, now)
      return recognised[name]?.member == before ? [] : sightings
    }
  }

  /// The hour by which a member with a wrong clock counts, or this device seems to it to have one; nil: nothing is known of that.
  package func hour(of member: PublicKey, at hour: AnnouncedHour) -> AnnouncedHour? {
    strays[member].map(hour.advanced)
  }

  /// Where an invitation is announced, by whomever.
  package func places(of key: InvitationKey) -> [[Address]] {
    // Whoever repeats an announcement picks a name that comes first.
    services.names.shuffled().compactMap { name in
      guard let (announcement, address, all) = services.device(name) else { return nil }
      let tag = Announcement.tag(under: key, nonce: announcement.nonce, port: address.port, .openSSL)
      return announcement.tags.contains(tag) ? all : nil
    }
  }

  /// The likeliest of each place before the next of any.
  package static func interleaved(_ places: [[Address]]) -> [Address] {
    var addresses: [Address] = []
    for turn in 0..<(places.map(\.count).max() ?? 0) {
      for place in places where turn < place.count && !addresses.contains(place[turn]) {
        addresses.append(place[turn])
      }
    }
    return addresses
  }

  // MARK: Recognising

  private mutating func look(at name: String, _ now: Now) -> [Sighting] {
    let before = recognised[name]?.member
    guard let sighting = recognise(name, among: members, now) else {
      noteStray(name, now)
      return forget(name)
    }
    // It may be another member's now.
    let gone = before.flatMap {
      $0 == sighting.member ? nil : Sighting(member: $0, addresses: addresses(of: $0))
    }
    return [gone, sighting].compactMap(\.self)
  }

  private mutating func recognise(
    _ name: String, among candidates: [PublicKey], _ now: Now
  ) -> Sighting? {
    guard let (announcement, address, _) = services.device(name) else { return nil }
    let hours = AnnouncedHour(at: now.wall).near
    for member in candidates
    where hour(of: announcement, by: member, at: address.port, among: hours) != nil {
      if recognised[name]?.member != member {
        lastOrder += 1
        recognised[name] = (member, lastOrder)
      }
      strays[member] = nil
      return Sighting(member: member, addresses: addresses(of: member))
    }
    return nil
  }

  /// The hour in which a member has made an announcement for this device; nil when it is not its own, or of none of these.
  private func hour(
    of announcement: Announcement, by member: PublicKey, at port: UInt16, among hours: [AnnouncedHour]
  ) -> AnnouncedHour? {
    guard let secret = secrets.secret(with: member) else { return nil }
    return hours.first {
      announcement.tags.contains(
        Announcement.tag(
          under: secret, nonce: announcement.nonce, announcer: member, hour: $0, port: port, .openSSL))
    }
  }

  /// Looks whether a member with another clock announces itself. It is not sighted by that, for anybody may repeat an announcement that
  /// is old; but it finds this device, if it is there, by a tag of its own hour.
  private mutating func noteStray(_ name: String, _ now: Now) {
    guard let (announcement, address, _) = services.device(name),
      looks.take(Limits.strayLookMilliseconds, now: now.monotonic)
    else { return }
    let current = AnnouncedHour(at: now.wall)
    let hours = current.far
    for member in members {
      guard let other = hour(of: announcement, by: member, at: address.port, among: hours) else { continue }
      strays[member] = other.number - current.number
      return
    }
  }

  /// Where a member is by all that is announced of it. It may have started anew, with the old name still there: the newest is the likeliest.
  /// Or somebody repeats what it announces: then the oldest is its own, for it was there before.
  private func addresses(of member: PublicKey) -> [Address] {
    var names = recognised.filter { $0.value.member == member }.sorted { $0.value.order < $1.value.order }
      .map(\.key)
    if let newest = names.popLast() { names.insert(newest, at: 0) }
    // So many are dialled; whoever repeats under a hundred names costs no more.
    let places = names.prefix(Limits.deviceAddresses).compactMap { services.device($0)?.all }
    return Array(Self.interleaved(places).prefix(Limits.deviceAddresses))
  }

  /// Where a member was sighted goes with the announcement that said so; what others say of it stays.
  private mutating func forget(_ name: String) -> [Sighting] {
    guard let member = recognised.removeValue(forKey: name)?.member else { return [] }
    return [Sighting(member: member, addresses: addresses(of: member))]
  }
}
