import PeerSyncCore
import PeerSyncSandbox

extension Transaction {
  /// What a simulated store has sold, as far as the checks of a world look at it.
  init(_ sold: SandboxTransaction) {
    self.init(
      transactionId: String(sold.id), productId: sold.productId, bundleId: sold.bundleId,
      environment: .sandbox,
      purchaseDate: sold.purchaseDate, quantity: sold.quantity, verification: .simulated)
    accountToken = sold.token
  }
}
