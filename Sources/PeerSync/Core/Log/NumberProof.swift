/// What shows that a device has signed a number of a credit: the commit that it was part of, with that write in full and the others as
/// their hashes. Whoever names a number of another one shows it, so that nobody can name what was never signed.
package struct NumberProof: Sendable {
  /// Who signed it.
  package let author: Incarnation
  /// What it had written.
  package let write: Write
  private let head: CommitHead

  /// The proofs of what commits hold in full.
  package static func proofs(
    in batch: SignedBatch, _ cryptography: Cryptography
  ) -> [(number: Write, proof: [UInt8])] {
    var proofs: [(number: Write, proof: [UInt8])] = []
    var hasher = CommitHasher(cryptography)
    batch.forEach { commit in
      let author = batch.authors[commit.author]
      let replica = author.replica(cryptography)
      hasher.clear()
      var writes: [(write: Write, entry: [UInt8], place: Int)] = []
      guard commit.count <= Limits.numberedWrites else { return }
      commit.forEachWrite(
        by: replica,
        full: { write, entry in
          if RegisterKey.isNumber(write.key), write.value.isEmpty {
            writes.append((Write(write), Array(entry), hasher.count))
          }
          hasher.add(entry: entry, of: replica, sequence: write.sequence)
        }, replaced: { _, hash in hasher.add(hash) })
      for (write, entry, place) in writes {
        var proof = SignedBatch()
        proof.begin(author, first: commit.first, count: commit.count, signature: commit.signature)
        for other in 0..<commit.count {
          if other == place { proof.append(entries: entry) } else { proof.append(replaced: hasher[other]) }
        }
        proofs.append((write, proof.bytes))
      }
    }
    return proofs
  }

  /// Reads a proof. Whether it is signed, ``isSigned(_:)`` says.
  package init(decoding value: ArraySlice<UInt8>, _ cryptography: Cryptography) throws(WireError) {
    guard value.count <= Limits.numberProofBytes else { throw .beyondLimit }
    let batch = try SignedBatch(decoding: value)
    guard batch.count == 1, let author = batch.authors.first else { throw .malformed }
    let replica = author.replica(cryptography)
    var hasher = CommitHasher(cryptography)
    var (writes, span, signature) = ([Write](), UInt64(0)...0, FlatSignature?.none)
    batch.forEach { commit in
      (span, signature) = (commit.first...commit.last, commit.signature)
      commit.forEachWrite(
        by: replica,
        full: { write, entry in
          writes.append(Write(write))
          hasher.add(entry: entry, of: replica, sequence: write.sequence)
        }, replaced: { _, hash in hasher.add(hash) })
    }
    guard writes.count == 1, let write = writes.first, let signature else { throw .malformed }
    self.author = author
    self.write = write
    head = CommitHead(
      first: span.lowerBound, last: span.upperBound, root: hasher.root, signature: signature)
  }

  /// Whether its author has signed it.
  package func isSigned(_ cryptography: Cryptography) -> Bool {
    head.isSigned(by: author.key, as: write.dot.replica, cryptography)
  }

  /// Whether it shows what a register says that names a number: of the same credit, holder and other side, and as much. What its author
  /// named itself, of others, it does not show.
  package func shows(_ key: RegisterKey, stamp: Stamp) -> Bool {
    guard write.stamp == stamp, write.value.isEmpty, let namer = key.namer,
      let signed = try? RegisterKey(decoding: write.key[...])
    else { return false }
    switch signed {
    case .creditRowAgain, .creditTakingAgain: return false
    default: return write.withView { $0.hasOneAuthor } && signed.named(by: namer) == key
    }
  }

  /// Whether it shows what its author had carried over from an earlier life of its own.
  static func isCarried(_ value: UnsafeRawBufferPointer) -> Bool {
    guard let batch = try? SignedBatch(decoding: Array(value)[...]) else { return false }
    return batch.writes { _ in ReplicaID(high: 0, low: 0) }.contains {
      $0.withView { RegisterKey.isNaming($0.key) }
    }
  }

  /// Whose signature a proof bears, without looking at the rest of it; nil: it is none.
  static func signer(of value: UnsafeRawBufferPointer) -> PublicKey? {
    guard value.count > 33, value[0] == 0 else { return nil }
    var reader = ByteReader(Array(value[1..<33])[...])
    return try? reader.bytes32()
  }
}

extension SignedBatch {
  /// Adds a write of which the hash alone is known.
  fileprivate mutating func append(replaced hash: ContentHash) {
    var entry: [UInt8] = [0]
    entry.append(hash)
    append(entries: entry)
  }
}

extension WriteView {
  /// Whether a register of a credit is its author's own.
  fileprivate var hasOneAuthor: Bool { RegisterKey.creditAuthor(of: key) == replica }

  /// Whether a number has no value, and what it names of another one is shown. Of its own lives a device names spends and gifts without.
  package func isShown(_ cryptography: Cryptography) -> Bool {
    guard RegisterKey.isNumber(self.key) else { return true }
    guard RegisterKey.isNaming(self.key) else { return value.isEmpty }
    guard let key = try? RegisterKey(decoding: Array(self.key)[...]) else { return value.isEmpty }
    if value.isEmpty, case .creditTransferAgain = key { return true }
    guard let proof = try? NumberProof(decoding: Array(value)[...], cryptography) else { return false }
    return proof.shows(key, stamp: stamp) && proof.isSigned(cryptography)
  }
}

extension RegisterKey {
  /// Who says in the register what another one had signed; nil for any other register.
  package var namer: ReplicaID? {
    switch self {
    case .creditTransferAgain(_, _, _, let namer), .creditRowAgain(_, _, let namer),
      .creditTakingAgain(_, _, let namer):
      namer
    default: nil
    }
  }

  /// The register in which another replica names the number that this one holds; nil: it holds none that is named.
  package func named(by namer: ReplicaID) -> RegisterKey? {
    switch self {
    case .creditRow(let credit, let life), .creditRowAgain(let credit, let life, _):
      .creditRowAgain(credit: credit, life: life, by: namer)
    case .creditTransfer(let credit, let from, let to), .creditTransferAgain(let credit, let from, let to, _):
      .creditTransferAgain(credit: credit, from: from, to: to, by: namer)
    case .creditTaking(let credit, let from, let taker):
      .creditTakingAgain(
        credit: credit, taken: CreditTaking(from: from, by: taker, isLost: false), by: namer)
    case .creditLost(let credit, let from, let taker):
      .creditTakingAgain(credit: credit, taken: CreditTaking(from: from, by: taker, isLost: true), by: namer)
    case .creditTakingAgain(let credit, let taken, _):
      .creditTakingAgain(credit: credit, taken: taken, by: namer)
    default: nil
    }
  }
}
