import PeerSyncCore

// What the world does to devices.
extension World {
  /// Begins the faults: the first partition and the first crash are on their way.
  func beginFaults() {
    scheduleFault(.partition, every: faults.partitionEvery)
    scheduleFault(.crash, every: faults.crashEvery)
    scheduleFault(.clockJump, every: faults.clockJumpEvery)
    for fault in faults.rare { scheduleFault(.rare(fault), every: fault.every) }
    scheduleFault(.wildClock, every: faults.wildClockEvery)
  }

  func scheduleFault(_ happening: Happening, every: UInt64) {
    guard every > 0 else { return }
    queue.schedule(happening, at: time + 1 + chance(2 * every))
  }

  /// Cuts the devices into two parts, for a while.
  func partition() {
    guard faults.partitionEvery > 0 else { return }
    counts.partitions += 1
    let side = random.next()
    for left in devices.indices {
      for right in devices.indices where left < right {
        if side >> UInt64(left % 64) & 1 != side >> UInt64(right % 64) & 1 { network.links.cut(left, right) }
      }
    }
    queue.schedule(.mend, at: time + 1_000 + chance(faults.partitionEvery))
    scheduleFault(.partition, every: faults.partitionEvery)
  }

  /// Nothing comes over some links in one direction, for a while.
  func blockOneWay() {
    counts.rare[.oneWay, default: 0] += 1
    for from in devices.indices {
      for to in devices.indices where from != to && chance(3) == 0 { network.links.block(from, to: to) }
    }
    queue.schedule(.mend, at: time + 1_000 + chance(faults.partitionEvery))
  }

  /// Whether an end is told that its connection is gone. If not it has to notice by itself.
  func hearsOfBreaks() -> Bool { !faults.rare.contains(.oneWay) || chance(2) > 0 }

  /// Kills a device that is doing nothing; those that die while they write are in `persist`.
  func crash() {
    guard faults.crashEvery > 0 else { return }
    let victim = Int(chance(UInt64(devices.count)))
    let isPowerCut = chance(8) == 0
    let restart = time + 1_000 + chance(120_000)
    for index in devices.indices where isPowerCut || index == victim {
      guard isRunning(index) else { continue }
      kill(index)
      queue.schedule(.restart(device: index), at: restart)
    }
    scheduleFault(.crash, every: faults.crashEvery)
  }

  /// Someone sets a device's clock.
  func jumpClock() {
    guard faults.clockJumpEvery > 0 else { return }
    let index = Int(chance(UInt64(devices.count)))
    if !isWild(index) { correctClock(index) }
    scheduleFault(.clockJump, every: faults.clockJumpEvery)
  }

  /// A device's clock goes wrong by minutes, days or years, and is corrected in a while. No two are wrong alike, and no two
  /// at once are behind: two clocks that agree are right as far as anybody can tell.
  func setClockWild() {
    guard faults.wildClockEvery > 0 else { return }
    let index = Int(chance(UInt64(devices.count)))
    let size = Int64([900_000, 86_400_000, 63_072_000_000][Int(chance(3))] + chance(600_000))
    let isBehind = chance(3) == 0 && !devices.contains { $0.wallOffset < -faults.skew }
    let offset = isBehind ? -size : size
    let isAlike = devices.contains { abs($0.wallOffset - offset) <= 2 * Limits.clockDriftMilliseconds }
    if !isWild(index), !isAlike {
      counts.wildClocks += 1
      devices[index].wallOffset = offset
      queue.schedule(.correctClock(device: index), at: time + 1 + chance(600_000))
    }
    scheduleFault(.wildClock, every: faults.wildClockEvery)
  }

  /// The clocks of several devices go wrong alike, perhaps all of them, and are corrected one by one.
  func setClocksAlike() {
    counts.rare[.clocks, default: 0] += 1
    let size = Int64([900_000, 86_400_000, 34_560_000_000][Int(chance(3))] + chance(600_000))
    let offset = chance(3) == 0 ? -size : size
    history.noteAlike(Instant(clamping: trueTime.milliseconds + offset))
    let isEverybody = chance(3) == 0
    for index in devices.indices where isEverybody || chance(2) == 0 {
      guard !isWild(index) else { continue }
      devices[index].wallOffset = offset + Int64(chance(UInt64(faults.skew)))
      queue.schedule(.correctClock(device: index), at: time + 1 + chance(1_800_000))
    }
  }

  /// Whether a device's clock is off by more than the skew of right clocks.
  func isWild(_ index: Int) -> Bool { abs(devices[index].wallOffset) > faults.skew }

  func correctClock(_ index: Int) {
    devices[index].wallOffset = Int64(chance(UInt64(2 * faults.skew + 1))) - faults.skew
  }

