/// Rows of text in columns as wide as their widest cell, or as wide as the terminal lets them be.
package struct Table {
  private let columns: [Column]
  private let limit: Int?
  private var rows: [[String]] = []

  /// What a column that is cut keeps at least, before less important ones go.
  private static let least = 10
  private static let gap = 2

  /// - Parameters:
  ///   - columns: what stands above them
  ///   - limit: columns of the terminal; nil: as many as it takes
  package init(_ columns: [Column], style: Style, limit: Int? = nil) {
    self.columns = columns
    self.limit = limit
    rows.append(columns.map { style.faint($0.title) })
  }

  package mutating func add(_ cells: [String]) {
    rows.append(cells.prefix(columns.count).map(Table.harmless))
  }

  package var text: String {
    var widths = columns.map { TextWidth.columns($0.title) }
    for row in rows {
      for (column, cell) in row.enumerated() { widths[column] = max(widths[column], TextWidth.columns(cell)) }
    }
    let shown = fit(&widths)
    return rows.map { row in
      let cells = shown.compactMap { $0 < row.count ? TextWidth.cut(row[$0], to: widths[$0]) : nil }
      return zip(cells, shown).enumerated().map { place, cell in
        place == cells.count - 1
          ? cell.0
          : cell.0 + String(repeating: " ", count: widths[cell.1] - TextWidth.columns(cell.0) + Self.gap)
      }.joined() + "\n"
    }.joined()
  }

  /// Makes the columns fit: first the least important ones go, then what may be cut is cut, at last anything.
  ///
  /// - Returns: the columns that are shown
  private func fit(_ widths: inout [Int]) -> [Int] {
    var shown = Array(columns.indices)
    guard let limit else { return shown }
    func total(_ widths: [Int]) -> Int { shown.reduce(-Self.gap) { $0 + widths[$1] + Self.gap } }
    let least = columns.indices.map { columns[$0].isCut ? min(widths[$0], Self.least) : widths[$0] }
    while total(least) > limit, let place = leastImportant(of: shown) { shown.remove(at: place) }
    while total(widths) > limit {
      let soft = shown.filter { columns[$0].isCut && widths[$0] > Self.least }
      let candidates = soft.isEmpty ? shown : soft
      guard let widest = candidates.max(by: { widths[$0] < widths[$1] }), widths[widest] > 1 else { break }
      widths[widest] -= 1
    }
    return shown
  }

  private func leastImportant(of shown: [Int]) -> Int? {
    shown.indices.filter { columns[shown[$0]].importance < .essential }
      .min { left, right in
        let (first, second) = (columns[shown[left]].importance, columns[shown[right]].importance)
        return first == second ? left > right : first < second
      }
  }

  /// A name from another device must not move the cursor or colour what follows: only this program's own colours pass.
  static func harmless(_ cell: String) -> String {
    guard cell.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
      return cell
    }
    var result = ""
    var rest = cell[...]
    while let scalar = rest.unicodeScalars.first {
      if let colour = rest.prefixMatch(of: #/\u{1b}\[(0|1|2|31|32|33)m/#) {
        result += colour.output.0
        rest = rest[colour.range.upperBound...]
      } else {
        result.unicodeScalars.append(scalar.properties.generalCategory == .control ? "\u{fffd}" : scalar)
        rest = rest[rest.unicodeScalars.index(after: rest.startIndex)...]
      }
    }
    return result
  }
}
