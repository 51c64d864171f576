extension TrustedTime {
  /// A time that somebody vouches for.
  package struct Bound: Hashable, Sendable {
    /// What it would be had the device not run at all since it was made, in milliseconds from 1970.
    package var origin: Int64
    /// When it was vouched for last.
    package var vouched: Instant

    package init(origin: Int64, vouched: Instant) {
      self.origin = origin
      self.vouched = vouched
    }
  }

  /// What is kept of another device that is a member, or was one.
  package struct Peer: Hashable, Sendable {
    package let device: DeviceID
    /// The origin of the floor when it was first known as a member; nil: nobody had vouched for any time.
    package var since: Int64?
    /// What it vouches for.
    package var bound: Bound?

    package init(device: DeviceID, since: Int64? = nil, bound: Bound? = nil) {
      self.device = device
      self.since = since
      self.bound = bound
    }

    /// The origin of the latest time that it vouches for, or that it came too late to deny.
    var latest: Int64? { [since, bound?.origin].compactMap(\.self).max() }
  }

  /// What outlives a restart.
  package struct Persisted: Hashable, Sendable {
    /// The wall clock when the device was made. No evidence: only what dates of a simulated store are measured against.
    package var made: Instant?
    /// How long the device had run since then, in milliseconds, as it was last kept.
    package var ran: Int64
    /// What the store vouches for.
    package var store: Bound?
    /// The other members, and who was one, by their ids.
    package var peers: [Peer]
    /// When a person last said that this device's clock is right, by that clock.
    package var accepted: Instant?
    /// Whether a person may say so.
    package var mayAccept: Bool
    /// The bounds of peers that fell last; nil: none did. Kept from then on: it may take several clocks to find all stamps wrong that they had
    /// borne out.
    package var fallen: FallenBounds?

    package init(
      made: Instant? = nil, ran: Int64 = 0, store: Bound? = nil, peers: [Peer] = [], accepted: Instant? = nil,
      mayAccept: Bool = true, fallen: FallenBounds? = nil
    ) {
      self.made = made
      self.ran = ran
      self.store = store
      self.peers = peers
      self.accepted = accepted
      self.mayAccept = mayAccept
      self.fallen = fallen
    }

    /// What was kept when there was one floor for all.
    package init(made: Instant? = nil, evidence: Evidence) {
      self.init(made: made)
      let bound = Bound(origin: evidence.instant.milliseconds, vouched: evidence.instant)
      switch evidence.voucher {
      case .store(let signed): store = Bound(origin: bound.origin, vouched: signed)
      case .peer(let device): peers = [Peer(device: device, since: bound.origin, bound: bound)]
      }
    }
  }
}

extension TrustedTime.Persisted {
  /// The greatest bound, and whose it is.
  struct Floor: Hashable, Sendable {
    let origin: Int64
    let voucher: TrustedTime.Voucher
  }

  /// Every bound: the store's first, then those of peers by their ids.
  var bounds: [(voucher: TrustedTime.Voucher, bound: TrustedTime.Bound)] {
    var bounds: [(voucher: TrustedTime.Voucher, bound: TrustedTime.Bound)] = []
    if let store { bounds.append((.store(signed: store.vouched), store)) }
    for peer in peers { if let bound = peer.bound { bounds.append((.peer(peer.device), bound)) } }
    return bounds
  }

  /// Of equal bounds the first counts.
  var floor: Floor? {
    var floor: Floor?
    for (voucher, bound) in bounds where floor.map({ bound.origin > $0.origin }) ?? true {
      floor = Floor(origin: bound.origin, voucher: voucher)
    }
    return floor
  }

  /// The floor as it was when this was kept.
  package var evidence: TrustedTime.Evidence? {
    floor.map {
      TrustedTime.Evidence(
        instant: Instant(clamping: $0.origin.addingClamped(ran)), voucher: $0.voucher)
    }
  }

  /// Where a device is among the peers.
  func place(of device: DeviceID) -> Int? {
    let place = peers.partitionPoint { $0.device >= device }
    return place < peers.count && peers[place].device == device ? place : nil
  }

  /// Takes in what was kept later. When the device was made does not change.
  package mutating func take(_ later: TrustedTime.Persisted) {
    let made = made
    self = later
    self.made = made ?? later.made
  }
}
