/// An engine to look at: everything can be asked, and nothing can be done.
///
/// Asking fills caches, the ledger's above all; what was filled stays with the engine that lent them. So does the present that was
/// shown, if it rests on a date of the store that nobody had looked at yet: time that somebody has seen runs on from there.
@dynamicMemberLookup
package struct EngineView {
  /// The engine as it stands.
  package private(set) var engine: Engine

  init(_ engine: Engine) { self.engine = engine }

  /// What the engine holds.
  package subscript<Value>(dynamicMember path: KeyPath<Engine, Value>) -> Value { engine[keyPath: path] }

  /// See ``Engine/ledger(_:)``.
  package mutating func ledger<Result>(_ body: (inout Ledger) throws -> Result) rethrows -> Result {
    try engine.ledger(body)
  }

  /// See ``Holdings/standing(_:)``.
  package func standing(_ key: RegisterKey) -> (stamp: Stamp, value: [UInt8])? {
    engine.holdings.standing(key)
  }

  /// See ``Engine/time(at:)``.
  package mutating func time(at now: Now) -> TimeReading { engine.time(at: now) }

  /// See ``Engine/spendable(_:)``.
  package mutating func spendable(_ credit: String) -> Int64 { engine.spendable(credit) }

  /// See ``Engine/holders(of:)``.
  package mutating func holders(of credit: String) -> [RightsHeld] { engine.holders(of: credit) }

  /// See ``Engine/heldByOutsiders(_:)``.
  package mutating func heldByOutsiders(_ credit: String) -> Int64 { engine.heldByOutsiders(credit) }

  /// See ``Engine/heldByEarlierLives(_:)``.
  package mutating func heldByEarlierLives(_ credit: String) -> [Int64] { engine.heldByEarlierLives(credit) }

  /// See ``Engine/heldByRemoved(_:)``.
  package mutating func heldByRemoved(
    _ credit: String
  ) -> [(removed: MembershipGroup.Removed, amount: Int64)] { engine.heldByRemoved(credit) }

  /// See ``Engine/storeRoot(of:)``.
  mutating func storeRoot(of item: RegisterKey) -> ContentHash? { engine.storeRoot(of: item) }

  /// See ``Holdings/restored(from:)``.
  package mutating func restored(
    from store: Set<String>
  ) -> [(transaction: Transaction, isFromStore: Bool)] { engine.holdings.restored(from: store) }
}
