/// Transactions that are one purchase: the original and what restores or renews it.
struct TransactionGroup: Sendable {
  private(set) var members: [TransactionKey] = []

  mutating func insert(_ key: TransactionKey) { members.append(key) }

  mutating func remove(_ key: TransactionKey) {
    if let index = members.firstIndex(of: key) { members.remove(at: index) }
  }
}

/// Who has a non-consumable product: its purchases by their original [A4].
struct OwnershipState: Sendable {
  private var groups: [OriginalKey: TransactionGroup] = [:]
  private var owning: [OriginalKey: Instant] = [:]

  /// Whether any purchase of it stands.
  var isOwned: Bool { !owning.isEmpty }

  /// When each of those was made, as far as is known here, in no order that means anything.
  var dates: [Instant] { Array(owning.values) }

  /// Changes the members of one purchase and decides it anew.
  mutating func update(
    _ original: OriginalKey, in transactions: [TransactionKey: Snapshot<Transaction>],
    _ change: (inout TransactionGroup) -> Void
  ) {
    change(&groups[original, default: TransactionGroup()])
    let members = (groups[original]?.members ?? []).compactMap { transactions[$0]?.value }
    owning[original] = isOwned(members) ? members.filter(\.isAccepted).map(\.purchaseDate).min() : nil
    if members.isEmpty { groups[original] = nil }
  }

  /// A purchase stands when the newest snapshot among the original and its restored copies is not revoked: the refund of
  /// a purchase arrives under the original's id. Of snapshots signed at one instant the revoked one counts. What the family
  /// shares is decided by itself, so that its revocation leaves one's own purchase alone [C38].
  private func isOwned(_ members: [Transaction]) -> Bool {
    let accepted = members.filter(\.isAccepted)
    return Ownership.allCases.contains { ownership in
      let alike = accepted.filter { $0.ownership == ownership }
      guard let newest = alike.map(\.signedDate).max() else { return false }
      return alike.allSatisfy { $0.signedDate < newest || $0.refund == .none }
    }
  }
}
