/// What became of a ``Request``.
package enum Answer: Hashable, Sendable {
  /// Done and durable; so many registers changed.
  case done(changed: Int)
  /// Spent and durable, now or before under the same id.
  case spent(Spent)
  /// Not done, and why.
  case refused(Refusal)
}
