// The messages by which devices exchange their membership records, and by which one joins.
extension ByteWriter {
  mutating func write(_ hashes: [ContentHash]) {
    for hash in hashes { write(hash) }
  }

  mutating func write(_ part: RecordsPart) {
    write(byte: part.isLast ? 1 : 0)
    write(varint: UInt64(part.records.count))
    for record in part.records { write(record) }
  }

  mutating func write(_ record: MembershipRecord) { record.write(to: &self) }

  mutating func write(_ introduction: Introduction) {
    write(introduction.key)
    write(raw: introduction.signature.bytes)
    introduction.proposal.write(to: &self)
  }

  mutating func write(_ consent: Consent) {
    write(raw: consent.signature.bytes)
    write(raw: consent.countersignature.bytes)
  }
}

extension ByteReader {
  /// Hashes fill the rest of a body.
  mutating func contentHashes() throws(WireError) -> [ContentHash] {
    guard remaining <= 32 * Limits.membershipOffered else { throw .beyondLimit }
    guard remaining % 32 == 0 else { throw .truncated }
    var hashes: [ContentHash] = []
    while remaining > 0 { hashes.append(try bytes32()) }
    return hashes
  }

  mutating func recordsPart() throws(WireError) -> RecordsPart {
    let isLast = try flag()
    var records: [MembershipRecord] = []
    for _ in 0..<(try count(atMost: Limits.membershipOffered)) { records.append(try membershipRecord()) }
    return RecordsPart(records: records, isLast: isLast)
  }

  mutating func membershipRecord() throws(WireError) -> MembershipRecord {
    try MembershipRecord(from: &self)
  }

  mutating func introduction() throws(WireError) -> Introduction {
    Introduction(key: try bytes32(), signature: try signature(), proposal: try MergeProposal(from: &self))
  }

  mutating func consent() throws(WireError) -> Consent {
    Consent(signature: try signature(), countersignature: try signature())
  }
}
