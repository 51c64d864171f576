/// Membership records on their way, in several messages.
package struct IncomingRecords: Sendable {
  private var records: [MembershipRecord] = []
  /// How much of a list is here that is not whole yet.
  package private(set) var bytes = 0

  package init() {}

  /// Puts the parts of a list together.
  ///
  /// - Returns: the whole list once its last part is here; another may come after it
  package mutating func take(_ part: RecordsPart) throws(CloseReason) -> [MembershipRecord]? {
    records += part.records
    bytes += part.records.encodedBytes
    guard records.count <= Limits.membershipOffered, bytes <= Limits.heldBytes else { throw .beyondLimit }
    guard part.isLast else { return nil }
    defer { self = IncomingRecords() }
    return records
  }
}

extension Array where Element == MembershipRecord {
  /// How many bytes they take on the wire, and about in memory.
  package var encodedBytes: Int { reduce(0) { $0 + $1.encoded.count } }
}
