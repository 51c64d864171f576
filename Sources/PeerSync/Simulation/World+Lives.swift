import PeerSyncCore

// Devices that are removed, devices that are set back to a backup, and devices whose data directory is copied while they run:
// both go on, under one key, until the copy is found out and stopped for good.
extension World {
  /// Someone removes a device: with another one, or with the recovery key that was written down.
  func remove() {
    guard faults.removeEvery > 0 else { return }
    scheduleFault(.remove, every: faults.removeEvery)
    let index = Int(chance(UInt64(devices.count)))
    guard let group = devices[index].engine?.group, group.members.count > 1 else { return }
    let target = group.members[Int(chance(UInt64(group.members.count)))]
    guard target.key != devices[index].identity.key else { return }
    remove(target.id, by: index, withRecoveryKey: chance(4) == 0)
  }

  /// Asks a device to remove another.
  func remove(_ target: DeviceID, by index: Int, withRecoveryKey: Bool) {
    // Of a device that had joined others the key leads those below it out of their group, for good: that is played by stories.
    let group = devices[index].engine?.group
    let first = group?.members.first.flatMap { $0.founding == group?.founding ? $0.key : nil }
    let founder = devices.first { $0.identity.key == first }
    remove(target, by: index, with: withRecoveryKey ? founder?.recoveryKey : nil)
  }

  /// Asks a device to remove another, by its own right or by a recovery key.
  @discardableResult package func remove(
    _ target: DeviceID, by index: Int, with recoveryKey: SigningKey? = nil, takingBack: TakingBack = .nothing
  ) -> RequestID {
    counts.removals += 1
    if let removed = devices.firstIndex(where: { $0.identity.device == target }) { doubt(removed) }
    // It may be the other way round in the end.
    doubt(index)
    return request(.remove(target, recoveryKey: recoveryKey, takingBack: takingBack), of: index)
  }

  /// The key that was written down when a device was made.
  package func recoveryKey(_ index: Int) -> SigningKey { devices[index].recoveryKey }

  /// Someone copies a device's disk or puts a copy back.
  func restore() {
    guard faults.restoreEvery > 0 else { return }
    scheduleFault(.restore, every: faults.restoreEvery)
    let index = Int(chance(UInt64(devices.count)))
    if devices[index].backup == nil || chance(3) == 0 { backUp(index) } else { setBack(index) }
  }

  /// Copies a device's disk.
  package func backUp(_ index: Int) {
    devices[index].backup = (
      devices[index].disk, requests.acknowledged(by: index).count,
      devices[index].engine.map { _ in available(index) }
    )
  }

  /// Puts a copy of a device's disk in the place of its disk and starts it. The device finds that it was set back.
  ///
  /// - Returns: whether there is a copy
  @discardableResult package func setBack(_ index: Int) -> Bool {
    guard let backup = devices[index].backup else { return false }
    counts.restores += 1
    kill(index)
    doubt(index)
    devices[index].disk = backup.disk
    let nonce = Nonce(high: random.next(), low: random.next())
    devices[index].disk.begin(Incarnation(key: devices[index].signer.publicKey, nonce: nonce), .simulated)
    requests.forget(by: index, beyond: backup.acknowledged)
    checked.forgetClaims(of: index)
    start(index)
    return true
  }

  // MARK: Copies

  /// The devices that people have, without copies of them.
  var originals: [Int] { devices.indices.filter { devices[$0].original == nil } }

  /// Someone copies a running device.
  func copy() {
    guard faults.copyEvery > 0 else { return }
    scheduleFault(.copy, every: faults.copyEvery)
    let index = Int(chance(UInt64(originals.count)))
    guard devices[index].engine != nil, !devices.contains(where: { $0.original == index && $0.engine != nil })
    else { return }
    queue.schedule(.endCopy(device: copy(index)), at: time + 1 + chance(faults.copyEvery))
  }

  /// Copies the directory of a device and starts the copy beside it. It finds that it is a copy, and continues as an
  /// incarnation of its own.
  ///
  /// - Returns: the index of the copy
  func copy(_ index: Int) -> Int {
    counts.copies += 1
    doubt(index)
    let copy = devices.count
    var device = SimulatedDevice(
      identity: devices[index].identity, signer: devices[index].signer,
      recoveryKey: devices[index].recoveryKey,
      address: Address(host: "copy-\(copy)", port: 1), disk: devices[index].disk,
      wallOffset: devices[index].wallOffset)
    let nonce = Nonce(high: random.next(), low: random.next())
    device.disk.begin(Incarnation(key: device.signer.publicKey, nonce: nonce), .simulated)
    device.peers = devices[index].peers
    device.original = index
    device.isDoubtful = true
    devices.append(device)
    start(copy)
    return copy
  }

  /// Someone stops a copy for good, and starts the other one anew: two that met decide nothing any more.
  func endCopy(_ copy: Int) {
    guard let original = devices[copy].original, !devices[copy].isGone else { return }
    kill(copy)
    devices[copy].isGone = true
    books.forget(copy)
    guard devices[original].engine != nil else { return }
    kill(original)
    start(original)
  }
}
