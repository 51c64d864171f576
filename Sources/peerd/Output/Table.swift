/// Rows of text in columns as wide as their widest cell.
package struct Table {
  private var rows: [[String]] = []

  /// - Parameter header: what stands above the columns
  package init(_ header: [String], style: Style) { rows.append(header.map(style.faint)) }

  package mutating func add(_ cells: [String]) { rows.append(cells.map(Table.harmless)) }

  package var text: String {
    var widths: [Int] = []
    for row in rows {
      for (column, cell) in row.enumerated() {
        if column == widths.count { widths.append(0) }
        widths[column] = max(widths[column], Table.width(cell))
      }
    }
    return rows.map { row in
      let cells = row.enumerated().map { column, cell in
        column == row.count - 1
          ? cell : cell + String(repeating: " ", count: widths[column] - Table.width(cell) + 2)
      }
      return cells.joined() + "\n"
    }.joined()
  }

  /// Characters that a terminal shows: colours take no room.
  private static func width(_ text: String) -> Int { text.replacing(#/\u{1b}\[[0-9]+m/#, with: "").count }

  /// A name from another device must not move the cursor or colour what follows: only this program's own colours pass.
  static func harmless(_ cell: String) -> String {
    guard cell.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
      return cell
    }
    var result = ""
    var rest = cell[...]
    while let scalar = rest.unicodeScalars.first {
      if let colour = rest.prefixMatch(of: #/\u{1b}\[(0|1|2|31|32)m/#) {
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
