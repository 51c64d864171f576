/// What can be taken over from a holder that is gone.
package struct Reclaimable: Hashable, Sendable {
  package let holder: CreditHolder
  /// What is there.
  package let rights: Int64
  /// What is paid there for members, and what is charged to it: whoever takes it over gives it to those who lack it.
  package let owed: Int64

  /// All of it.
  package var amount: Int64 { rights &+ owed }

  /// What of it can be taken over by one that has taken over so much from that holder, ever: that number only grows, and ends. A member may
  /// lack any number by having given away what never was. So what is there goes first, and what is owed is taken over only where it uses
  /// up no more than half of what is left of the number: in part it would go to whoever lacks the most, and be used up. Once that one is
  /// removed as well it lacks nothing.
  package func left(beyond taken: Int64) -> (rights: Int64, owed: Int64) {
    let rights = min(max(rights, 0), max(Limits.creditTotal - taken, 0))
    return (rights, owed <= (Limits.creditTotal - taken - rights) / 2 ? owed : 0)
  }
}