  /// Cuts one link or mends it.
  package func setLink(_ left: Int, _ right: Int, isCut: Bool) {
    if isCut { network.links.hold(left, right) } else { network.links.mend(left, right) }
  }

  /// Lets something happen to one link.
  func change(_ left: Int, _ right: Int, _ change: LinkChange) {
    if change == .reset { return reset(left, right) }
    network.links.set(left, right, change)
    guard !network.links.isStalled(left, right) else { return }
    // What has waited comes first, and in order.
    for session in network.openSessions(between: left, right) {
      for bytes in network.releaseHeld(on: session) { arrive(session, bytes) }
    }
  }

  private func reset(_ left: Int, _ right: Int) {
    for session in network.openSessions(between: left, right) {
      queue.schedule(.connectionClosed(session), at: time + 1)
    }
  }

  /// Where several clocks were wrong alike, a person says that they are right, on each device that others have carried ahead. From
  /// then on all live in the right present.
  func acceptTimes() {
    guard !checked.floors.storeIsRight else { return }
    run(until: time + Limits.peerClockMilliseconds)
    for index in originals {
      let now = now(index)
      let floor = devices[index].engine?.time(at: now).evidence?.instant ?? .epoch
      if floor > trueTime.advanced(byMilliseconds: KnownFloors.skewLimit) { request(.acceptTime, of: index) }
    }
    run(until: time + 1_000)
    checked.floors.storeIsRight = true
  }

  /// A device whose disk is damaged waits for every member. One that was removed, by a device that was set back to before, knows it
  /// alone and never comes: who reads the warning removes it once more. So do they with those that a dishonest member had made up, had let
  /// in and had removed: once it is removed with all that it has decided they are members again.
  func removeWhoNeverComes() {
    let family = family
    guard family.contains(where: { devices[$0].disk.damage != nil }),
      let group = family.first.flatMap({ devices[$0].engine?.group }),
      let senior = group.members.lazy.compactMap({ member in
        family.first { self.devices[$0].identity.key == member.key }
      }).first
    else { return }
    for gone in originals where isOut(gone) && group.isMember(devices[gone].identity.key) {
      expel(gone, by: senior)
    }
    let known = Set(devices.map(\.identity.key))
    // With all that they have decided: a senior one that was put back would otherwise wait for the damaged one.
    for madeUp in group.members where !known.contains(madeUp.key) {
      remove(madeUp.id, by: senior, takingBack: .everything)
    }
  }

  /// One of the family has removed a device, by records for which another one has no room: what somebody made up fills the branch
  /// of that device [F61]. Who finds it still listed there removes it there as well.
  ///
  /// - Returns: whether it was so
  func removeAgain(_ gone: Int) -> Bool {
    let key = devices[gone].identity.key
    let isCut = Dictionary(grouping: family) { devices[$0].engine?.group.cuts(for: key) != nil }
    guard isCut[true] != nil, let lacking = isCut[false]?.first else { return false }
    expel(gone, by: lacking)
    return true
  }

  /// Devices know different members, for somebody has filled the room of its branch with other records on each [F61], so that some have
  /// none for whom it let in. The most senior of the others removes it, with all that it has decided. Where there is none that is senior
  /// to it, or only juniors have removed it, its recovery key does: it could come back otherwise, and what it made up keeps its room.
  ///
  /// - Returns: whether it was so
  func removeWhoFillsRecords() -> Bool {
    guard counts.rare[.fullSets] != nil, let dishonest = rare.dishonest,
      let member = family.first(where: { $0 != dishonest }), let group = devices[member].engine?.group
    else { return false }
    let (key, device) = (devices[dishonest].identity.key, devices[dishonest].identity.device)
    let removed = group.removed.first { $0.device.key == key }
    guard removed?.isFinal != true, group.hasEverBelonged(key) else { return false }
    let first = devices.indices.first { devices[$0].identity.key == group.members.first?.key }
    if removed == nil, let first, first != dishonest, family.contains(first) {
      remove(device, by: first, takingBack: .everything)
    } else {
      remove(device, by: member, with: devices[dishonest].recoveryKey, takingBack: .everything)
    }
    return true
  }

  private func expel(_ gone: Int, by member: Int) {
    counts.removals += 1
    doubt(gone)
    request(.remove(devices[gone].identity.device, recoveryKey: nil, takingBack: .nothing), of: member)
  }

  /// Ends all faults: links mended, clocks corrected, devices up and online.
  package func heal() {
    for index in devices.indices where isWild(index) { correctClock(index) }
    faults = .none
    network.links.mendAll()
    for index in devices.indices { endCopy(index) }
    for index in originals {
      start(index)
      request(.setOnline(true), of: index)
    }
  }
}
