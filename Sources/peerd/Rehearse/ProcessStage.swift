import Foundation
import PeerSync
import PeerSyncControl
import PeerSyncSandbox
import PeerSyncSimulation

/// A story played by real processes: each device is a `peerd run` with a data directory of its own, on loopback.
///
/// The store signs with certificates made for the story, which the devices trust. The clocks of the devices begin
/// with the day on which stories begin; when the story waits, the devices are started again with later clocks.
final class ProcessStage: Stage {
  let file: String
  var devices: [Device] = []
  var network = CutNetwork()
  private(set) var store: StoryStore
  /// The store that devices buy from by themselves; nil: the story has none.
  var sandboxStore: SandboxProcess?
  var customers = ScenarioCustomers()
  let directory: TemporaryDirectory
  private(set) var environment = Environment.sandbox
  /// Products stated so far: devices that begin later know them.
  private(set) var products: [Product] = []
  private var offers: [ScenarioOffer] = []
  /// Where the story is.
  private(set) var line = 0
  /// By how many milliseconds the clocks of the story are ahead of this machine's. They run on by themselves, and are set
  /// ahead when the story waits, or sets its store's clock on.
  var ahead: Int64

  /// One device of the story.
  final class Device {
    let name: String
    let process: DaemonProcess
    /// How far its wall clock is off, in milliseconds.
    var skew: Int64 = 0
    /// Where it looks for others, paired or not.
    var peers: [String] = []
    /// Where the last copy of its directory is.
    var backup: String?

    init(_ name: String, _ process: DaemonProcess) {
      self.name = name
      self.process = process
    }
  }

  init(_ scenario: Scenario) throws {
    file = scenario.file
    directory = try TemporaryDirectory()
    store = try StoryStore(in: directory.path)
    ahead = World.wallStart - Int64(Date().timeIntervalSince1970 * 1000)
  }

  func failure(_ problem: String) -> ScenarioError { ScenarioError(file: file, line: line, problem: problem) }

  /// The device of a name.
  func device(_ name: String) throws -> Device {
    guard let device = devices.first(where: { $0.name == name }) else {
      throw failure("no device `\(name)`: `devices` names them")
    }
    return device
  }

  /// The device of a name, which must be running.
  func running(_ name: String) throws -> Device {
    let device = try device(name)
    guard device.process.isRunning else {
      throw failure("\(name) is not running: `start \(name)` comes first")
    }
    return device
  }

  var runningDevices: [Device] { devices.filter(\.process.isRunning) }

  // MARK: The story

  func perform(_ numbered: Scenario.NumberedStep) async throws {
    line = numbered.line
    do {
      try await perform(numbered.step)
      if !numbered.step.isExpectation { try await hearStore() }
    } catch let error as ScenarioError {
      throw error
    } catch {
      throw failure("\(error)")
    }
  }

  func shown() async throws -> [(device: String, shows: Shown)] {
    var shown: [(device: String, shows: Shown)] = []
    for device in runningDevices { shown.append((device.name, Shown(try await device.process.status()))) }
    return shown
  }

  func finish() {
    for device in devices { device.process.stop() }
    sandboxStore?.stop()
  }

  private func perform(_ step: ScenarioStep) async throws {
    switch step {
    case .environment(let environment): try set(environment)
    case .products(let products): self.products += products
    case .devices(let names): try await begin(names)
    case .cut(let left, let right): try await setLink(left, right, isCut: true)
    case .mend(let left, let right): try await setLink(left, right, isCut: false)
    case .offline(let name): try await setOnline(false, name)
    case .online(let name): try await setOnline(true, name)
    case .crash(let name): try running(name).process.kill()
    case .start(let name): try start(device(name))
    case .clock(let name, let offset): try setClock(device(name), offset)
    case .wait(let duration): try await wait(Int64(clamping: duration))
    case .settle: try await settle()
    case .joins(let name, let host): try await join(name, host)
    case .calls(let name, let other): try call(device(other), from: running(name))
    case .learns(let name, let product): try await learn(name, product)
    case .expect(let expectation): try await check(expectation)
    case .offer(let offer): try offers.state(offer, of: products, isOpen: sandboxStore != nil)
    case .store: try openStore(selling: SandboxProduct.all(of: products, with: offers))
    case .account(let account, let names): try use(account, on: names)
    case .orders(let name, let order): try await self.order(order, on: name)
    case .restores(let name, let expected): try await restore(expected, on: name)
    case .demands(let demand, let name): try await obey(demand, by: name)
    default: try await performPurchase(step)
    }
  }

