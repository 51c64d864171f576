/// Decides what a reader of changes is told.
package struct ChangeTracker: Sendable {
  private let known: UInt64?
  private var last: StatusAnswer?

  /// - Parameter known: the revision that the reader knows already
  package init(since known: UInt64?) { self.known = known }

  /// What to tell of how things stand now; nil when nothing differs from what the reader knows.
  package mutating func take(_ status: StatusAnswer, revision: UInt64) -> ChangeAnswer? {
    defer { last = status }
    let changed = status.changes(since: last)
    guard !changed.isEmpty, last != nil || revision != known else { return nil }
    return ChangeAnswer(revision: revision, changed: changed, status: status)
  }
}
