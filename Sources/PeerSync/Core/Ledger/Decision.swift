/// What some author has decided, with what orders it among the decisions of all. It never changes and is shared: every purchase asks for the
/// entry of its product.
final class Decision<Value: Sendable>: Sendable {
  let value: Value
  let rank: DecisionRank

  init(value: Value, rank: DecisionRank) { (self.value, self.rank) = (value, rank) }

  var stamp: Stamp { rank.stamp }

  /// Whether another one stands in its place. Equal ones say the same.
  func yields(to other: Decision) -> Bool { rank < other.rank }
}
