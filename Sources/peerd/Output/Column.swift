/// What stands above a column of a ``Table``, and how it gives way where the terminal is narrow.
package struct Column: ExpressibleByStringLiteral, Sendable {
  /// The least important columns go first.
  package enum Importance: Int, Comparable, Sendable {
    case extra, useful, essential

    package static func < (left: Importance, right: Importance) -> Bool { left.rawValue < right.rawValue }
  }

  let title: String
  let importance: Importance
  /// Whether its cells may be cut; an id or a date is of no use when it is.
  let isCut: Bool

  /// One that stays, and is cut where it must be.
  package init(stringLiteral title: String) { self.init(title, .essential, isCut: true) }

  private init(_ title: String, _ importance: Importance, isCut: Bool) {
    (self.title, self.importance, self.isCut) = (title, importance, isCut)
  }

  /// One that is cut where it must be.
  package static func text(_ title: String, _ importance: Importance) -> Column {
    Column(title, importance, isCut: true)
  }

  /// One whose cells are shown whole or not at all.
  package static func whole(_ title: String, _ importance: Importance = .essential) -> Column {
    Column(title, importance, isCut: false)
  }
}
