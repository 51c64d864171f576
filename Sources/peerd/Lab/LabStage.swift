import Foundation
import PeerSync
import PeerSyncSandbox
import PeerSyncSimulation

/// The stage of a laboratory: real processes, and what has to be known of each line to go on with them another time.
///
/// Going on, the lines are gone through once more with nobody asked anything: devices and links are put where they were, and what a device
/// or the store answered then is answered again.
final class LabStage: ScenarioStage {
  let real: ProcessStage
  /// What was answered since ``begin(_:)``, of what stories go by later.
  private(set) var answers: [LabAnswer] = []
  /// Answers to give again; nil: devices and store are asked.
  private var again: ArraySlice<LabAnswer>?
  /// Devices that were there, in their order.
  private let made: [PersistedLab.Device]
  /// Those of them that did not run, while lines are gone through again.
  private var down: Set<Int> = []

  init(_ real: ProcessStage, _ made: [PersistedLab.Device] = []) {
    (self.real, self.made) = (real, made)
  }

  // MARK: Going on

  /// A line begins.
  ///
  /// - Parameter again: what was answered to it; nil: it has not been played
  func begin(_ again: [LabAnswer]?) {
    answers = []
    self.again = again?[...]
  }

  /// All lines were gone through: the processes are started that ran.
  ///
  /// - Parameter now: what time it was
  func goOn(at now: Instant) async throws {
    begin(nil)
    real.ahead = now.milliseconds - Instant.present.milliseconds
    for device in real.devices.indices where !down.contains(device) { try real.start(device) }
    down = []
    try await real.meet()
    try await real.hearStore()
  }

  /// What is to be kept of the devices.
  var devices: [PersistedLab.Device] {
    real.devices.map { PersistedLab.Device(recoveryKey: $0.process.recoveryKey, id: $0.id?.description) }
  }

  private var isGoingOn: Bool { again != nil }

  private func answer(_ ask: () async throws -> LabAnswer) async throws -> LabAnswer {
    if isGoingOn {
      guard let answer = again?.popFirst() else { throw ScenarioProblem("nothing was answered", "대답이 없습니다") }
      return answer
    }
    let answer = try await ask()
    answers.append(answer)
    return answer
  }

  private func adopt(_ name: String, _ original: ProcessStage.Device? = nil) throws {
    let place = real.devices.count
    let kept = place < made.count ? made[place] : PersistedLab.Device(recoveryKey: nil, id: nil)
    let device = ProcessStage.Device(
      name, DaemonProcess(existing: "\(real.directory)/\(place)", recoveryKey: kept.recoveryKey))
    device.id = kept.id.flatMap { DeviceID($0) }
    if let original {
      (device.skew, device.calls, device.account) = (original.skew, original.calls, original.account)
    }
    real.devices.append(device)
    try real.network.begin(place)
  }

  // MARK: The stage

  var problem: ScenarioProblem? { real.problem }

  func explain(_ error: any Error) -> ScenarioProblem? { real.explain(error) }
  var cryptography: Cryptography { real.cryptography }

  func prepare(for environment: Environment) throws { try real.prepare(for: environment) }
  func finish() { real.finish() }

  func begin(_ name: String, in environment: Environment) async throws {
    if isGoingOn { return try adopt(name) }
    // What a line left there that did not come to its end.
    try? FileManager.default.removeItem(atPath: "\(real.directory)/\(real.devices.count)")
    try await real.begin(name, in: environment)
  }

  func isRunning(_ device: Int) -> Bool { isGoingOn ? !down.contains(device) : real.isRunning(device) }

  func start(_ device: Int) throws {
    if isGoingOn { down.remove(device) } else { try real.start(device) }
  }

  func crash(_ device: Int) {
    if isGoingOn { down.insert(device) } else { real.crash(device) }
  }

  func backUp(_ device: Int) throws {
    guard isGoingOn else { return try real.backUp(device) }
    real.devices[device].backup = "\(real.devices[device].process.directory)-backup"
  }

  func setBack(_ device: Int, isNoticed: Bool) throws -> Bool {
    guard isGoingOn else { return try real.setBack(device, isNoticed: isNoticed) }
    down.remove(device)
    return true
  }

  func copy(_ device: Int, as name: String) throws {
    if isGoingOn {
      try adopt(name, real.devices[device])
      real.network.join(real.devices.count - 1, device)
    } else {
      try? FileManager.default.removeItem(atPath: "\(real.directory)/\(real.devices.count)")
      try real.copy(device, as: name)
    }
  }

