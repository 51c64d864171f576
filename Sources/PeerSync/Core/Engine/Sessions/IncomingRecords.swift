/// Membership records on their way, in several messages.
package struct IncomingRecords: Sendable {
  private var records: [MembershipRecord] = []

  package init() {}

  /// Puts the parts of a list together.
  ///
  /// - Returns: the whole list once its last part is here; another may come after it
  package mutating func take(_ part: RecordsPart) throws(CloseReason) -> [MembershipRecord]? {
    records += part.records
    guard records.count <= Limits.membershipOffered else { throw .beyondLimit }
    guard part.isLast else { return nil }
    defer { records = [] }
    return records
  }
}
