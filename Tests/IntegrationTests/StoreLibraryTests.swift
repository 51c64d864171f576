import Foundation
import PeerSync
import Testing

/// Signed items against Apple's own library (PyPI `app-store-server-library`): what is accepted here it accepts as well,
/// and both read the same. Where it cannot be installed the test says so and passes.
@Suite("Apple's library", .paced, .noHang)
struct StoreLibraryTests {
  private static let count = 20_000

  /// One case of `scripts/store-cases.py`.
  private struct Case: Decodable {
    let `case`: String
    let asked: String
    let text: String
    let accepted: Bool
    let fields: JSONDocument?
    let root: String
  }

  @Test("what is accepted here, Apple's library accepts, and both read the same")
  func differential() async throws {
    let directory = try TemporaryDirectory()
    guard let python = try await Python.withLibrary(directory) else {
      return print("Apple's library: skipped, for app-store-server-library cannot be installed here")
    }
    let seed = Seed.make(for: "Apple's library")
    let file = directory.path + "/cases.jsonl"
    let script = Python.root + "/scripts/store-cases.py"
    let status = try await Python.run(python, [script, "\(Self.count)", "\(seed.value >> 8)", file])
    try #require(status == 0, "the cases cannot be made")
    let tally = try await Self.look(at: try Data(contentsOf: URL(fileURLWithPath: file)), seed)
    tally.report()
    #expect(tally.cases == Self.count)
    #expect(tally.accepted > Self.count / 10, "most cases test nothing otherwise")
  }

  /// Looks at all cases, on as many threads as there are processors.
  private static func look(at content: Data, _ seed: Seed) async throws -> Tally {
    let lines = content.split(separator: UInt8(ascii: "\n"))
    let size = max(1, lines.count / ProcessInfo.processInfo.activeProcessorCount + 1)
    return try await withThrowingTaskGroup(of: Tally.self) { group in
      for start in stride(from: 0, to: lines.count, by: size) {
        let part = lines[start..<min(start + size, lines.count)]
        group.addTask {
          try await onThread {
            var tally = Tally()
            for line in part { try tally.look(at: JSON.decode(Case.self, from: Array(line)), seed) }
            return tally
          }
        }
      }
      return try await group.reduce(into: Tally()) { $0.add($1) }
    }
  }

  private struct Tally: Sendable {
    var cases = 0
    var accepted = 0
    fileprivate var stricter: [String: Int] = [:]
    private let verifier = StoreKitVerifier(appleRoots: []).verifier

    mutating func look(at item: Case, _ seed: Seed) throws {
      cases += 1
      let root = Cryptography.openSSL.hash(of: Array(try #require(Data(base64Encoded: item.root))))
      do throws(JWSRejection) {
        let items = try verifier.verifyAll(
          JWS(Array(item.text.utf8)), environment: .sandbox, bundleId: "com.example.owls", trusting: [root])
        guard let payload = items.first?.payload, payload.kind.rawValue == item.asked else {
          throw JWSRejection.otherKind
        }
        accepted += 1
        #expect(item.accepted, "\(seed): accepted here alone: \(item.case) \(item.text)")
        #expect(item.fields == payload.fields, "\(seed): \(item.case) \(item.text)")
      } catch {
        if item.accepted { stricter["\(error)", default: 0] += 1 }
      }
    }

    mutating func add(_ other: Tally) {
      cases += other.cases
      accepted += other.accepted
      stricter.merge(other.stricter, uniquingKeysWith: +)
    }

    func report() {
      print("Apple's library: \(cases) cases, \(accepted) accepted by both; accepted by it alone:")
      for (reason, count) in stricter.sorted(by: { $0.key < $1.key }) { print("  \(count) × \(reason)") }
    }
  }
}

extension StorePayload {
  /// The fields under Apple's names, as the script writes them.
  fileprivate var fields: JSONDocument {
    switch self {
    case .transaction(let transaction): transaction.fields
    case .renewalInfo(let info):
      [
        "signedDate": .integer(info.signedDate.milliseconds),
        "originalTransactionId": .string(info.originalTransactionId),
      ]
    case .notification(let notification):
      [
        "signedDate": .integer(notification.signedDate.milliseconds),
        "notificationType": .string(notification.notificationType),
      ]
    }
  }
}

extension Transaction {
  fileprivate var fields: JSONDocument {
    var fields: [String: JSONDocument] = [
      "transactionId": .string(transactionId), "originalTransactionId": .string(originalTransactionId),
      "productId": .string(productId), "bundleId": .string(bundleId),
      "purchaseDate": .integer(purchaseDate.milliseconds), "signedDate": .integer(signedDate.milliseconds),
      "quantity": .integer(Int64(quantity)), "inAppOwnershipType": .string(ownership.rawValue),
      "isUpgraded": .bool(isUpgraded),
    ]
    fields["revocationDate"] = revocationDate.map { .integer($0.milliseconds) }
    fields["expiresDate"] = expiresDate.map { .integer($0.milliseconds) }
    fields["revocationReason"] = revocationReason.map { .integer(Int64($0)) }
    fields["price"] = price.map { .integer($0) }
    fields["currency"] = currency.map { .string($0) }
    fields["storefront"] = storefront.map { .string($0) }
    fields["type"] = type.map { .string($0.rawValue) }
    return .object(fields)
  }
}
