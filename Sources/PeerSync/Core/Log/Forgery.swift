/// Why writes, claims or evidence of a peer are refused.
package enum Forgery: Error, Hashable, Sendable {
  /// The author's signature does not fit what came.
  case signature
  /// A signed write that is not what its key says: something else in the register of a purchase.
  case content
  /// A claim beyond every signed commit of the replica.
  case claim
}
