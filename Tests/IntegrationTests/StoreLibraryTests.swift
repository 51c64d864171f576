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
    let fields: JSONValue?
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
  fileprivate var fields: JSONValue {
    let fields: [String: JSONValue?]
    switch self {
    case .transaction(let transaction): fields = transaction.fields
    case .renewalInfo(let info): fields = info.fields
    case .notification(let notification): fields = notification.fields
    }
    return JSONValue(fields.compactMapValues { $0 })
  }
}

extension Transaction {
  fileprivate var fields: [String: JSONValue?] {
    let fields: [String: JSONValue?] = [
      "transactionId": .string(transactionId), "originalTransactionId": .string(originalTransactionId),
      "productId": .string(productId), "bundleId": .string(bundleId),
      "purchaseDate": .date(purchaseDate), "signedDate": .date(signedDate),
      "environment": .environment(environment),
      "quantity": .integer(Int64(quantity)), "inAppOwnershipType": .string(ownership.rawValue),
      "isUpgraded": .bool(isUpgraded), "type": .text(type?.rawValue),
      "expiresDate": .date(expiresDate), "revocationDate": .date(revocationDate),
      "revocationReason": .number(revocationReason), "revocationType": .text(revocationType?.rawValue),
      "revocationPercentage": .number(revocationPercentage),
      "price": price.map { .integer($0) }, "currency": .text(currency), "storefront": .text(storefront),
      "appAccountToken": .text(accountToken),
    ]
    return fields.merging(offer.fields) { $1 }
  }
}

extension RenewalInfo {
  fileprivate var fields: [String: JSONValue?] {
    let fields: [String: JSONValue?] = [
      "originalTransactionId": .string(originalTransactionId), "productId": .text(productId),
      "autoRenewProductId": .text(autoRenewProductId),
      "autoRenewStatus": .number(autoRenewStatus.map { $0 ? 1 : 0 }),
      "expirationIntent": .number(expirationIntent), "isInBillingRetryPeriod": .bool(isInBillingRetryPeriod),
      "gracePeriodExpiresDate": .date(gracePeriodExpiresDate),
      "priceIncreaseStatus": .number(priceIncreaseStatus), "renewalDate": .date(renewalDate),
      "renewalPrice": renewalPrice.map { .integer($0) }, "currency": .text(currency),
      "signedDate": .date(signedDate), "environment": .environment(environment),
    ]
    return fields.merging(offer.fields) { $1 }
  }
}

extension StoreNotification {
  fileprivate var fields: [String: JSONValue?] {
    [
      "notificationType": .string(notificationType), "subtype": .text(subtype),
      "notificationUUID": .string(notificationUUID), "bundleId": .string(bundleId),
      "environment": .environment(environment), "signedDate": .date(signedDate),
      "signedTransactionInfo": .text(signedTransactionInfo), "signedRenewalInfo": .text(signedRenewalInfo),
    ]
  }
}

extension StoreOffer? {
  fileprivate var fields: [String: JSONValue?] {
    [
      "offerType": .number(self?.code), "offerIdentifier": .text(self?.id),
      "offerDiscountType": .text(self?.payment?.rawValue),
    ]
  }
}

extension JSONValue? {
  fileprivate static func text(_ text: String?) -> JSONValue? { text.map { .string($0) } }
  fileprivate static func number(_ number: Int?) -> JSONValue? { number.map { .integer(Int64($0)) } }
  fileprivate static func date(_ date: Instant?) -> JSONValue? { date.map { .integer($0.milliseconds) } }

  /// What is accepted is of the sandbox: Apple's word for anything else would be another.
  fileprivate static func environment(_ environment: PeerSync.Environment) -> JSONValue? {
    .string(environment == .sandbox ? "Sandbox" : environment.rawValue)
  }
}
