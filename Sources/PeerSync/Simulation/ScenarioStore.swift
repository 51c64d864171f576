import PeerSyncCore

/// The store that a scenario's devices buy from: every snapshot it has signed of every transaction. It plays the App Store, which sells
/// what a story says, with whatever dates, ids and owners that names. What a device sells itself its engine makes.
package struct ScenarioStore {
  /// Names a transaction. Where every device counts its own ids, two devices may use one name.
  package struct Key: Hashable {
    let name: Name
    let device: Int?

    package init(name: Name, device: Int?) {
      self.name = name
      self.device = device
    }
  }

  private var transactions: [Key: [Transaction]] = [:]
  /// What only one device can check of purchases.
  private var verifications: [Key: String] = [:]

  package init() {}

  /// The snapshots of a transaction, in the order of the scenario; nil for one that nobody bought.
  package subscript(key: Key) -> [Transaction]? { transactions[key] }

  /// Apple's `deviceVerification` of a transaction; nil: it has none.
  package func verification(of key: Key) -> String? { verifications[key] }

  package mutating func add(_ snapshot: Transaction, to key: Key) {
    transactions[key, default: []].append(snapshot)
  }

  /// Sells something.
  ///
  /// - Returns: its first snapshot
  package mutating func sell(
    _ purchase: ScenarioPurchase, as key: Key, in environment: Environment, to holder: CreditHolder
  ) -> Transaction {
    if purchase.isBound { verifications[key] = holder.accountToken }
    var transaction = Transaction(
      transactionId: purchase.name, originalTransactionId: purchase.original, productId: purchase.product,
      bundleId: Scenario.bundleId, environment: environment, purchaseDate: purchase.date,
      quantity: purchase.quantity,
      verification: purchase.isUnverified
        ? .unverified : environment.requiresVerification ? .verified : .simulated)
    transaction.expiresDate = purchase.until
    transaction.ownership = purchase.isShared ? .familyShared : .purchased
    transaction.offer = purchase.offer.map { StoreOffer(code: 1, payment: $0) }
    transaction.accountToken = purchase.isUnmarked ? nil : holder.accountToken
    add(transaction, to: key)
    return transaction
  }
}

extension Transaction {
  /// Takes what the family shared back at the time at which this snapshot is signed.
  package mutating func unshare() {
    revocationDate = signedDate
    revocationType = .familyRevoke
  }

  package mutating func reverseRefund() { revocation = Revocation() }
}
