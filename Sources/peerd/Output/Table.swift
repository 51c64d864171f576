import PeerSync

/// Rows of text in columns as wide as their widest cell, or as wide as the terminal lets them be.
package struct Table {
  private let columns: [Column]
  private let titles: [String]
  private let limit: Int?
  private var rows: [[String]] = []

  /// What a column that is cut keeps at least, before less important ones go.
  private static func least(_ importance: Column.Importance) -> Int { importance == .essential ? 24 : 12 }
  /// What one that is wanted keeps, before less wanted ones go.
  private static let wantedLeast = 20
  /// What it keeps when there are no others left to go.
  private static let least = 10
  private static let gap = 2

  /// - Parameters:
  ///   - columns: what stands above them
  ///   - limit: columns of the terminal; nil: as many as it takes
  ///   - language: the reader's
  package init(_ columns: [Column], style: Style, limit: Int? = nil, language: SentenceLanguage = .english) {
    self.columns = columns
    self.limit = limit
    titles = columns.map { $0.title.text(in: language) }
    rows.append(titles.map(style.faint))
  }

  package mutating func add(_ cells: [String]) {
    rows.append(cells.prefix(columns.count).map(Style.harmless))
  }

  package var text: String {
    var widths = titles.map(TextWidth.columns)
    for row in rows {
      for (column, cell) in row.enumerated() { widths[column] = max(widths[column], TextWidth.columns(cell)) }
    }
    let shown = fit(&widths)
    let isNarrow = limit.map { total(widths, shown) > $0 } ?? false
    return rows.map { row in
      // Nothing is of use that is cut any further: the cells stand one behind the other.
      guard !isNarrow else { return Self.broken(shown.compactMap { $0 < row.count ? row[$0] : nil }, limit) }
      let cells = shown.compactMap {
        $0 < row.count ? TextWidth.cut(row[$0], to: widths[$0], inMiddle: columns[$0].isName) : nil
      }
      let padded = zip(cells, shown).map { cell, column in
        cell + String(repeating: " ", count: widths[column] - TextWidth.columns(cell) + Self.gap)
      }
      // Nothing stands behind the last cell that says something.
      let row = padded.joined()
      return String(row[..<(row.lastIndex { $0 != " " }.map(row.index(after:)) ?? row.startIndex)]) + "\n"
    }.joined()
  }

  private static func broken(_ cells: [String], _ limit: Int?) -> String {
    let line = cells.joined(separator: "  ")
    return (limit.map { TextWidth.wrap(line, to: $0, hanging: gap) } ?? line) + "\n"
  }

  /// Makes the columns fit: first those go that say nothing, then the least important ones, then what may be cut is cut.
  ///
  /// - Returns: the columns that are shown
  private func fit(_ widths: inout [Int]) -> [Int] {
    var shown = columns.indices.filter(saysSomething)
    guard let limit else { return shown }
    func least(_ place: Int, before going: Column.Importance) -> Int {
      let column = columns[place]
      let isKept = going == .wanted && column.importance == .wanted
      return column.isCut
        ? min(widths[place], isKept ? Self.wantedLeast : Self.least(column.importance)) : widths[place]
    }
    // An extra column is not worth that another is cut.
    while total(widths, shown) > limit, let place = leastImportant(of: shown, below: .useful) {
      shown.remove(at: place)
    }
    for going in [Column.Importance.wanted, .essential] {
      let least = columns.indices.map { least($0, before: going) }
      while total(least, shown) > limit, let place = leastImportant(of: shown, below: going) {
        shown.remove(at: place)
      }
    }
    for least in [Self.least(.essential), Self.least] {
      while total(widths, shown) > limit {
        let soft = shown.filter { columns[$0].isCut && widths[$0] > least }
        guard let widest = soft.max(by: { widths[$0] < widths[$1] }) else { break }
        widths[widest] -= 1
      }
    }
    return shown
  }

  private func total(_ widths: [Int], _ shown: [Int]) -> Int {
    shown.reduce(-Self.gap) { $0 + widths[$1] + Self.gap }
  }

  /// Whether a column has anything but dashes below its title; the first one always stays, and one that is kept.
  private func saysSomething(_ column: Int) -> Bool {
    column == 0 || rows.count == 1 || columns[column].isKept
      || rows.dropFirst().contains { column < $0.count && !["", "–"].contains($0[column]) }
  }

  private func leastImportant(of shown: [Int], below importance: Column.Importance) -> Int? {
    shown.indices.filter { columns[shown[$0]].importance < importance }
      .min { left, right in
        let (first, second) = (columns[shown[left]].importance, columns[shown[right]].importance)
        return first == second ? left > right : first < second
      }
  }
}
