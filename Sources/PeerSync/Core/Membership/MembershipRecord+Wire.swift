/// The encoding of records: the kind, the parents, the body, the signatures. Each record has one encoding.
extension MembershipRecord: WireValue {
  private enum Kind {
    static let found: UInt8 = 1
    static let merge: UInt8 = 2
    static let remove: UInt8 = 3
    /// From here on, kinds that a version that does not know them may pass over.
    static let optional: UInt8 = 128
  }

  /// Whether a device that does not know a kind of record may keep it, pass it on and otherwise go on without it. All
  /// others it must refuse: it would go on trusting somebody whom the others have removed.
  package static func isOptional(_ kind: UInt8) -> Bool { kind >= Kind.optional }

  package init(from reader: inout ByteReader) throws(WireError) {
    let kind = try reader.byte()
    parents = try reader.sortedHashes()
    switch kind {
    case Kind.found: body = .found(try Founding(from: &reader))
    case Kind.merge: body = .merge(try Merge(from: &reader))
    case Kind.remove: body = .remove(try Removal(from: &reader))
    default:
      guard MembershipRecord.isOptional(kind) else { throw .unsupported }
      let author: ContentHash = try reader.bytes32()
      body = .other(
        kind: kind, author: author, payload: Array(try reader.bytes(atMost: Limits.membershipPayloadBytes)))
    }
    var signatures = [try reader.signature()]
    if kind == Kind.merge { signatures.append(try reader.signature()) }
    self.signatures = signatures
  }

  package func write(to writer: inout ByteWriter) {
    writeContent(to: &writer)
    for signature in signatures { writer.write(raw: signature.bytes) }
  }

  /// Everything but the signatures.
  func writeContent(to writer: inout ByteWriter) {
    writer.write(byte: kind)
    writer.write(varint: UInt64(parents.count))
    for parent in parents { writer.write(parent) }
    switch body {
    case .found(let founding): founding.write(to: &writer)
    case .merge(let merge): merge.write(to: &writer)
    case .remove(let removal): removal.write(to: &writer)
    case .other(_, let author, let payload):
      writer.write(author)
      writer.write(bytes: payload)
    }
  }

  private var kind: UInt8 {
    switch body {
    case .found: Kind.found
    case .merge: Kind.merge
    case .remove: Kind.remove
    case .other(let kind, _, _): kind
    }
  }
}

extension MembershipRecord.Founding: WireValue {
  package init(from reader: inout ByteReader) throws(WireError) {
    key = try reader.bytes32()
    recoveryKey = try reader.bytes32()
    name = try reader.text()
    environment = try Environment(code: try reader.byte())
    bundleId = try reader.text()
    storeRoot = try reader.flag() ? try reader.bytes32() : nil
  }

  package func write(to writer: inout ByteWriter) {
    writer.write(key)
    writer.write(recoveryKey)
    writer.write(text: name)
    writer.write(byte: environment.code)
    writer.write(text: bundleId)
    writer.write(byte: storeRoot == nil ? 0 : 1)
    if let storeRoot { writer.write(storeRoot) }
  }
}

extension MembershipRecord.Merge: WireValue {
  package init(from reader: inout ByteReader) throws(WireError) {
    group = try reader.bytes32()
    host = try reader.bytes32()
    joiner = try reader.bytes32()
  }

  package func write(to writer: inout ByteWriter) {
    for founding in [group, host, joiner] { writer.write(founding) }
  }
}

extension MembershipRecord.Removal: WireValue {
  package init(from reader: inout ByteReader) throws(WireError) {
    author = try reader.bytes32()
    isByRecoveryKey = try reader.flag()
    target = try reader.bytes32()
    cuts = try reader.cuts()
    counted = try reader.flag() ? try reader.cuts() : nil
  }

  package func write(to writer: inout ByteWriter) {
    writer.write(author)
    writer.write(byte: isByRecoveryKey ? 1 : 0)
    writer.write(target)
    writer.write(cuts: cuts)
    writer.write(byte: counted == nil ? 0 : 1)
    if let counted { writer.write(cuts: counted) }
  }
}

extension ByteWriter {
  fileprivate mutating func write(cuts: [Dot]) {
    write(varint: UInt64(cuts.count))
    for cut in cuts {
      write(cut.replica)
      write(varint: cut.sequence)
    }
  }
}

extension ByteReader {
  mutating func flag() throws(WireError) -> Bool {
    switch try byte() {
    case 0: false
    case 1: true
    default: throw .malformed
    }
  }

  mutating func signature() throws(WireError) -> Signature {
    guard let signature = Signature(try raw(Signature.byteCount)) else { throw .truncated }
    return signature
  }

  mutating func sortedHashes() throws(WireError) -> [ContentHash] {
    var hashes: [ContentHash] = []
    for _ in 0..<(try count(atMost: Limits.membershipParents)) {
      let hash: ContentHash = try bytes32()
      if let last = hashes.last, last >= hash { throw .malformed }
      hashes.append(hash)
    }
    return hashes
  }

  fileprivate mutating func cuts() throws(WireError) -> [Dot] {
    var cuts: [Dot] = []
    for _ in 0..<(try count(atMost: Limits.membershipCuts)) {
      let cut = Dot(replica: try identifier(), sequence: try varint())
      guard cut.sequence <= Limits.sequence else { throw .beyondLimit }
      guard cut.sequence > 0, cuts.last.map({ $0.replica < cut.replica }) ?? true else { throw .malformed }
      cuts.append(cut)
    }
    return cuts
  }
}
