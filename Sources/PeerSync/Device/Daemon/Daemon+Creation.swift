// Making a device: the first time, and out of a copy of one that was never started.
extension Daemon {
  /// What ``create(directory:name:environment:bundleId:trustRoots:clockOffset:mayAcceptTime:catalogue:)`` has made.
  public struct Created: Hashable, Sendable {
    /// Who the device is.
    public let identity: Identity
    /// The recovery key, which may remove this device and those that come in below it. To be written down: it is kept
    /// nowhere.
    public let recoveryKey: String
  }

  /// Makes a device in a directory that has none: a key, a ledger that holds its catalogue alone, a group of one.
  ///
  /// - Parameters:
  ///   - directory: where the device is to live; made when there is none
  ///   - name: what people call the device, 1 to ``Limits/textBytes`` bytes of UTF-8 without control or formatting characters
  ///   - environment: which storage's purchases count
  ///   - bundleId: the app whose purchases these are, 1 to ``Limits/textBytes`` bytes of UTF-8
  ///   - trustRoots: files in PEM form with root certificates whose storage is trusted as well; none in production
  ///   - clockOffset: how far the device's wall clock is set off in a simulation, in milliseconds
  ///   - mayAcceptTime: whether a person may have the device's clock count against what peers vouch for: see
  ///     ``Daemon/acceptTime()``
  ///   - catalogue: the products that it knows from the beginning, each within its limits (``Product/isWithinLimits``)
  /// - Throws: ``StorageError``; ``StorageError/unfit(_:inKorean:)``, before anything is touched, for a name or a bundle id
  ///   that is none, and for a product beyond the limits
  @discardableResult public static func create(
    directory: String, name: String, environment: Environment, bundleId: String, trustRoots: [String] = [],
    clockOffset: Int64 = 0, mayAcceptTime: Bool = true, catalogue: Catalogue = Catalogue()
  ) throws(StorageError) -> Created {
    try requireFit(name, Phrase("the name of the device", "기기 이름"))
    try requireFit(bundleId, Phrase("the bundle id of the app", "앱의 번들 ID"))
    if let misfit = catalogue.misfitTold { throw .unfit(misfit) }
    var roots: [[UInt8]] = []
    for path in trustRoots { roots.append(try TrustRoot.load(path)) }
    let directory = DataDirectory(directory)
    let key = try makeKey(in: directory)
    let storeRoot = try environment == .production ? nil : StoreTrust.create(directory, trusting: roots)
    let recovery = try makeRecoveryKey(in: directory)
    let device = NewDevice(
      signer: key.signingKey, nonce: .random(), recoveryKey: recovery.publicKey, storeRoot: storeRoot,
      name: name, environment: environment, bundleId: bundleId, .openSSL)
    let now = SystemClock(offset: clockOffset).now()
    try Storage.create(
      directory, device, first: device.durable(catalogue.writes, by: key, at: now), made: now.wall,
      mayAccept: mayAcceptTime)
    return Created(identity: device.identity, recoveryKey: recovery.text)
  }

  /// Refuses a text that the device would be made with and could never be opened with again, or that is no name.
  private static func requireFit(_ text: String, _ field: Phrase) throws(StorageError) {
    let (count, range) = (text.utf8.count, 1...Limits.textBytes)
    guard !range.contains(count) else {
      guard DeviceName(text) == nil else { return }
      throw .unfit(
        field
          + Phrase(
            " has characters that control or format text: leave them out",
            "에 제어 문자나 서식 문자가 있습니다. 빼고 지정하세요"))
    }
    throw .unfit(
      field
        + Phrase(
          " is \(count) bytes long: give it \(range.lowerBound) to \(range.upperBound)",
          ": 길이가 \(count)바이트입니다. \(range.lowerBound)~\(range.upperBound)바이트로 지정하세요"))
  }

  private static func makeRecoveryKey(in directory: DataDirectory) throws(StorageError) -> RecoveryKey {
    do throws(OpenSSLError) { return try RecoveryKey.generate() } catch {
      throw .failed(path: directory.path, message: StorageReason(Phrase(error)))
    }
  }

