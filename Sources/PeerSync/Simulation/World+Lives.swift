import PeerSyncCore

// Devices that are removed, devices that are set back to a backup, and devices whose data directory is copied while they run:
// both go on, under one key, until the copy is found out and stopped for good.
extension World {
  /// One of the rare faults happens, and the next is on its way.
  func happen(_ fault: RareFault) {
    guard faults.rare.contains(fault) else { return }
    scheduleFault(.rare(fault), every: fault.every)
    switch fault {
    case .removals: remove()
    case .backups: restore()
    case .copies: copy()
    case .dishonesty: DishonestMember(in: self)?.attack()
    case .fullSets: DishonestMember(in: self)?.fillRecords()
    case .databases: putDatabaseBack()
    case .rot: spoilDisk()
    case .catalogues: People(of: self).changeCatalogue()
    case .reclaims: People(of: self).reclaim()
    case .imports: People(of: self).takeExport()
    case .store: RandomStore.trade(in: self)
    case .oneWay: blockOneWay()
    case .clocks: setClocksAlike()
    case .lives: beginLives()
    }
  }

  /// Someone removes a device: with another one, or with the recovery key that was written down.
  func remove() {
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

  /// Puts a copy of a device's disk in the place of its disk and starts it.
  ///
  /// - Parameter isNoticed: whether the device finds that it was set back; with all of its machine it does not
  /// - Returns: whether there is a copy
  @discardableResult package func setBack(_ index: Int, isNoticed: Bool = true) -> Bool {
    guard let backup = devices[index].backup else { return false }
    if !isNoticed { history.branch(backup.disk.replica) }
    replaceDisk(of: index, acknowledged: backup.acknowledged, isNoticed: isNoticed) { $0 = backup.disk }
    return true
  }

  /// Puts the database of a device's backup in its place and leaves the files beside it: they tell that it was set back.
  func putDatabaseBack() {
    let index = Int(chance(UInt64(originals.count)))
    guard let backup = devices[index].backup else { return backUp(index) }
    counts.rare[.databases, default: 0] += 1
    let now = now(index).wall
    replaceDisk(of: index, acknowledged: backup.acknowledged) { $0.putBack(backup.disk, since: now) }
  }

  /// Has a device go on from another disk: under a new incarnation, if it notices that.
  private func replaceDisk(
    of index: Int, acknowledged: Int, isNoticed: Bool = true, _ replace: (inout VirtualDisk) -> Void
  ) {
    counts.restores += 1
    kill(index)
    doubt(index)
    books.noteForgetting(devices[index].identity.key)
    replace(&devices[index].disk)
    if isNoticed { beginIncarnation(index, isCopy: true) }
    requests.forget(by: index, beyond: acknowledged)
    checked.forgetClaims(of: index)
    start(index)
  }

  /// Has a device that is not running begin a new incarnation.
  func beginIncarnation(_ index: Int, isCopy: Bool = false) {
    let nonce = Nonce(high: random.next(), low: random.next())
    devices[index].disk.begin(
      Incarnation(key: devices[index].signer.publicKey, nonce: nonce), .simulated,
      copied: isCopy ? now(index).wall : nil)
  }

  // MARK: Damage

  /// Rows of a device's database are lost while it is off. What nobody else holds is gone.
  func spoilDisk() {
    let index = Int(chance(UInt64(originals.count)))
    guard isRunning(index) else { return }
    counts.rare[.rot, default: 0] += 1
    kill(index)
    doubt(index)
    books.noteForgetting(devices[index].identity.key)
    let isAlone = devices[index].members == [devices[index].identity.key]
    let needsIncarnation = devices[index].disk.spoil(isAlone: isAlone, using: &random)
    if needsIncarnation { beginIncarnation(index) }
    handOver(from: index)
    checked.forgetClaims(of: index)
    start(index)
  }

  /// What a device had acknowledged others have to have from now on, as far as they do.
  private func handOver(from index: Int) {
    let signed = requests.acknowledged(by: index).filter { RegisterKind.isSignedByStore($0.key) }
    requests.forget(by: index, beyond: 0)
    devices[index].backup?.acknowledged = 0
    for other in originals where other != index {
      let held = Set(devices[other].disk.registers.writes.map(\.key))
      requests.noteAcknowledged(signed.filter { held.contains($0.key) }, by: other)
    }
  }

  // MARK: Many lives

  /// A device begins one incarnation after another, each of which writes something.
  func beginLives() {
    guard rare.lives == nil else { return }
    counts.rare[.lives, default: 0] += 1
    rare.lives = (Int(chance(UInt64(originals.count))), 40)
    beginLife()
  }

  func beginLife() {
    guard let (device, left) = rare.lives, left > 0, !faults.rare.isEmpty else { return rare.lives = nil }
    rare.lives = (device, left - 1)
    queue.schedule(.life, at: time + 300)
    guard isRunning(device) else { return }
    kill(device)
    beginIncarnation(device)
    start(device)
    request(.setValue(key: "v\(chance(5))", [1]), of: device)
  }

  // MARK: Copies

  /// The devices that people have, without copies of them.
  var originals: [Int] { devices.indices.filter { devices[$0].original == nil } }

  /// Someone copies a running device.
  func copy() {
    let index = Int(chance(UInt64(originals.count)))
    guard devices[index].engine != nil, !devices.contains(where: { $0.original == index && $0.engine != nil })
    else { return }
    queue.schedule(.endCopy(device: copy(index)), at: time + 1 + chance(RareFault.copies.every))
  }

  /// Copies the directory of a device and starts the copy beside it. It finds that it is a copy, and continues as an
  /// incarnation of its own.
  ///
  /// - Returns: the index of the copy
  package func copy(_ index: Int) -> Int {
    counts.copies += 1
    doubt(index)
    // From now on two go by one name, and what one of them knows the other may not.
    books.noteForgetting(devices[index].identity.key)
    let copy = devices.count
    var device = SimulatedDevice(
      identity: devices[index].identity, signer: devices[index].signer,
      recoveryKey: devices[index].recoveryKey,
      address: Address(host: "copy-\(copy)", port: 1), disk: devices[index].disk,
      wallOffset: devices[index].wallOffset)
    let nonce = Nonce(high: random.next(), low: random.next())
    device.disk.begin(
      Incarnation(key: device.signer.publicKey, nonce: nonce), .simulated, copied: now(index).wall)
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
    guard isRunning(original) else { return }
    kill(original)
    start(original)
  }
}
