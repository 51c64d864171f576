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
    for candidate in candidates {
      let register = RegisterID(key: key.encoded, author: candidate.author)
      if (try? Fact(key: key, value: candidate.value[...])) == nil {
        note(unreadable: register, by: candidate.author)
      } else {
        forget(unreadable: register)
      }
    }
    guard case .product(let id) = key else { return }
    products[Name(id)] = nil
    guard products.count < Limits.oddities else { return }
    let statements = ProductStatements(of: id, candidates.map { ($0.rank.stamp, $0.value) })
    products[Name(id)] = Dispute(statements.living.map { (candidates[$0.place].author, $0.decision) })
  }
}

extension Oddities.Dispute {
  /// Nil where everybody agrees. Of entries with a date those are compared by which one purchase could count.
  fileprivate init?(_ entries: [(author: ReplicaID, decision: Decision<Product>)]) {
    let spans = Dictionary(grouping: entries, by: \.author)
      .mapValues { ProductTimeline($0.map(\.decision)).spans }
    let timeline = ProductTimeline(entries.map(\.decision))
    for (step, entry) in zip(timeline.steps, timeline.spans).reversed() {
      guard let author = entries.first(where: { $0.decision.rank == step.rank })?.author else { continue }
      // What answers it is of no version of its own.
      let isGreatest = step.rank.states(UInt64(Limits.catalogueVersion))
      var (others, agreeing) = ([ReplicaID](), [ReplicaID]())
      for (other, spans) in spans where other != author {
        let types = Set(spans.filter { $0.span.overlaps(entry.span) }.compactMap(\.product.type))
        if types.contains(where: { $0 != entry.product.type }) { others.append(other) }
        if entry.product.type.map(types.contains) ?? false { agreeing.append(other) }
      }
      guard isGreatest || !others.isEmpty else { continue }
      self.init(author: author, isGreatest: isGreatest, others: others.sorted(), agreeing: agreeing.sorted())
      return
    }
    return nil
  }
}
