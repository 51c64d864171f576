/// The records by which a device leaves a group.
struct Leavings {
  private(set) var records: [Int] = []
  /// What it knew each time, and the records themselves. Nil: it has not left.
  private(set) var known: RecordSet?

  init() {}

  init(_ records: [Int], _ membership: Membership) {
    self.records = records
    known = RecordSet.common(records.map { membership.ancestors(of: [$0]) })
  }
}
