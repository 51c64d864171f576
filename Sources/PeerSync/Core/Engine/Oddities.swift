/// What stands in registers although no honest device of this version writes it, or hardly one, and who wrote it: people are told.
package struct Oddities: Sendable {
  /// Registers that cannot be read, by key and author: they count for nothing.
  package private(set) var unreadable: [RegisterID: ReplicaID] = [:]
  /// Registers that say that rights were taken over from a device that no removal names, and who says so: they move nothing.
  package private(set) var takings: [RegisterID: ReplicaID] = [:]
  /// Products whose entry states the greatest version there is, or another type than those of others.
  package private(set) var products: [Name: Dispute] = [:]

  /// Whose entry of a product counts although others may think otherwise.
  package struct Dispute: Sendable {
    package let author: ReplicaID
    /// Whether no later catalogue replaces it.
    package let isGreatest: Bool
    /// Those that state another type, sorted.
    package let others: [ReplicaID]
    /// Those that state the same type, sorted.
    package let agreeing: [ReplicaID]
  }

  /// Notes that a register cannot be read.
  mutating func note(unreadable register: RegisterID, by author: ReplicaID) {
    guard unreadable.count < Limits.oddities || unreadable[register] != nil else { return }
    unreadable[register] = author
  }

  /// Notes that a register can be read.
  mutating func forget(unreadable register: RegisterID) { unreadable[register] = nil }

  /// Notes that a taking moves nothing.
  mutating func note(taking register: RegisterID, by author: ReplicaID) {
    guard takings.count < Limits.oddities || takings[register] != nil else { return }
    takings[register] = author
  }

  /// Looks anew at what the authors that count have decided under a key.
  mutating func review(
    _ key: RegisterKey, _ candidates: [(author: ReplicaID, rank: DecisionRank, value: [UInt8])]
  ) {
    var read: [(author: ReplicaID, rank: DecisionRank, product: Product?)] = []
    for candidate in candidates {
      let register = RegisterID(key: key.encoded, author: candidate.author)
      guard let fact = try? Fact(key: key, value: candidate.value[...]) else {
        note(unreadable: register, by: candidate.author)
        continue
      }
      forget(unreadable: register)
      if case .product(let product, _) = fact { read.append((candidate.author, candidate.rank, product)) }
    }
    guard case .product(let id) = key else { return }
    products[Name(id)] = nil
    guard let first = read.max(by: { $0.rank < $1.rank }), products.count < Limits.oddities else { return }
    // What answers it is of no version of its own.
    let isGreatest = first.rank.states(UInt64(Limits.catalogueVersion))
    let others = read.filter { $0.product?.type != nil && $0.product?.type != first.product?.type }
    guard isGreatest || !others.isEmpty else { return }
    let agreeing = read.filter { $0.product?.type == first.product?.type && $0.author != first.author }
    products[Name(id)] = Dispute(
      author: first.author, isGreatest: isGreatest, others: others.map(\.author).sorted(),
      agreeing: agreeing.map(\.author).sorted())
  }
}
