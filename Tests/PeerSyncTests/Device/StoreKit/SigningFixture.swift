import PeerSync
import Testing

/// A sandbox store whose root is trusted, and what verifies.
struct SigningFixture {
  let store: SandboxSigner
  let verifier: StoreVerifier

  init(_ store: SandboxSigner? = nil) throws {
    self.store = try store ?? SandboxSigner.generate()
    verifier = StoreKitVerifier().verifier
  }

  var roots: Set<ContentHash> { [store.rootHash] }

  /// A purchase as Apple would state it.
  static var purchase: Transaction {
    var transaction = Transaction(
      transactionId: "2000000123456789", productId: "com.example.3months", bundleId: Fixtures.bundleId,
      environment: .sandbox, purchaseDate: instant("2026-01-01"), signedDate: instant("2026-01-02"),
      verification: .unverified)
    transaction.type = .nonRenewingSubscription
    transaction.price = 4990
    transaction.currency = "EUR"
    transaction.storefront = "DEU"
    return transaction
  }

  /// Why something does not verify; nil when it does.
  func rejection(_ jws: JWS, trusting roots: Set<ContentHash>? = nil) -> JWSRejection? {
    do throws(JWSRejection) {
      _ = try verifier.verify(jws, trusting: roots ?? self.roots)
      return nil
    } catch {
      return error
    }
  }

  /// Why something signed over a text of JSON does not verify; nil when it does.
  func rejection(signing json: String) throws -> JWSRejection? {
    rejection(try store.sign(Array(json.utf8)))
  }

  /// Why a purchase signed with a flawed chain does not verify.
  static func rejection(
    of purchase: Transaction = purchase,
    altering alter: (inout CertificateDraft, JWSRejection.Place) -> Void
  ) throws -> JWSRejection? {
    let sandboxStore = try SigningFixture(SandboxSigner(SandboxChain.generate(alter)))
    return sandboxStore.rejection(try sandboxStore.store.sign(purchase))
  }
}
