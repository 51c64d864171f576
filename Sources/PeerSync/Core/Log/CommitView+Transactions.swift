extension CommitView {
  /// The store's ids of the transactions that writes in full are about, each once, in order.
  package var transactions: [String] {
    var ids: [String] = []
    guard root == nil else { return ids }
    forEachWrite(by: ReplicaID(high: 0, low: 0)) { write, _ in
      guard let key = try? RegisterKey(decoding: Array(write.key)[...]),
        case .transaction(_, _, let id, _, _) = key, !ids.contains(id)
      else { return }
      ids.append(id)
    } replaced: { _, _ in
    }
    return ids
  }
}
