// Devices that are seen on the local network, and those that look for this one.
extension PeerNetwork {
  /// Tells the runner whom to announce this device to, when those have changed. A device that is offline, or no member, is not
  /// there for anybody.
  ///
  /// - Parameter isThere: whether it is neither
  package mutating func tellSought(isThere: Bool, in group: MembershipGroup, _ effects: inout Effects) {
    guard effects.changed else { return }
    let sought = isThere ? sought(in: group) : []
    guard sought != toldSought else { return }
    toldSought = sought
    effects.sought = sought
  }

  /// The members that are to find this device, and that it would like to find: all with which it has no session.
  private func sought(in group: MembershipGroup) -> [PublicKey] {
    let connected = Set(sessions.all.filter(\.isReady).compactMap(\.device))
    let others = group.members.filter { $0.id != device && !connected.contains($0.id) }
    return others.prefix(Limits.announcedTags).map(\.key)
  }

  /// A member announces itself at these addresses: it is dialled at once, whatever was tried before. It does so while it has no
  /// session with this device: one that there is here has to show that it lives.
  ///
  /// An announcement can be repeated by anybody, so only so many count at once: of more the last one counts later. What they say is
  /// forgotten once they stand no more: then there are no addresses.
  package mutating func sight(
    _ device: DeviceID, at addresses: [Address], _ holdings: Holdings, now: Now, _ effects: inout Effects
  ) {
    let addresses = Array(addresses.prefix(Limits.deviceAddresses))
    known[device]?.waitingSighting = []
    guard !addresses.isEmpty else { return dialler.unsight(device) }
    guard
      known[device, default: KnownPeer()].sightings.take(Limits.sightingMilliseconds, now: now.monotonic)
    else {
      known[device]?.waitingSighting = addresses
      return dialler.unsight(device, but: addresses)
    }
    dialler.sight(addresses, of: device)
    for session in sessions.all where session.device == device && session.times.isProven(at: now.monotonic) {
      _ = sessions.update(session.id) { $0.times.demandProof(at: now.monotonic) }
      if session.isReady { probe(session.id, holdings, &effects) }
    }
  }

  /// When a sighting that waits counts; nil: none does.
  var sightingDeadline: UInt64? {
    known.values.filter { !$0.waitingSighting.isEmpty }
      .map { $0.sightings.time(of: Limits.sightingMilliseconds) }.min()
  }

  /// Has the sightings count that have waited for it, of those that are members still.
  package mutating func checkSightings(
    in group: MembershipGroup, _ holdings: Holdings, now: Now, _ effects: inout Effects
  ) {
    guard let due = sightingDeadline, due <= now.monotonic else { return }
    for (device, peer) in known.sorted(by: { $0.key < $1.key }) where !peer.waitingSighting.isEmpty {
      let isMember = group.members.contains { $0.id == device }
      sight(device, at: isMember ? peer.waitingSighting : [], holdings, now: now, &effects)
    }
  }
}