  /// The key of a device that is being made: a new one, or that of a creation that a crash cut short.
  private static func makeKey(in directory: DataDirectory) throws(StorageError) -> DeviceKey {
    try directory.create()
    if FileSystem.exists(directory.deviceKey) { return try DeviceKey.load(directory.deviceKey) }
    return try directory.makeKey(directory.deviceKey)
  }
}

extension DataDirectory {
  /// The key of a device that is being made out of another one. It takes the place of ``deviceKey`` once the database is
  /// that device's.
  private var nextKey: String { deviceKey + ".next" }

  fileprivate func makeKey(_ path: String) throws(StorageError) -> DeviceKey {
    let key: DeviceKey
    do throws(OpenSSLError) { key = try DeviceKey.generate() } catch {
      throw .failed(path: path, message: StorageReason(Phrase(error)))
    }
    try key.save(to: path)
    return key
  }

  /// Opens the device that lives here, and notes that it starts.
  func open(at now: Instant) throws(StorageError) -> (Storage, DeviceKey, Provenance) {
    let known = try DeviceKey.load(deviceKey)
    let storage = try Storage.open(self, key: known.publicKey)
    let provenance = try provenance(of: storage)
    let key = try provenance == .unused ? remake(storage, known) : finishKey(storage, known)
    try begin(storage, provenance, key: key.publicKey, at: now)
    return (storage, key, provenance)
  }

  /// The key of the device that the database holds.
  private func finishKey(_ storage: Storage, _ known: DeviceKey) throws(StorageError) -> DeviceKey {
    guard FileSystem.exists(nextKey) else { return known }
    let next = try DeviceKey.load(nextKey)
    guard storage.identity?.device == DeviceID(of: next.publicKey, .openSSL) else { return known }
    try FileSystem.rename(nextKey, to: deviceKey)
    return next
  }

  /// Makes another device out of a copy of one that was never started: with a key of its own, and otherwise alike, so that
  /// the two are devices to each other.
  private func remake(_ storage: Storage, _ known: DeviceKey) throws(StorageError) -> DeviceKey {
    let old = try storage.load(key: try finishKey(storage, known).publicKey)
    guard case .found(let founding)? = old.membership.records.first?.body else {
      throw .missing(directory: path)
    }
    let key = try makeKey(nextKey)
    let device = NewDevice(
      signer: key.signingKey, nonce: .random(), recoveryKey: founding.recoveryKey,
      storeRoot: founding.storeRoot, name: founding.name, environment: founding.environment,
      bundleId: founding.bundleId, .openSSL)
    let now = SystemClock().now()
    let products = old.replica.sortedWrites().map {
      LocalWrite(key: $0.key, stamp: $0.stamp, value: $0.value)
    }
    let time = TrustedTime.Persisted(made: old.time.made ?? now.wall, mayAccept: old.time.mayAccept)
    try storage.begin(device, first: device.durable(products, by: key, at: now), time: time, self)
    return try finishKey(storage, known)
  }
}

extension NewDevice {
  /// What is to be made durable of the device's first writes.
  fileprivate func durable(_ writes: [LocalWrite], by key: DeviceKey, at now: Now) -> Durable {
    var engine = Engine(self, signer: key.signingKey, .openSSL, seed: 0)
    return engine.handle([.requested(RequestID(rawValue: 1), .write(writes))], now: now).durable
  }
}

extension Provenance {
  /// Says in the log what the device goes on as, unless it is as it was.
  func tell(_ log: Log, _ identity: Identity) {
    let replica: KeyValuePairs = ["replica": "\(identity.replica)"]
    switch self {
    case .same: break
    case .copied:
      log(.warning, "the directory was copied or restored; continuing as a new incarnation", replica)
    case .setBack:
      log(
        .error,
        "the database is older than what this device has acknowledged: it was put back, or its log is lost; "
          + "continuing as a new incarnation", replica)
    case .unused:
      log(
        .warning,
        "the directory is a copy of a device that was never started; continuing as a device of its own",
        ["device": "\(identity.device)"])
    }
  }
}
