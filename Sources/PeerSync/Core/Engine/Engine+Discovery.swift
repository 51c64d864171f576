// Devices that are seen on the local network, and those that look for this one.
extension Engine {
  /// The members that are to find this device, and that it would like to find: all with which it has no session.
  private var sought: [PublicKey] {
    let connected = Set(sessions.all.filter(\.isReady).compactMap(\.device))
    let others = group.members.filter { $0.key != identity.key && !connected.contains($0.id) }
    return others.prefix(Limits.announcedTags).map(\.key)
  }

  /// Tells the runner whom to announce this device to, when those have changed. A device that is offline, or no member, is not
  /// there for anybody.
  mutating func tellSought(_ effects: inout Effects) {
    guard effects.changed else { return }
    let sought = isOnline && !isRemoved && !holdings.isCloned ? sought : []
    guard sought != toldSought else { return }
    toldSought = sought
    effects.sought = sought
  }

  /// A member announces itself at these addresses: it is dialled at once, whatever was tried before. It does so while it has no
  /// session with this device: one that there is here has to show that it lives.
  ///
  /// An announcement can be repeated by anybody as long as it stands, so only so many count.
  mutating func sight(_ key: PublicKey, at addresses: [Address], now: Now, _ effects: inout Effects) {
    let device = DeviceID(of: key, cryptography)
    guard group.isMember(key), key != identity.key, !addresses.isEmpty,
      knownPeers[device, default: KnownPeer()].sightings.take(Limits.sightingMilliseconds, now: now.monotonic)
    else { return }
    dialler.sight(Array(addresses.prefix(Limits.deviceAddresses)), of: device)
    for session in sessions.all where session.device == device && session.times.isProven(at: now.monotonic) {
      _ = sessions.update(session.id) {
        $0.times.demandProof(within: Limits.proofMilliseconds, at: now.monotonic)
      }
      if session.isReady { probe(session.id, &effects) }
    }
  }
}
