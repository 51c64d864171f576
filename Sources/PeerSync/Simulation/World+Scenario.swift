import PeerSyncCore

// What scenarios and the test kit ask of a world: things done to the end, and waiting until devices that can reach each other agree.
extension World {
  /// A person says that the devices which do not run now, and that nobody has met, are lost, and has one take over what they hold.
  package func reclaimLost(_ credit: String, on index: Int) -> Answer? {
    let known = Set(devices[index].engine?.group.members.map(\.key) ?? [])
    books.giveUp(
      devices.indices.filter { devices[$0].engine == nil && !known.contains(devices[$0].identity.key) })
    return perform(.reclaimLost(credit: credit), on: index)
  }

  /// Asks something of a device and runs until it has answered.
  ///
  /// - Returns: the answer; nil when none came in the time that the slowest request may take
  package func perform(_ request: Request, on index: Int) -> Answer? {
    answer(of: self.request(request, of: index))
  }

  /// Buys on a device, as its user does, from the store that it simulates for itself.
  package func purchase(_ order: PurchaseOrder, on index: Int) -> Answer? {
    perform(purchase(order), on: index)
  }

  /// The request by which somebody buys.
  func purchase(_ order: PurchaseOrder) -> Request { .purchase(order, id: random.next() >> 1) }

  /// Runs until a request is answered.
  func answer(of id: RequestID) -> Answer? {
    let end = time + 3 * Limits.handshakeMilliseconds
    while !requests.isAnswered(id), violations.isEmpty, let next = queue.nextTime, next <= end { step() }
    return requests.takeAnswer(of: id)
  }

  /// Pairs a device with another by an invitation.
  package func join(_ index: Int, to host: Int) -> Answer? {
    let invitation = makeInvitation(host)
    guard case .invited? = perform(.invite(invitation), on: host) else { return nil }
    return perform(.join(devices[host].address, invitation.key), on: index)
  }

  /// Kills a device between two steps: what its disk does not have is gone.
  package func crash(_ index: Int) { kill(index) }

  /// Sets how far a device's wall clock is off, in milliseconds.
  package func setClock(_ index: Int, offset: Int64) { devices[index].wallOffset = offset }

  /// Sets a device's wall clock on to a time, as the daemon follows a store whose clock was set on. Never back.
  func follow(_ index: Int, _ later: Instant) {
    devices[index].wallOffset = max(
      devices[index].wallOffset, later.milliseconds - trueTime.milliseconds)
  }

  /// The device of an index, as its engine knows itself.
  package func device(_ index: Int) -> DeviceID { devices[index].identity.device }

  /// Whom a device looks for, paired or not.
  package func peers(of index: Int) -> [Address] { devices[index].peers }

  // MARK: Agreement

  /// Runs until ``isSettled``.
  ///
  /// - Parameter limit: milliseconds of virtual time within which it must be so
  /// - Returns: whether it is
  package func settle(within limit: UInt64) -> Bool {
    let end = time + limit
    while !isSettled, violations.isEmpty {
      guard let next = queue.nextTime, next <= end else { break }
      step()
    }
    return isSettled
  }

  /// Whether devices of one group that can reach each other, directly or through others, hold the same and are at rest,
  /// and those that can reach each other directly are connected. Removed devices and copies at work are waited for by nobody.
  package var isSettled: Bool {
    devices.indices.allSatisfy { left in
      devices[left].mailbox.isEmpty
        && devices.indices.allSatisfy { left == $0 || !canTalk(left, $0) || areInSync(left, $0) }
    }
  }

  /// Devices that are in sync with a third are in sync with each other: looking at direct links is enough.
  private func areInSync(_ left: Int, _ right: Int) -> Bool {
    guard let one = devices[left].engine, let other = devices[right].engine else { return false }
    return one.peers.contains { $0.device == other.identity.device && $0.isConnected }
      && one.replica.vector == other.replica.vector && one.replica.digest == other.replica.digest
  }

  private func canTalk(_ left: Int, _ right: Int) -> Bool {
    guard let one = devices[left].engine, let other = devices[right].engine else { return false }
    return one.isOnline && other.isOnline && one.identity.group == other.identity.group
      && !network.links.isCut(left, right) && !network.links.isStalled(left, right)
      && !isRefused(one, by: other) && !isRefused(other, by: one)
  }

  /// Whether a device has nothing more to say to another: it was removed, or has a copy at work.
  private func isRefused(_ one: Engine, by other: Engine) -> Bool {
    one.isFenced || one.identity.device == other.identity.device
      || other.group.removed.contains { $0.device.key == one.identity.key }
  }

  // MARK: What the test kit asks besides

  /// Lets faults happen by themselves from now on.
  package func begin(_ faults: Faults) {
    self.faults = faults
    for index in devices.indices { correctClock(index) }
    beginFaults()
  }

  /// Has the checkers hold devices to the true time. The store signs by it, whatever clocks say.
  ///
  /// Not for clocks that are wrong alike: they are right as far as any device can tell.
  package func watchTime(_ isWatched: Bool) { checked.floors.storeIsRight = isWatched }

  /// Lets time pass: up to a limit all that happens in it, and beyond that the calendar alone, as on devices that sleep.
  ///
  /// - Parameters:
  ///   - milliseconds: how much, at least 0
  ///   - limit: how much of it is lived through
  package func pass(_ milliseconds: Int64, livingThrough limit: Int64) {
    clock.setOn(to: trueTime.advanced(byMilliseconds: max(0, milliseconds - limit)))
    run(until: time + UInt64(max(0, min(milliseconds, limit))))
  }

  /// How far a device's wall clock is off, in milliseconds.
  package func clockOffset(_ index: Int) -> Int64 { devices[index].wallOffset }

  /// A random number of this world: everything follows from its seed.
  package func draw() -> UInt64 { random.next() }

  /// Runs until a device is up that a fault has brought down.
  ///
  /// - Parameter limit: milliseconds of virtual time
  /// - Returns: whether it is
  package func wait(for index: Int, within limit: UInt64) -> Bool {
    let end = time + limit
    while !isRunning(index), violations.isEmpty, let next = queue.nextTime, next <= end { step() }
    return isRunning(index)
  }
}
