/// What some author has decided, with what orders it among the decisions of all.
struct Decision<Value: Sendable>: Sendable {
  let value: Value
  let rank: DecisionRank

  var stamp: Stamp { rank.stamp }

  /// Whether another one stands in its place. Equal ones say the same.
  func yields(to other: Decision) -> Bool { rank < other.rank }
}
