import PeerSyncCore
import PeerSyncSandbox

/// A story in virtual time: the devices are real engines; network, disks and clocks are those of a ``World``.
///
/// Everything that the file does not say (delays, ids, the order in which messages meet) follows from the seed: what the file
/// expects must hold under any. While it runs, the world's own checkers look after each step.
package final class VirtualStage: ScenarioStage {
  package let world: World
  private let faults: Faults
  private let told: (Refusal) -> ScenarioProblem
  /// Nil: the story has no sandbox store.
  package internal(set) var sandboxStore: SandboxStore?
  /// The account that each device buys with, where it was told.
  var accounts: [Int: String] = [:]
  /// How far each device has heard of the store.
  var heard: [Int: Heard] = [:]
  /// Transactions of the store that the world knows of.
  var noted = 0

  /// A device that starts anew, or has another account, begins anew.
  struct Heard: Equatable {
    let life: Int
    let account: String
    var revision: UInt64 = 0
  }

  /// - Parameters:
  ///   - faults: what goes wrong by itself once devices are paired; scenarios are written for a calm network
  ///   - told: refusals, in both languages; nobody here knows what they are in Korean
  package init(
    seed: UInt64, faults: Faults = .none, told: @escaping (Refusal) -> ScenarioProblem = { .quoted("\($0)") }
  ) {
    self.faults = faults
    self.told = told
    world = World(seed: seed, faults: .none)
  }

  package var problem: ScenarioProblem? {
    if let violation = world.violations.first {
      return ScenarioProblem("\(violation)", "깨진 약속: ‘\(violation)’")
    }
    // The repair would put right what a wrong claim has lost: on a calm network its alarm is an error. Elsewhere a message
    // from the past can raise a false one.
    guard faults == .none, let alarm = world.notices.first(where: \.notice.isAlarm) else { return nil }
    return ScenarioProblem(
      "expected no alarm, saw device \(alarm.device) find another with its vector and other registers",
      "기기 \(alarm.device)번이 벡터가 같고 레지스터가 다른 기기를 발견했습니다")
  }

  package func explain(_ error: any Error) -> ScenarioProblem? { nil }

  package var cryptography: Cryptography { .simulated }

  package func prepare(for environment: Environment) {}

  /// Devices that agree must agree in everything.
  package func finish() { if world.isConverged { world.checkConverged() } }

  // MARK: Devices

  package func begin(_ name: String, in environment: Environment) {
    world.start(world.addDevice(name: name, environment: environment, bundleId: Scenario.bundleId))
  }

  package func isRunning(_ device: Int) -> Bool { world.isRunning(device) }

  package func start(_ device: Int) { world.start(device) }

  package func crash(_ device: Int) { world.crash(device) }

  package func backUp(_ device: Int) { world.backUp(device) }

  package func setBack(_ device: Int, isNoticed: Bool) -> Bool {
    world.setBack(device, isNoticed: isNoticed)
  }

  package func copy(_ device: Int, as name: String) { accounts[world.copy(device)] = accounts[device] }

  package func setClock(_ device: Int, offset: Int64) { world.setClock(device, offset: offset) }

  // MARK: The network

  package func setLink(_ left: Int, _ right: Int, _ change: LinkChange) { world.change(left, right, change) }

  package func setOnline(_ isOnline: Bool, _ device: Int) -> ScenarioReply {
    reply(world.perform(.setOnline(isOnline), on: device))
  }

  package func call(_ other: Int, from device: Int) {
    world.devices[device].peers.append(world.devices[other].address)
    world.crash(device)
    world.start(device)
  }

  /// Pairing has no second try, so it happens on a calm network.
  package func join(_ device: Int, to host: Int) -> ScenarioReply {
    world.faults = .none
    defer { world.faults = faults }
    return reply(world.join(device, to: host))
  }

  package func wait(_ milliseconds: UInt64) { world.run(until: world.time + milliseconds) }

  package func settle() -> Bool { world.settle(within: Simulation.healingLimit) }

  // MARK: What people ask

  package func ask(_ request: ScenarioRequest, of device: Int) -> ScenarioReply {
    let answer: Answer? =
      switch request {
      case .learn(let products): learn(products, device)
      case .write(let writes): world.perform(.write(writes), on: device)
      case .purchase(let order): world.purchase(order, on: device)
      case .refund(let transaction): world.perform(.refund(transaction: transaction), on: device)
      case .spend(let spending): world.perform(.spend(spending), on: device)
      case .acceptTime: world.perform(.acceptTime, on: device)
      case .reclaimLost(let credit): world.reclaimLost(credit, on: device)
      case .reclaim(let credit): world.perform(.reclaim(credit: credit), on: device)
      case .remove(let other, let byKey, let takingBack):
        world.answer(
          of: world.remove(
            world.device(other), by: device, with: byKey ? world.recoveryKey(other) : nil,
            takingBack: takingBack.takingBack(at: world.now(device).wall)))
      case .setExpiration(let line, let date): world.perform(.setExpiration(line: line, date), on: device)
      case .grant(let entitlement, let until):
        world.perform(.grant(entitlement: entitlement, until: until), on: device)
      case .revoke(let entitlement): world.perform(.revoke(entitlement: entitlement), on: device)
      }
    return reply(answer)
  }

  private func learn(_ products: [Product], _ device: Int) -> Answer? {
    world.sell(products)
    return world.perform(.addProducts(products, version: 0), on: device)
  }

  private func reply(_ answer: Answer?) -> ScenarioReply {
    switch answer {
    case nil: .silent
    case .refused(.notEnough(let shortage)):
      .notEnough(shortage.others, why: told(Refusal.notEnough(shortage)))
    case .refused(let refusal): .refused(told(refusal))
    case .transaction(let record): .transaction(record.reference)
    case .done, .expiration, .invited, .dialledBack, .spent: .done
    }
  }

  // MARK: Purchases

  package func id(of device: Int) -> DeviceID { world.device(device) }

  package func holder(of device: Int) -> CreditHolder { world.read(device) { $0.holder } ?? .nobody }

  package func noteSold(_ transaction: Transaction) { world.sales.note(transaction) }

  package func sign(_ payload: [UInt8], isForged: Bool) -> JWS {
    SimulatedStore.sign(payload, isForged: isForged)
  }

  package func hand(_ item: JWS, to device: Int) throws(ScenarioProblem) -> String? {
    let item = SimulatedStore.item(item, for: world.devices[device].identity)
    guard case .done = reply(world.perform(.ingest([item]), on: device)) else {
      throw ScenarioProblem("expected a device to take in what is signed", "기기에서 서명된 것을 받아들이지 않았습니다")
    }
    return item.reason.map { "\($0)" }
  }

  // MARK: Looking

  package func digest(of device: Int) -> String {
    world.read(device) { "\($0.replica.digest)" } ?? ""
  }

  package func seen(_ answer: ScenarioAnswer, by device: Int) -> String {
    let now = world.now(device)
    let seen = world.read(device) { engine in
      let time = engine.time(at: now)
      let (holder, isFenced) = (engine.holder, engine.isFenced)
      return engine.ledger { answer.seen(in: &$0, by: holder, at: time, isFenced: isFenced) }
    }
    return seen ?? "nothing"
  }

  /// What comes by itself in virtual time, a story waits for.
  package func look<Seen>(
    within seconds: Int, _ look: () async throws -> Seen, until isExpected: (Seen) -> Bool
  ) async throws -> Seen { try await look() }

  /// What a running device answers now.
  package func view(of device: Int) -> LedgerView? {
    let now = world.now(device)
    return world.read(device) { engine in
      let time = engine.time(at: now).now
      return engine.ledger { $0.view(at: time) }
    }
  }
}

extension ScenarioRunner where Stage == VirtualStage {
  /// A scenario in virtual time of which nothing has happened yet.
  package init(_ scenario: Scenario, seed: UInt64, faults: Faults = .none) {
    self.init(scenario, on: VirtualStage(seed: seed, faults: faults))
  }

  /// Runs a scenario to its end.
  ///
  /// - Parameters:
  ///   - faults: what goes wrong by itself once devices are paired; scenarios are written for a calm network
  /// - Returns: the world as it is then
  /// - Throws: ``ScenarioError`` at the first step that cannot be done or does not hold
  @discardableResult package static func run(_ scenario: Scenario, seed: UInt64, faults: Faults = .none)
    async throws(ScenarioError) -> World
  {
    var runner = ScenarioRunner(scenario, seed: seed, faults: faults)
    for step in scenario.steps { try await runner.perform(step) }
    try runner.finish()
    return runner.stage.world
  }
}

extension Notice {
  fileprivate var isAlarm: Bool {
    if case .divergence = self { return true }
    return false
  }
}