  /// What the store and the user do.
  private func performPurchase(_ step: ScenarioStep) async throws {
    switch step {
    case .buys(let name, let purchase):
      guard try !isTaken(purchase.name, running(name).name) else {
        throw failure("there is a purchase `\(purchase.name)` already")
      }
      let token = try await running(name).process.status().device.accountToken
      let holder = CreditHolder(accountToken: token) ?? .nobody
      try await ingest(store.sell(purchase, place(name), environment, to: holder), name)
    case .gets(let name, let purchase, let asBought):
      try await ingest(try snapshot(purchase, name, isFirst: asBought), name)
    case .refunds(let name, let purchase, let date, let keeping):
      try await change(purchase, name, date) { $0.refund(at: date, keeping: keeping) }
    case .reverses(let name, let purchase, let date):
      try await change(purchase, name, date) { $0.reverseRefund() }
    case .unshared(let name, let purchase, let date): try await change(purchase, name, date) { $0.unshare() }
    case .upgraded(let name, let purchase, let date):
      try await change(purchase, name, date) { $0.isUpgraded = true }
    case .hears(let name, let news):
      let about = try snapshot(news.purchase, name, isFirst: false)
      try await ingest(text: store.text(of: news, about: about), name)
    case .spends(let name, let spending, let others): try await spend(spending, name, refused: others)
    case .backup(let name): try backUp(device(name))
    case .restore(let name): try setBack(device(name))
    case .copy(let name, let copy): try self.copy(running(name), as: copy)
    case .reclaims(let name, let credit):
      try await ask(name, "POST", "/v1/credits/\(credit.asPathPart)/reclaim", nil)
    case .removes(let name, let other):
      try await ask(name, "DELETE", "/v1/devices/\(other.asPathPart)", nil)
    case .sets(let name, let line, let date):
      try await ask(name, "PUT", "/v1/lines/\(line.asPathPart)/expiration", ExpirationBody(expires: date))
    case .grants(let name, let entitlement, let until):
      try await ask(name, "PUT", "/v1/grants/\(entitlement.asPathPart)", GrantBody(until: until))
    case .revokes(let name, let entitlement):
      try await ask(name, "DELETE", "/v1/grants/\(entitlement.asPathPart)", nil)
    default: throw failure("real processes cannot do this: play the story with --simulated")
    }
  }

  private func set(_ environment: Environment) throws {
    guard devices.isEmpty, sandboxStore == nil else {
      throw failure("the environment comes before the \(sandboxStore == nil ? "devices" : "store")")
    }
    guard environment != .production else {
      throw failure("in production only Apple's signatures count: play the story with --simulated")
    }
    self.environment = environment
  }

  // MARK: Devices

  private func begin(_ names: [String]) async throws {
    for name in names {
      try requireNew(name)
      let process = try DaemonProcess(
        "\(directory.path)/\(devices.count)",
        options: [
          "--name", name, "--environment", environment.rawValue, "--bundle-id", Scenario.bundleId,
          "--trust-root", store.root, "--clock-offset", offset(0),
        ])
      let device = Device(name, process)
      devices.append(device)
      try start(device)
      try await teach(device, products)
      network.begin(name)
      if name != names[0] { try await join(name, names[0]) }
    }
    try await settle()
  }

  private func requireNew(_ name: String) throws {
    guard !devices.contains(where: { $0.name == name }) else {
      throw failure("there is a device `\(name)` already")
    }
  }

  private func start(_ device: Device) throws {
    guard !device.process.isRunning else { throw failure("\(device.name) is running already") }
    let peers = device.peers.flatMap { ["--peer", $0] }
    try device.process.start(
      options: ["--clock-offset", offset(device.skew)] + peers + storeOptions(of: device.name))
  }

  private func offset(_ skew: Int64) -> String { "\((ahead + skew) / 1000)s" }

  private func setClock(_ device: Device, _ offset: Int64) throws {
    device.skew = offset
    try restart(device)
  }

  /// Time passes: the clocks are set on, and who can reach each other meets.
  private func wait(_ milliseconds: Int64) async throws {
    // Whole seconds are what the clocks can be set by.
    ahead += (milliseconds + 999) / 1000 * 1000
    for device in devices { try restart(device) }
    try await meet()
  }

  func restart(_ device: Device) throws {
    guard device.process.isRunning else { return }
    device.process.stop()
    try start(device)
  }

  private func join(_ name: String, _ host: String) async throws {
    let (joiner, inviter) = (try running(name), try running(host))
    // Both may be offline only because other links are cut.
    if network.canMeet(name, host) { try await bringOnline([name, host]) }
    try await joiner.process.join(inviter.process)
    network.join(name, host)
    try await isolate()
  }

