import Foundation

/// The benchmarks by the name that `peerd bench NAME` takes.
///
/// Each measures its floor in the same run on the same machine (a durable commit, one way over loopback, the bytes of the
/// encoded writes), because ratios last and absolute times do not.
package enum Benchmark: String, CaseIterable {
  case merge
  case fold
  case commit
  case propagate
  case events
  case catchUp = "catch-up"
  case difference
  case idle
  case handshake
  case reunion
  case verify
  case purchase
  case spend
  case refold
  case discover

  /// One line of help.
  package var summary: String {
    switch self {
    case .merge: "decode and merge 1,000,000 writes in memory; memory of 100,000 registers"
    case .fold: "a line of 1,000 purchases, cold, warm, and after one more"
    case .commit: "durable purchases a second: one writer, 64 writers, 32 HTTP clients"
    case .propagate: "from acknowledged on one device to visible on another, both durable"
    case .events: "from a value written over HTTP on one device to its event on another, both durable"
    case .catchUp: "an empty device takes in 10,000 and 100,000 writes over TCP into SQLite"
    case .difference: "bytes and round trips when two replicas of 100,000 writes differ in 10, or in nothing"
    case .handshake: "TLS handshakes between members, on one core, and their bytes"
    case .reunion: "a hundred peers come back to one at the same moment: seconds until all agree"
    case .idle: "three daemons with nothing to do: bytes, processor time, wake-ups, memory"
    case .verify: "signed purchases and commits verified a second on one core, beside bare ECDSA and Ed25519"
    case .spend: "durable spends of a credit a second from local rights: one spender, 64 spenders"
    case .refold: "a notification on a ledger of 10,000 transactions, in one subscription and in a thousand"
    case .discover:
      "as root: two devices with --lan: seconds until they are in sync; bytes and wake-ups with nothing to do"
    case .purchase: "bytes of a signed purchase on the wire and on disk, beside the signed text"
    }
  }

  /// Runs it and returns its lines, one JSON document each.
  package func run() async throws -> [Figures] {
    switch self {
    case .merge: [try MergeBenchmark.run()]
    case .fold: [try FoldBenchmark.run()]
    case .commit: [try await CommitBenchmark.run()]
    case .propagate: [try await PropagateBenchmark.run()]
    case .events: [try await EventsBenchmark.run()]
    case .catchUp: try await CatchUpBenchmark.run()
    case .difference: try DifferenceBenchmark.run()
    case .idle: [try await IdleBenchmark.run()]
    case .handshake: [try HandshakeBenchmark.run()]
    case .reunion: [try await ReunionBenchmark.run()]
    case .verify: [try VerifyBenchmark.run()]
    case .purchase: [try await PurchaseBenchmark.run()]
    case .spend: [try await SpendBenchmark.run()]
    case .refold: [try RefoldBenchmark.run()]
    case .discover: [try await DiscoverBenchmark.run()]
    }
  }
}

/// The figures of one benchmark, in the order in which they were given.
package struct Figures {
  private var fields: [(name: String, value: String)]

  init(_ name: Benchmark) { fields = [("bench", "\"\(name.rawValue)\"")] }

  mutating func add(_ name: String, _ value: Int) { fields.append((name, String(value))) }
  mutating func add(_ name: String, _ value: UInt64) { fields.append((name, String(value))) }

  /// Four significant digits: more would claim a precision that no run has.
  mutating func add(_ name: String, _ value: Double) {
    let text = String(format: value.magnitude >= 1_000 ? "%.0f" : "%.4g", value)
    fields.append((name, text))
  }

  /// One JSON object in one line.
  package var json: String {
    "{" + fields.map { "\"\($0.name)\":\($0.value)" }.joined(separator: ",") + "}"
  }
}
