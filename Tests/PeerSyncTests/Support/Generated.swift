import PeerSyncCore

/// A type whose values tests make up.
///
/// Values come from small pools on purpose: the interesting cases are equal stamps, shared keys, the same dot twice.
protocol Generated {
  static func generate(_ random: inout SeededGenerator) -> Self
}

extension SeededGenerator {
  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

  mutating func chance(_ part: Int, of whole: Int) -> Bool { below(whole) < part }

  mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) }
  }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

  mutating func array<Element: Generated>(upTo count: Int, of _: Element.Type = Element.self) -> [Element] {
    (0..<below(count + 1)).map { _ in Element.generate(&self) }
  }

  /// A number of any size, small ones and the ends more often than chance would give.
  mutating func number() -> UInt64 {
    switch below(6) {
    case 0: 0
    case 1: .max
    case 2: UInt64(below(4))
    default: next() >> UInt64(below(64))
    }
  }

  /// Text of ASCII and longer scalars, within a number of bytes.
  mutating func text(atMost limit: Int) -> String {
    var text = ""
    for _ in 0..<below(20) {
      let next = text + pick(["a", "Z", "0", " ", "é", "猫", "🦉"])
      if next.utf8.count > limit { break }
      text = next
    }
    return text
  }
}

extension Identifier: Generated {
  /// One of few identifiers, so that they meet again.
  static func generate(_ random: inout SeededGenerator) -> Self {
    random.chance(1, of: 8)
      ? Self(high: random.next(), low: random.next()) : Self(high: 1, low: UInt64(random.below(4)))
  }
}

extension Stamp: Generated {
  /// One of few stamps, so that ties are the rule.
  static func generate(_ random: inout SeededGenerator) -> Stamp {
    Stamp(rawValue: random.chance(1, of: 8) ? random.number() : UInt64(random.below(3)))
  }
}

extension Dot: Generated {
  static func generate(_ random: inout SeededGenerator) -> Dot {
    Dot(
      replica: .generate(&random),
      sequence: min(
        Limits.sequence, max(1, random.chance(1, of: 4) ? random.number() : UInt64(random.below(4)))))
  }
}

extension Digest: Generated {
  static func generate(_ random: inout SeededGenerator) -> Digest {
    Digest(high: random.number(), low: random.number())
  }
}

extension VersionVector: Generated {
  static func generate(_ random: inout SeededGenerator) -> VersionVector {
    VersionVector(random.array(upTo: 6, of: Dot.self))
  }
}

extension ToldVector: Generated {
  static func generate(_ random: inout SeededGenerator) -> ToldVector {
    let vector = VersionVector.generate(&random)
    return ToldVector(vector, fingerprints: vector.entries.map { _ in random.number() })
  }
}

extension VersionVector {
  /// As it is told by a peer that has no commit of it at hand.
  var told: ToldVector { ToldVector(self, fingerprints: entries.map { _ in 0 }) }
}

extension Write: Generated {
  static func generate(_ random: inout SeededGenerator) -> Write {
    let lengths = random.chance(1, of: 50) ? [1, Limits.keyBytes] : [1, 2, 40]
    let values = random.chance(1, of: 50) ? [0, Limits.valueBytes] : [0, 1, 130]
    var key = random.bytes(random.pick(lengths))
    // What is named by its content, or by its author, would have to fit.
    if RegisterKind.isSignedByStore(key) || key[0] == RegisterKind.credit.rawValue { key[0] |= 0x80 }
    return Write(
      key: key, stamp: .generate(&random),
      value: random.bytes(random.pick(values)), dot: .generate(&random))
  }
}

extension WriteBatch: Generated {
  static func generate(_ random: inout SeededGenerator) -> WriteBatch {
    var batch = WriteBatch()
    for write in random.array(upTo: 6, of: Write.self)
    where batch.bytes.count + write.value.count < Limits.chunkBytes {
      batch.append(write)
    }
    return batch
  }
}

extension Commit: Generated {
  static func generate(_ random: inout SeededGenerator) -> Commit {
    let replica = Author(UInt64(random.below(4))).replica
    let count = UInt64(1 + random.below(5))
    let first = min(max(random.number(), 1), Limits.sequence - count + 1)
    return .signed(
      (0..<count).map { offset in
        var write = Write.generate(&random)
        write.dot = Dot(replica: replica, sequence: first + offset)
        return write
      })
  }
}

extension SignedBatch: Generated {
  /// Commits in all their forms: whole, with hashes of replaced writes, and heads.
  static func generate(_ random: inout SeededGenerator) -> SignedBatch {
    var replica = Author(9).emptyReplica
    for _ in 0..<random.below(4) {
      _ = replica.merge(Commit.generate(&random).batch, ceiling: Stamp(rawValue: .max))
    }
    var batch = SignedBatch()
    var progress = DeltaProgress()
    replica.fill(&batch, from: replica.names(beyond: VersionVector()), &progress, upTo: Limits.chunkBytes)
    let heads = (0..<UInt64(4)).map { Author($0).replica }.filter { replica.reach(of: $0) > 0 }
      .map { Dot(replica: $0, sequence: .max) }
    replica.fill(&batch, withHeadsFor: heads, &progress, upTo: Limits.chunkBytes)
    return batch
  }
}

extension Fork: Generated {
  static func generate(_ random: inout SeededGenerator) -> Fork {
    let author = Author(UInt64(random.below(4)))
    while true {
      let heads = (0..<2).map { _ in author.head(&random) }
      if let fork = Fork(author: author.incarnation, heads[0], heads[1]) { return fork }
    }
  }
}

extension Author {
  /// A signed head of few sequences, so that two of them overlap.
  fileprivate func head(_ random: inout SeededGenerator) -> CommitHead {
    let first = UInt64(1 + random.below(4))
    let root = ContentHash(words: (random.next(), 0, 0, random.next()))
    return head(first, first + UInt64(random.below(4)), root)
  }

  func head(_ first: UInt64, _ last: UInt64, _ root: ContentHash) -> CommitHead {
    let message = CommitHead.message(replica: replica, first: first, last: last, root: root)
    return CommitHead(first: first, last: last, root: root, signature: FlatSignature(key.sign(message)))
  }
}
