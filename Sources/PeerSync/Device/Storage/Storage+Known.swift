// What was known hour by hour: a row for each mark.
extension Storage {
  func loadHistory() throws(StorageError) -> VectorHistory {
    var history = VectorHistory()
    try scan(.known) { row in
      guard let replica = row.identifier(1, ReplicaID.self) else { return false }
      history.apply([VectorHistory.Entry(hour: row.integer(0), replica: replica, sequence: row.bits(2))])
      return true
    }
    return history
  }
}

/// The statements that write what was known when.
final class KnownStatements {
  private let mark: RowWriter
  private let noMark: Statement

  init(_ database: Database) throws(StorageError) {
    mark = try RowWriter(.known, database)
    noMark = try database.prepare("DELETE FROM known WHERE hour = ? AND replica = ?", changing: .known)
  }

  func write(_ entry: VectorHistory.Entry) throws(StorageError) {
    guard let sequence = entry.sequence else {
      noMark.bind(1, entry.hour)
      noMark.bind(2, entry.replica)
      return try noMark.run()
    }
    mark.add(entry.hour)
    mark.add(entry.replica)
    mark.add(bits: sequence)
    try mark.run()
  }
}
