// The messages by which devices move rights to credits.
extension ByteWriter {
  mutating func write(_ rights: RightsTotal) {
    write(text: rights.credit)
    write(varint: UInt64(clamping: rights.total))
  }
}

extension ByteReader {
  mutating func rightsTotal() throws(WireError) -> RightsTotal {
    let credit = try text()
    let total = try varint()
    guard let total = Int64(exactly: total), total <= Limits.creditTotal else { throw .beyondLimit }
    return RightsTotal(credit: credit, total: total)
  }
}