  func setClock(_ device: Int, offset: Int64) throws {
    if isGoingOn { real.devices[device].skew = offset } else { try real.setClock(device, offset: offset) }
  }

  func setLink(_ left: Int, _ right: Int, _ change: LinkChange) async throws {
    if isGoingOn {
      real.network.set(left, right, change)
    } else {
      try await real.setLink(left, right, change)
    }
  }

  func setOnline(_ isOnline: Bool, _ device: Int) async throws -> ScenarioReply {
    guard isGoingOn else { return try await real.setOnline(isOnline, device) }
    real.network.set(device, isOnline: isOnline)
    return .done
  }

  func call(_ other: Int, from device: Int) throws {
    if isGoingOn {
      real.devices[device].calls.insert(other)
    } else {
      try real.call(other, from: device)
    }
  }

  func join(_ device: Int, to host: Int) async throws -> ScenarioReply {
    guard isGoingOn else { return try await real.join(device, to: host) }
    real.network.join(device, host)
    return .done
  }

  func wait(_ milliseconds: UInt64) async throws {
    if !isGoingOn { try await real.wait(milliseconds) }
  }

  func settle() async throws -> Bool {
    if isGoingOn { true } else { try await real.settle() }
  }

  func ask(_ request: ScenarioRequest, of device: Int) async throws -> ScenarioReply {
    guard isGoingOn else { return try await real.ask(request, of: device) }
    if case .remove(let other, _, _) = request { real.network.remove(other) }
    return .done
  }

  func id(of device: Int) async throws -> DeviceID { try await real.id(of: device) }

  func holder(of device: Int) async throws -> CreditHolder {
    let answer = try await answer { LabAnswer(word: try await real.holder(of: device).accountToken) }
    return answer.word.flatMap { CreditHolder(accountToken: $0) } ?? .nobody
  }

  func noteSold(_ transaction: Transaction) { real.noteSold(transaction) }
  func sign(_ payload: [UInt8], isForged: Bool) throws -> JWS { try real.sign(payload, isForged: isForged) }

  func hand(_ item: JWS, to device: Int) async throws -> String? {
    isGoingOn ? nil : try await real.hand(item, to: device)
  }

  func openStore(selling products: [SandboxProduct]) throws {
    guard isGoingOn else { return try real.openStore(selling: products) }
    real.sandboxStore = try SandboxProcess(in: real.directory)
  }

  func use(_ account: String, on device: Int) throws {
    if isGoingOn { real.devices[device].account = account } else { try real.use(account, on: device) }
  }

  func order(_ order: ScenarioOrder, on device: Int) async throws -> SandboxResult {
    try await answer { LabAnswer(try await real.order(order, on: device)) }.result
  }

  func obey(_ demand: SandboxDemand) async throws -> SandboxResult {
    try await answer { LabAnswer(try await real.obey(demand)) }.result
  }

  func restore(_ device: Int) async throws -> ScenarioRestored {
    isGoingOn ? ScenarioRestored(fromStore: 0, fromPeers: 0) : try await real.restore(device)
  }

  func hearStore() async throws {
    if !isGoingOn { try await real.hearStore() }
  }

  func digest(of device: Int) async throws -> String { try await real.digest(of: device) }

  func seen(_ answer: ScenarioAnswer, by device: Int) async throws -> String {
    isGoingOn ? answer.expected : try await real.seen(answer, by: device)
  }

  func look<Seen>(
    within seconds: Int, _ look: () async throws -> Seen, until isExpected: (Seen) -> Bool
  ) async throws -> Seen {
    try await real.look(within: seconds, look, until: isExpected)
  }
}

/// What a device or the store answered, as far as a story goes by it later.
struct LabAnswer: Codable, Sendable {
  var transaction: UInt64?
  var request: UInt64?
  var word: String?

  init(word: String? = nil) { self.word = word }

  init(_ result: SandboxResult) {
    switch result {
    case .purchased(let id): transaction = id
    case .pending(let number): request = number
    case .cancelled: word = "cancelled"
    case .failed: word = "failed"
    case .done, .notification: break
    }
  }

  var result: SandboxResult {
    if let transaction { return .purchased(transaction) }
    if let request { return .pending(request: request) }
    return word == "cancelled" ? .cancelled : word == "failed" ? .failed : .done
  }
}
