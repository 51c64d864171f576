import Foundation
import PeerSync
import PeerSyncControl
import PeerSyncSandbox
import PeerSyncSimulation

/// A story played by real processes: each device is a `peerd run` with a data directory of its own, on loopback.
///
/// The store signs with certificates made for the story, which the devices trust. The clocks of the devices begin
/// with the day on which stories begin; when the story waits, the devices are started again with later clocks.
final class ProcessStage: ScenarioStage {
  var devices: [Device] = []
  var network = RelayedNetwork()
  let signer: StorySigner
  /// The store that devices buy from by themselves; nil: the story has none.
  var sandboxStore: SandboxProcess?
  /// Where devices and store have their directories.
  let directory: String
  /// Nil: the directory stays.
  private let temporary: TemporaryDirectory?
  /// By how many milliseconds the clocks of the story are ahead of this machine's. They run on by themselves, and are set
  /// ahead when the story waits, or sets its store's clock on.
  var ahead: Int64
  /// What a device or the store has refused last.
  var refusal: Problem?

  /// One device of the story.
  final class Device {
    let name: String
    let process: DaemonProcess
    /// How far its wall clock is off, in milliseconds.
    var skew: Int64 = 0
    /// Whom it looks for besides its group, by their numbers.
    var calls: Set<Int> = []
    /// Whom it was told to dial when it was started last.
    var dials: Set<Int> = []
    /// Who it is, once that is known.
    var id: DeviceID?
    /// The account that it buys with.
    var account = SandboxDemand.somebody
    /// Where the last copy of its directory is.
    var backup: String?

    init(_ name: String, _ process: DaemonProcess) {
      self.name = name
      self.process = process
    }

    /// What its daemon says of itself.
    func status() async throws -> StatusAnswer { try await process.status() }

    /// Asks its daemon.
    func send<Answer: Decodable>(_ method: String, _ path: String, body: (any Encodable)? = nil) async throws
      -> Answer
    {
      try await process.client().send(method, path, body: body)
    }
  }

  /// - Parameter purpose: what its directory is named by
  init(for purpose: String = "rehearse") throws {
    let temporary = try TemporaryDirectory(purpose)
    (self.temporary, directory) = (temporary, temporary.path)
    signer = try StorySigner(in: directory)
    ahead = World.wallStart - Instant.present.milliseconds
  }

  /// A stage that stays in a directory.
  init(in directory: String) throws {
    (temporary, self.directory) = (nil, directory)
    signer = try StorySigner(in: directory)
    ahead = World.wallStart - Instant.present.milliseconds
  }

  var runningDevices: [Device] { devices.filter(\.process.isRunning) }

  /// A device that is wrong ends the story by itself.
  var problem: ScenarioProblem? { nil }

  func explain(_ error: any Error) -> ScenarioProblem? { ScenarioProblem(Phrase(error)) }

  var cryptography: Cryptography { .openSSL }

  func prepare(for environment: Environment) throws {
    guard environment != .production else {
      throw ScenarioProblem(
        "in production only Apple's signatures count: play the story with --simulated",
        "production 환경에서는 Apple의 서명만 인정됩니다. --simulated 옵션으로 재생하세요")
    }
  }

  func finish() {
    for device in devices { device.process.stop() }
    sandboxStore?.stop()
  }

  // MARK: Devices

  func begin(_ name: String, in environment: Environment) async throws {
    let process = try DaemonProcess(
      "\(directory)/\(devices.count)",
      options: [
        "--name", name, "--environment", environment.rawValue, "--bundle-id", Scenario.bundleId,
        "--trust-root", signer.root, "--clock-offset", offset(0),
      ])
    devices.append(Device(name, process))
    try network.begin(devices.count - 1)
    try start(devices.count - 1)
    // Asked while it runs: others may speak of it when it does not.
    _ = try await id(of: devices.count - 1)
  }

  func isRunning(_ device: Int) -> Bool { devices[device].process.isRunning }

  func start(_ device: Int) throws { try start(devices[device]) }

  private func start(_ device: Device) throws {
    guard let place = devices.firstIndex(where: { $0 === device }) else { return }
    device.dials = device.calls.union(network.peers(of: place))
    let ways = device.dials.sorted().compactMap { network.relays[RelayedNetwork.Way(from: place, to: $0)] }
    let peers = ways.flatMap { ["--peer", "\($0.address)"] }
    let store = sandboxStore.map { ["--store", $0.url, "--account", device.account] } ?? []
    try device.process.start(
      options: ["--announce", "none", "--clock-offset", offset(device.skew)] + peers + store)
    network.set(Address(device.process.listen), of: place)
  }

  func restart(_ device: Device) throws {
    guard device.process.isRunning else { return }
    device.process.stop()
    try start(device)
  }

  func crash(_ device: Int) { devices[device].process.kill() }

  private func offset(_ skew: Int64) -> String { "\((ahead + skew) / 1000)s" }

  func setClock(_ device: Int, offset: Int64) throws {
    devices[device].skew = offset
    try restart(devices[device])
  }

  /// The clocks are set on, and who can reach each other meets.
  func wait(_ milliseconds: UInt64) async throws {
    // Whole seconds are what the clocks can be set by.
    ahead += (Int64(clamping: milliseconds) + 999) / 1000 * 1000
    for device in devices { try restart(device) }
    try await meet()
  }

  // MARK: Copies

  func backUp(_ device: Int) throws {
    let backup = "\(devices[device].process.directory)-backup"
    try? FileManager.default.removeItem(atPath: backup)
    try devices[device].process.copy(to: backup)
    devices[device].backup = backup
  }

