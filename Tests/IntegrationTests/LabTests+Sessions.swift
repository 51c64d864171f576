import Foundation
import PeerSync
import Testing

/// Random sessions of clicks: what was recorded plays to the same views.
extension LabTests {
  /// As many as `PEERSYNC_LAB_SESSIONS` says; `PEERSYNC_SEED` plays one alone.
  static let sessionSeeds: [UInt64] = {
    let environment = ProcessInfo.processInfo.environment
    if let seed = environment["PEERSYNC_SEED"].flatMap({ UInt64($0) }) { return [seed] }
    return (1...(environment["PEERSYNC_LAB_SESSIONS"].flatMap { UInt64($0) } ?? 4)).map { $0 }
  }()

  @Test(
    "what is clicked at random is recorded, and plays in both ways to the same views", arguments: sessionSeeds
  )
  func session(seed: UInt64) async throws {
    var clicks = Clicks(seed: seed)
    let lab = try await Lab()
    for _ in 0..<8 {
      // What cannot be done just then is refused, as to a person.
      let line = clicks.next()
      let answer = try await lab.ask("POST", "/v1/lab/lines", body: JSON.encode(["line": line]))
      #expect([200, 400, 422].contains(answer.status), "PEERSYNC_SEED=\(seed) \(line): \(answer.status)")
    }
    let story = String(decoding: try await lab.ask("GET", "/v1/lab/story").body, as: UTF8.self)
    try await lab.stop()
    try await replay(story, "PEERSYNC_SEED=\(seed)")
  }

  /// Lines that buttons of the page play, drawn at random.
  private struct Clicks {
    private var state: RandomState
    private let devices = ["Phone", "Tablet", "Mac"]
    private var bought = 0
    private var spent = 0

    init(seed: UInt64) { state = RandomState(seed: seed) }

    private mutating func pick<Item>(_ items: [Item]) -> Item {
      items[Int(state.next() % UInt64(items.count))]
    }

    private mutating func pair() -> String {
      pick(["Phone Tablet", "Phone Mac", "Tablet Mac"])
    }

    private mutating func purchase() -> String { "p\(state.next() % UInt64(max(bought, 1)) + 1)" }

    mutating func next() -> String {
      switch state.next() % 16 {
      case 0...4:
        bought += 1
        let product = pick([
          "3monthsOfRandom", "6monthsOfRandom", "ShyOwl", "RandomOwls", "pro.monthly", "pro.yearly",
        ])
        return "\(pick(devices)) buys \(product) in the store as p\(bought)"
      case 5: return "store refunds \(purchase())"
      case 6: return "store advances \(pick(["P1D", "P10D", "P1M"]))"
      case 7: return "store lets purchases \(pick(["ask", "cancel", "fail"])) once"
      case 8: return "store approves \(purchase())"
      case 9: return "store turns off \(purchase())"
      case 10: return "cut \(pair())"
      case 11: return "mend \(pair())"
      case 12: return "crash \(pick(devices))"
      case 13: return "start \(pick(devices))"
      case 14:
        spent += 1
        return "\(pick(devices)) spends owls 1 as s\(spent)"
      default: return "\(pick(["offline", "online"])) \(pick(devices))"
      }
    }
  }
}
