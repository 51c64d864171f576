extension CommitView {
  /// What writes in full say of store transactions.
  package struct Carried: Hashable, Sendable {
    /// The store's ids, each once, in order.
    package fileprivate(set) var transactions: [String] = []
    /// Those of them that are said to be taken back.
    package fileprivate(set) var revoked: [String] = []
  }

  /// What writes in full say of store transactions; nobody has looked at signatures yet.
  package var carried: Carried {
    var carried = Carried()
    guard root == nil else { return carried }
    forEachWrite(by: ReplicaID(high: 0, low: 0)) { write, _ in
      guard let key = try? RegisterKey(decoding: Array(write.key)[...]),
        case .transaction(_, _, let id, _, _) = key
      else { return }
      if !carried.transactions.contains(id) { carried.transactions.append(id) }
      guard Self.isRevoked(Array(write.value)[...]), !carried.revoked.contains(id) else { return }
      carried.revoked.append(id)
    } replaced: { _, _ in
    }
    return carried
  }

  /// Whether the value of a transaction's register says that it was taken back.
  private static func isRevoked(_ value: ArraySlice<UInt8>) -> Bool {
    guard StoreItem.isSigned(value) else { return (try? Transaction(decoding: value))?.rank == .revoked }
    return (try? StoreItem.decode(value))?.1 == .revoked
  }
}