  func setBack(_ device: Int, isNoticed: Bool) throws -> Bool {
    guard let backup = devices[device].backup else { return false }
    if isNoticed {
      try devices[device].process.replace(with: backup)
    } else {
      try devices[device].process.overwrite(with: backup)
    }
    try start(device)
    return true
  }

  func copy(_ device: Int, as name: String) throws {
    let (original, directory) = (devices[device], "\(directory)/\(devices.count)")
    try original.process.copy(to: directory)
    let copy = Device(name, DaemonProcess(existing: directory))
    (copy.skew, copy.calls, copy.account, copy.id) = (
      original.skew, original.calls, original.account, original.id
    )
    devices.append(copy)
    try network.begin(devices.count - 1)
    network.join(devices.count - 1, copyOf: device)
    try start(copy)
  }

  // MARK: What people ask

  func ask(_ request: ScenarioRequest, of device: Int) async throws -> ScenarioReply {
    let device = devices[device]
    return try await reply {
      switch request {
      // A catalogue file of peerd cannot say all that a story can.
      case .learn(let products):
        // Decided now by the device's clock, as an app's catalogue is.
        let stamp = Stamp(Instant.present.advanced(byMilliseconds: ahead + device.skew))
        let writes = products.writes(version: 0).map {
          LocalWrite(key: $0.key, stamp: stamp, value: $0.value)
        }
        try await bring(writes, to: device)
      case .write(let writes): try await bring(writes, to: device)
      case .purchase(let order):
        let body = PurchaseBody(productId: order.product, quantity: order.quantity, at: order.date)
        let result: PurchaseResult = try await device.send("POST", "/v1/purchases", body: body)
        return result.transaction.map { .transaction($0.transactionId) } ?? .silent
      case .refund(let transaction):
        try await ask(device, "POST", "refunds", RefundBody(transactionId: transaction))
      case .spend(let spending): return try await spend(spending, device)
      case .reclaim(let credit): try await ask(device, "POST", "credits/\(credit.asPathPart)/reclaim")
      case .reclaimLost(let credit):
        try await ask(device, "POST", "credits/\(credit.asPathPart)/reclaim", ReclaimBody(from: "lost"))
      case .acceptTime: try await ask(device, "POST", "time")
      case .remove(let other, let byKey, let takingBack):
        let key = byKey ? devices[other].process.recoveryKey : nil
        let body = RemoveBody(
          recoveryKey: key, takingBack.takingBack(at: try await device.status().time.wall))
        try await ask(device, "DELETE", "devices/\(try await id(of: other))", body)
        network.remove(other)
      case .setExpiration(let line, let date):
        try await ask(device, "PUT", "lines/\(line.asPathPart)/expiration", ExpirationBody(expires: date))
      case .grant(let entitlement, let until):
        try await ask(device, "PUT", "grants/\(entitlement.asPathPart)", GrantBody(until: until))
      case .revoke(let entitlement): try await ask(device, "DELETE", "grants/\(entitlement.asPathPart)")
      }
      return .done
    }
  }

  /// What a daemon has come to, in which a problem is a refusal.
  func reply(_ body: () async throws -> ScenarioReply) async throws -> ScenarioReply {
    do { return try await body() } catch ControlError.problem(let problem) {
      refusal = problem
      return .refused(ScenarioProblem(problem.told))
    }
  }

  private func ask(_ device: Device, _ method: String, _ path: String, _ body: (any Encodable)? = nil)
    async throws
  {
    let _: JSONValue = try await device.send(method, "/v1/" + path, body: body)
  }

  /// Registers come as an export.
  private func bring(_ writes: [LocalWrite], to device: Device) async throws {
    let _: ImportAnswer = try await device.send("POST", "/v1/import", body: ExportFormat.document(of: writes))
  }

  private func spend(_ spending: Spending, _ device: Device) async throws -> ScenarioReply {
    do {
      let body = SpendBody(amount: spending.amount, id: spending.id)
      try await ask(device, "POST", "credits/\(spending.credit.asPathPart)/spends", body)
      return .done
    } catch ControlError.problem(let problem) where problem.code == .notEnough {
      refusal = problem
      let credits: CreditsAnswer = try await device.send("GET", "/v1/credits")
      let holders = credits.credits.first { Name($0.id) == Name(spending.credit) }?.holders ?? []
      let others = holders.compactMap(RightsHeld.init).filter { $0.holder != .itself && $0.rights > 0 }
      return .notEnough(others, why: ScenarioProblem(problem.told))
    }
  }

  // MARK: Purchases

  func id(of device: Int) async throws -> DeviceID {
    if let known = devices[device].id { return known }
    let text = try await devices[device].status().device.id
    guard let id = DeviceID(text) else {
      throw Failure(Phrase("a daemon calls itself \(text)", "데몬이 자신을 ‘\(text)’ 기기라고 합니다"))
    }
    devices[device].id = id
    return id
  }

  func holder(of device: Int) async throws -> CreditHolder {
    CreditHolder(accountToken: try await devices[device].status().device.accountToken) ?? .nobody
  }

  /// Daemons know what they bought.
  func noteSold(_ transaction: Transaction) {}

  func sign(_ payload: [UInt8], isForged: Bool) throws -> JWS {
    try signer.sign(payload, isForged: isForged)
  }

  func hand(_ item: JWS, to device: Int) async throws -> String? {
    let answer: IngestAnswer = try await devices[device].send(
      "POST", "/v1/transactions", body: IngestBody(items: [String(decoding: item.text, as: UTF8.self)]))
    return answer.results.first?.reason
  }
}
