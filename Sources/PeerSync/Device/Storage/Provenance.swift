/// Where a data directory comes from, as a start finds it.
package enum Provenance: Hashable, Sendable {
  /// It is where the daemon left it.
  case same
  /// It was copied, or came back from a backup, as a whole or in part.
  case copied
  /// It is a copy of a device that was made and never started: its key stands for nobody yet.
  case unused
  /// Its database is older than what the device has made durable, or lacks its log.
  case setBack
}

extension DataDirectory {
  package func provenance(of storage: Storage) throws(StorageError) -> Provenance {
    if storage.isSetBack { return .setBack }
    let (remembered, found) = (storage.identity?.host, try readHostMarker()?.text)
    if remembered != nil, remembered != found { return storage.water.starts > 0 ? .copied : .unused }
    return storage.isMarkReplaced ? .setBack : .same
  }

  /// Notes that the device starts here. Unless it is where it was left it continues as a new incarnation: another copy
  /// may write, or have written, what this one does not know of.
  ///
  /// An ordinary start touches no file before the database: cut short at any moment it leaves no trace that the next one
  /// would take for a copy.
  package func begin(
    _ storage: Storage, _ provenance: Provenance, key: PublicKey, at now: Instant
  ) throws(StorageError) {
    // The new number is in the file before the database remembers it: cut short in between, it is one incarnation more.
    let host = try provenance == .same && storage.identity?.host != nil ? nil : renewHostMarker().text
    var durable = provenance == .setBack ? storage.missing : Durable()
    if provenance == .copied || provenance == .setBack {
      let incarnation = Incarnation(key: key, nonce: .random())
      let replica = incarnation.replica(.openSSL)
      durable.append(.proven([.incarnation(incarnation, replica: replica)]))
      durable.append(.replica(replica))
    }
    // It was said at the last start, and nobody else is in the group who could bring anything back.
    if provenance == .same, storage.water.setBack != nil, !storage.hasPeers(of: key) {
      storage.water.setBack = nil
    }
    let isForgetful = provenance == .setBack || provenance == .copied && storage.hasPeers(of: key)
    try storage.start(durable, host: host, setBack: isForgetful ? now : nil, self)
  }
}

extension Storage {
  /// The mark of the database as it is now.
  var mark: HighWaterMark? {
    guard let id = water.id, let identity else { return nil }
    return HighWaterMark(id: id, replica: identity.replica, count: water.count)
  }

  /// Has the database hold a new device and nothing else, in one transaction.
  func begin(
    _ device: NewDevice, first: Durable, time: TrustedTime.Persisted, _ directory: DataDirectory
  ) throws(StorageError) {
    let host = try directory.renewHostMarker().text
    water = HighWaterRow(starts: 0)
    try beginMark(by: device.identity.replica, directory)
    var durable = Durable([
      .proven([.incarnation(device.incarnation, replica: device.identity.replica)]),
      .records([device.founding]),
    ])
    durable.append(first)
    let row = IdentityRow(device.identity, host: host, mayAcceptTime: time.mayAccept)
    try rewrite(row, durable, time)
  }

  /// - Parameter durable: holds the incarnation that begins, if one does
  fileprivate func start(
    _ durable: Durable, host: String?, setBack: Instant?, _ directory: DataDirectory
  ) throws(StorageError) {
    if let replica = durable.replica ?? identity?.replica, durable.replica != nil || water.id == nil {
      try beginMark(by: replica, directory)
    }
    water.starts += 1
    water.setBack = setBack ?? water.setBack
    try persist(durable, host: host)
    // Before anybody waits for the first session.
    try tidy()
  }

  fileprivate func hasPeers(of key: PublicKey) -> Bool {
    identity.map { MembershipGroup.hasPeers(of: key, preferring: $0.group, records) } ?? false
  }

  private func beginMark(by replica: ReplicaID, _ directory: DataDirectory) throws(StorageError) {
    let mark = HighWaterMark(id: .random(), replica: replica, count: 0)
    highWater = try HighWaterFile(directory.highWater, begin: mark)
    (water.id, water.count, water.file) = (mark.id, 0, try HighWaterFile.number(directory.highWater))
  }

  /// What the second copy knows of the group that a database lacks which was set back: a peer that the device does not know
  /// could bring nothing back.
  fileprivate var missing: Durable {
    var durable = Durable()
    guard let secondCopy, secondCopy.identity.device == identity?.device else { return durable }
    let missing = secondCopy.records.filter { !records.contains($0) }
    durable.append(.records(missing.compactMap { try? MembershipRecord(decoding: $0) }))
    durable.append(.addresses(secondCopy.addresses.filter { addresses[$0.device] == nil }))
    durable.append(.group(secondCopy.identity.group))
    return durable
  }
}
