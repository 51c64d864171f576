// What was taken over from devices that are lost: people are told, for whoever turns up after all may have spent it.
extension CreditState {
  /// What was taken over from devices that are lost, by whom, in their order: from whom the taker says so, and from whom nobody knows the life.
  package var lost: [(by: ReplicaID, amount: Int64)] {
    mutating get {
      var sums: [ReplicaID: Int64] = [:]
      if let fromLost {
        sums = fromLost
      } else {
        for (passage, amount) in passages where isFromLost(passage) {
          sums[passage.to, default: 0] &+= amount
        }
        fromLost = sums
      }
      return sums.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
  }

  func isFromLost(_ passage: Passage) -> Bool {
    let from = CreditHolder(passage.from)
    return passage.way == .lost || passage.way == .taken && from != .nobody && !lives.knows(from)
  }
}
