import Foundation
import PeerSync
import PeerSyncSandboxServer
import peerd

/// A sandbox store: its directory, and its process while that runs. Stopped by its own process id and removed at the
/// latest when the last reference goes.
final class StoreProcess: @unchecked Sendable {
  /// What the ready line says.
  struct Ready: Decodable, Sendable {
    let http: String
    let root: String
    let key: String
    let keyId: String
    let issuerId: String
    let products: Int
  }

  let data: String
  private let directory: TemporaryDirectory
  private var process: Process?
  private(set) var ready: Ready?

  init() throws {
    directory = try TemporaryDirectory()
    data = directory.path + "/store"
  }

  deinit { kill() }

  var url: String { ready?.http ?? "" }

  /// Starts it and waits for its ready line.
  func start(catalogue: String? = Catalogues.plans, at port: String = "0", options: [String] = [])
    async throws
  {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Peerd.path)
    var arguments = ["store", "--data", data, "--json", "--http", "127.0.0.1:" + port] + options
    if let catalogue { arguments += ["--catalog", try directory.write(catalogue, to: "catalogue.json")] }
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.standardError
    process.standardInput = FileHandle.nullDevice
    try process.run()
    self.process = process
    let line = await onThread { output.fileHandleForReading.readLine() ?? "" }
    guard let ready = try? JSON.decode(Ready.self, from: Array(line.utf8)) else {
      throw PeerdProcess.NotReady(description: "no ready line from the store: '\(line)'")
    }
    self.ready = ready
  }

  /// Asks it to stop and waits until it has.
  func stop() async throws -> Int32 {
    guard let process, process.isRunning else { return -1 }
    Glibc.kill(process.processIdentifier, SIGTERM)
    await onThread { process.waitUntilEnd() }
    return process.terminationStatus
  }

  /// Ends it without a chance to do anything more, and starts it again where it was.
  func killAndRestart(options: [String] = []) async throws {
    let port = String(url.split(separator: ":").last ?? "0")
    kill()
    try await start(catalogue: nil, at: port, options: options)
  }

  func kill() {
    guard let process, process.isRunning else { return }
    Glibc.kill(process.processIdentifier, SIGKILL)
    process.waitUntilEnd()
  }

  /// Tells it something that must go through.
  @discardableResult func tell(_ words: String...) async throws -> SandboxAnswer {
    let outcome = try await Peerd.run(["store", words[0], "--data", data, "--json"] + words.dropFirst())
    guard outcome.status == 0 else { throw PeerdProcess.NotReady(description: "\(words): \(outcome.errors)") }
    return try outcome.json(SandboxAnswer.self)
  }

  func state() async throws -> SandboxState {
    try await Peerd.run(["store", "show", "--data", data, "--json"]).json(SandboxState.self)
  }
}

extension PeerdProcess {
  /// A device that uses the store.
  static func using(
    _ store: StoreProcess, _ name: String = "Phone", account: String? = nil
  ) async throws -> PeerdProcess {
    let device = try await PeerdProcess(name, catalogue: Catalogues.plans)
    try await device.start(options: ["--store", store.url] + (account.map { ["--account", $0] } ?? []))
    return device
  }

  /// The ids of the transactions it knows.
  func transactions() async throws -> [String] {
    try await client().transactions().map(\.transactionId)
  }
}

extension Catalogues {
  /// The products of InsomniOwl, and two auto-renewable subscriptions of one group.
  static let plans = """
    {"products": [
      {"id": "monthly", "type": "autoRenewableSubscription", "period": "P1M", "subscriptionGroup": "plans", "level": 2,
       "entitlements": ["plan"], "price": "2.99", "currency": "USD", "offers": [
         {"kind": "code", "id": "winter", "paymentMode": "free", "subscriptionPeriod": "P1W", "eligibility": ["new"]},
         {"kind": "promotional", "id": "half", "paymentMode": "payAsYouGo", "numberOfPeriods": 2,
          "displayPrice": "1.49"}]},
      {"id": "premium", "type": "autoRenewableSubscription", "period": "P1M", "subscriptionGroup": "plans", "level": 1,
       "entitlements": ["plan"], "price": "4.99", "currency": "USD", "offers": [
         {"kind": "winBack", "id": "cheap", "paymentMode": "payUpFront", "displayPrice": "0.99"},
         {"kind": "winBack", "id": "free", "paymentMode": "free", "subscriptionPeriod": "P1W"},
         {"kind": "winBack", "id": "late", "paymentMode": "free", "waitPeriod": "P1M"}]},
      {"id": "3monthsOfRandom", "type": "nonRenewingSubscription", "line": "random-owls", "period": "P3M",
       "entitlements": ["random-owls"], "price": "1.99", "currency": "USD"},
      {"id": "RandomOwls", "type": "consumable", "credit": "owls", "amount": 5, "price": "0.99", "currency": "USD"},
      {"id": "CarefreeOwl", "type": "nonConsumable", "entitlements": ["carefree-owl"]}]}
    """
}
