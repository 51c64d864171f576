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
  /// An announcement can be repeated by anybody, so only so many count, and what they say is forgotten once they stand no more: then
  /// there are no addresses.
  package mutating func sight(
    _ device: DeviceID, at addresses: [Address], _ holdings: Holdings, now: Now, _ effects: inout Effects
  ) {
    guard !addresses.isEmpty else { return dialler.unsight(device) }
    guard
      known[device, default: KnownPeer()].sightings.take(Limits.sightingMilliseconds, now: now.monotonic)
    else { return }
    dialler.sight(Array(addresses.prefix(Limits.deviceAddresses)), of: device)
    for session in sessions.all where session.device == device && session.times.isProven(at: now.monotonic) {
      _ = sessions.update(session.id) { $0.times.demandProof(at: now.monotonic) }
      if session.isReady { probe(session.id, holdings, &effects) }
    }
  }
}
