import PeerSync

/// What stands above a column of a ``Table``, and how it gives way where the terminal is narrow.
package struct Column: Sendable {
  /// The least important columns go first.
  package enum Importance: Int, Comparable, Sendable {
    case extra, useful, wanted, essential

    package static func < (left: Importance, right: Importance) -> Bool { left.rawValue < right.rawValue }
  }

  let title: Phrase
  let importance: Importance
  /// Whether its cells may be cut; an id or a date is of no use when it is.
  let isCut: Bool
  /// Whether they are cut in the middle: of names that begin alike the end tells which is meant.
  private(set) var isName = false
  /// Whether it stays where it says nothing.
  private(set) var isKept = false

  private init(_ title: Phrase, _ importance: Importance, isCut: Bool) {
    (self.title, self.importance, self.isCut) = (title, importance, isCut)
  }

  /// One that is cut where it must be.
  package static func text(_ title: Phrase, _ importance: Importance = .essential) -> Column {
    Column(title, importance, isCut: true)
  }

  /// One of names, which are cut in the middle where they must be.
  package static func name(_ title: Phrase, _ importance: Importance = .essential) -> Column {
    var column = text(title, importance)
    column.isName = true
    return column
  }

  /// The same, shown as well where it has nothing but dashes.
  package var kept: Column {
    var column = self
    column.isKept = true
    return column
  }

  /// One whose cells are shown whole or not at all.
  package static func whole(_ title: Phrase, _ importance: Importance = .essential) -> Column {
    Column(title, importance, isCut: false)
  }
}
