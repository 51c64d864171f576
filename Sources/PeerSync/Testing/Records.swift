import PeerSyncCore

/// What devices have acknowledged to a test, whatever becomes of them afterwards.
package struct Records {
  private var purchases: [String: Acknowledged] = [:]
  private var spends: [Name: [String: Int64]] = [:]

  private struct Acknowledged {
    let transaction: Transaction
    let device: String
    var isRefunded: Bool
  }

  package init() {}

  /// Notes a purchase or a refund.
  package mutating func note(_ transaction: Transaction, on device: String) {
    let isRefunded = transaction.refund == .full || purchases[transaction.transactionId]?.isRefunded == true
    purchases[transaction.transactionId] = Acknowledged(
      transaction: transaction, device: device, isRefunded: isRefunded)
  }

  /// Notes what was spent.
  package mutating func note(_ spending: Spending) {
    spends[Name(spending.credit), default: [:]][spending.id] = spending.amount
  }

  /// Whether devices that hold the same hold what was acknowledged, and answer the same.
  package func check(_ observed: [ObservedDevice], _ catalogue: Catalogue) throws(TestFailure) {
    for seen in observed {
      guard let known = seen.known, let first = observed.first?.known else { continue }
      try check(known, of: seen.name)
      guard known.view == first.view else {
        throw TestFailure(
          .broken(.convergence), "\(seen.name) holds what others hold and answers otherwise")
      }
    }
    try checkSpends(catalogue)
  }

  private func check(_ known: ObservedDevice.Known, of name: String) throws(TestFailure) {
    let held = Dictionary(known.transactions.map { ($0.transactionId, $0) }) { first, _ in first }
    for (id, purchase) in purchases.sorted(by: { $0.key < $1.key }) {
      let told = "\(purchase.transaction.productId) (\(id)), which \(purchase.device) acknowledged"
      guard let transaction = held[id] else {
        throw TestFailure(.broken(.noLostRenewal), "\(name) lacks \(told)")
      }
      if purchase.isRefunded, transaction.refund != .full {
        throw TestFailure(.broken(.noLostRenewal), "\(name) lacks the refund of \(told)")
      }
    }
  }

  private func checkSpends(_ catalogue: Catalogue) throws(TestFailure) {
    for (credit, spends) in spends.sorted(by: { $0.key < $1.key }) {
      let spent = spends.values.reduce(0, +)
      let bought = purchases.values.reduce(Int64(0)) { sum, purchase in
        guard let product = catalogue[purchase.transaction.productId],
          product.boughtCredit.map({ Name($0) }) == credit
        else { return sum }
        return sum + Int64(product.amount ?? 1) * Int64(purchase.transaction.quantity)
      }
      guard spent > bought else { continue }
      throw TestFailure(
        .broken(.noOverspending), "\(spent) of '\(credit.text)' were spent, and \(bought) were bought")
    }
  }
}