  private func call(_ other: Device, from device: Device) throws {
    device.peers.append(other.process.listen)
    try restart(device)
  }

  private func learn(_ name: String, _ product: String) async throws {
    guard let known = products.last(where: { Name($0.id) == Name(product) }) else {
      throw failure("no product `\(product)`: `product` or `catalogue` states it")
    }
    try await teach(running(name), [known])
  }

  /// Products come as registers of an export: a catalogue file of peerd cannot say all that a story can.
  private func teach(_ device: Device, _ products: [Product]) async throws {
    guard !products.isEmpty else { return }
    let _: ImportAnswer = try await device.process.client().send(
      "POST", "/v1/import", body: ExportFormat.document(of: products.map { $0.write(version: 0) }))
  }

  // MARK: Copies

  private func backUp(_ device: Device) throws {
    let backup = "\(device.process.directory)-backup"
    try? FileManager.default.removeItem(atPath: backup)
    try device.process.copy(to: backup)
    device.backup = backup
  }

  private func setBack(_ device: Device) throws {
    guard let backup = device.backup else {
      throw failure("there is no backup of \(device.name): `backup \(device.name)` comes first")
    }
    try device.process.replace(with: backup)
    try start(device)
  }

  private func copy(_ device: Device, as name: String) throws {
    try requireNew(name)
    let directory = "\(directory.path)/\(devices.count)"
    try device.process.copy(to: directory)
    let copy = Device(name, DaemonProcess(existing: directory))
    (copy.skew, copy.peers) = (device.skew, device.peers)
    customers.copy(device.name, as: name)
    devices.append(copy)
    network.begin(name)
    network.join(name, device.name)
    try start(copy)
  }

  // MARK: Purchases

  private func place(_ name: String) throws -> Int? {
    _ = try running(name)
    return environment == .xcode ? devices.firstIndex { $0.name == name } : nil
  }

  /// Whether a purchase has that name already.
  func isTaken(_ purchase: String, _ name: String) -> Bool {
    let place = try? place(name)
    return customers.knows(purchase) || !store.snapshots(of: purchase, place ?? nil).isEmpty
  }

  private func snapshot(_ purchase: String, _ name: String, isFirst: Bool) throws -> Transaction {
    let snapshots = store.snapshots(of: purchase, try place(name))
    guard let snapshot = isFirst ? snapshots.first : snapshots.last else {
      guard customers.knows(purchase) else { throw failure("no purchase `\(purchase)`: `buys` names it") }
      throw failure("`\(purchase)` was bought in the store: lines that begin with `store` are about it")
    }
    return snapshot
  }

  private func change(
    _ purchase: String, _ name: String, _ date: Instant, _ body: (inout Transaction) -> Void
  ) async throws {
    var changed = try snapshot(purchase, name, isFirst: false)
    changed.signedDate = date
    body(&changed)
    store.add(changed, purchase, try place(name))
    try await ingest(changed, name)
  }

  private func ingest(_ transaction: Transaction, _ name: String) async throws {
    try await ingest(text: store.text(of: transaction, place(name)), name)
  }

  /// Whether it is accepted is for the story to expect.
  private func ingest(text: String, _ name: String) async throws {
    let _: IngestAnswer = try await running(name).process.client().send(
      "POST", "/v1/transactions", body: IngestBody(items: [text]))
  }

  private func spend(_ spending: Spending, _ name: String, refused refusal: ScenarioRefusal?) async throws {
    let path = "/v1/credits/\(spending.credit.asPathPart)/spends"
    do {
      try await ask(name, "POST", path, SpendBody(amount: spending.amount, id: spending.id))
    } catch ControlError.problem(let problem) where problem.code == .notEnough && refusal != nil {
      let credits: CreditsAnswer = try await running(name).process.client().send("GET", "/v1/credits")
      let holders = credits.credits.first { Name($0.id) == Name(spending.credit) }?.holders ?? []
      let others = holders.compactMap(RightsHeld.init).filter { $0.holder != .itself && $0.rights > 0 }
      if let objection = refusal?.objection(to: others) { throw failure(objection) }
      return
    }
    if refusal != nil { throw failure("expected \(name) to be refused, saw it spend") }
  }

  private func ask(_ name: String, _ method: String, _ path: String, _ body: (any Encodable)?) async throws {
    let _: JSONValue = try await running(name).process.client().send(method, path, body: body)
  }
}
