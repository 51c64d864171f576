import Foundation
import PeerSync
import Testing

@Suite("Convergence", .paced, .noHang)
struct ConvergenceTests {
  @Test("devices agree after each part of the demo", arguments: [2, 3, 5])
  func demo(count: Int) async throws {
    let group = try await PeerdGroup(count)
    var model = PurchaseModel()
    let (phone, tablet) = (group[0], group[1])
    for buyer in [phone, tablet] { #expect(try await buyer.run("offline").status == 0) }
    let three = try await buy("3monthsOfRandom", at: "2026-01-31", on: phone, &model)
    _ = try await buy("6monthsOfRandom", at: "2026-02-01", on: tablet, &model)
    #expect(try await phone.status().lines.first?.expires == Instant("2026-04-30"))
    #expect(try await tablet.status().lines.first?.expires == Instant("2026-08-01"))
    for buyer in [phone, tablet] { #expect(try await buyer.run("online").status == 0) }
    #expect(try await check(group, model).lines.first?.expires == Instant("2026-10-31"))
    let last = group[count - 1]
    let _: TransactionResult = try await last.json("refund", three)
    model.refund(three)
    #expect(try await check(group, model).lines.first?.expires == Instant("2026-08-01"))
    tablet.kill()
    _ = try await buy("RandomOwls", at: "2026-03-01", on: phone, &model)
    try await tablet.start()
    #expect(try await check(group, model).credits.first?.balance == 5)
  }

  @Test(
    "devices agree after random partitions, purchases, refunds, explicit dates and crashes",
    arguments: zip([2, 3, 5], [7, 8, 5]))
  func random(count: Int, patterns: Int) async throws {
    let seed = Seed.make(for: "\(count) devices")
    let group = try await PeerdGroup(count)
    var world = RandomPattern(group: group, generator: seed.generator)
    for pattern in 1...patterns {
      let steps = try await world.run()
      try await check(group, world.model, "pattern \(pattern), \(seed): \(steps.joined(separator: "; "))")
    }
  }

  private func buy(
    _ product: String, at date: String, on device: PeerdProcess, _ model: inout PurchaseModel
  ) async throws -> String {
    let result: TransactionResult = try await device.json("buy", product, "--at", date)
    model.buy(result.transaction)
    return result.transaction.transactionId
  }

  /// All devices must say the same, and the right thing.
  @discardableResult private func check(
    _ group: PeerdGroup, _ model: PurchaseModel, _ comment: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> StatusAnswer {
    let status = try await group.agree(comment, sourceLocation: sourceLocation)
    let known = try await group[0].client().transactions()
    let mistakes = model.mistakes(of: status, knowing: known)
    #expect(mistakes.isEmpty, "\(comment)", sourceLocation: sourceLocation)
    return status
  }
}

/// Devices part and meet at random, and things are bought and taken back meanwhile.
private struct RandomPattern {
  let group: PeerdGroup
  var generator: RandomState
  /// What the devices have acknowledged so far.
  private(set) var model = PurchaseModel()
  private var steps: [String] = []

  init(group: PeerdGroup, generator: RandomState) {
    self.group = group
    self.generator = generator
  }

  /// Makes one pattern, and lets all devices meet at its end.
  ///
  /// - Returns: what was done
  mutating func run() async throws -> [String] {
    steps = []
    for _ in 0..<generator.pick(6...10) { try await step() }
    for device in group.devices { let _: NetworkAnswer = try await device.json("online") }
    return steps
  }

  private mutating func step() async throws {
    let device = generator.pick(group.devices)
    switch generator.pick(1...20) {
    case 1...7: try await toggle(device)
    case 8...15: try await buy(on: device)
    case 16, 17: try await refund(on: device)
    case 18, 19: try await setExpiration(on: device)
    default:
      steps.append("\(device.name) crashes")
      // Devices that all moved while they were apart could not find each other again.
      try await device.killAndRestart(isMoving: false)
    }
  }

  private mutating func toggle(_ device: PeerdProcess) async throws {
    let command = generator.pick(["offline", "offline", "online"])
    steps.append("\(device.name) \(command)")
    let _: NetworkAnswer = try await device.json(command)
  }

  private mutating func buy(on device: PeerdProcess) async throws {
    let product = generator.pick([
      "3monthsOfRandom", "3monthsOfRandom", "6monthsOfRandom", "RandomOwls", "CarefreeOwl",
    ])
    let quantity = product == "CarefreeOwl" ? 1 : generator.pick([1, 1, 2, 3])
    let result: TransactionResult = try await device.json(
      "buy", product, "--quantity", "\(quantity)", "--at", day())
    let transaction = result.transaction
    steps.append("\(device.name) buys \(quantity) \(product) at \(transaction.purchaseDate)")
    model.buy(transaction)
  }

  private mutating func refund(on device: PeerdProcess) async throws {
    let known = try await device.client().transactions()
    guard !known.isEmpty else { return }
    let transaction = generator.pick(known)
    steps.append("\(device.name) refunds \(transaction.productId) of \(transaction.purchaseDate)")
    let _: TransactionResult = try await device.json("refund", transaction.transactionId)
    model.refund(transaction.transactionId)
  }

  private mutating func setExpiration(on device: PeerdProcess) async throws {
    let date = generator.pick(1...4) == 1 ? "none" : day()
    let answer: ExpirationAnswer = try await device.json("set-expiration", "random-owls", date)
    steps.append("\(device.name) sets \(date), covering \(answer.covers.count)")
    #expect(Set(answer.covers).isSubset(of: model.bought.keys), "\(steps)")
    model.setExpiration(answer)
  }

  /// Some day of four years, months' ends above all, at some time of the day.
  private mutating func day() -> String {
    let month = generator.pick(1...12)
    let day = generator.pick([1, 15, 28, month == 2 ? 28 : 30])
    let year = generator.pick(2023...2026)
    return String(format: "%d-%02d-%02dT%02d:30:00Z", year, month, day, generator.pick(0...23))
  }
}
