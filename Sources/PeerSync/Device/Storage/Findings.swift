/// What did not fit when the storage was read.
struct Findings {
  /// Rows that were left out, by table.
  private var counts: [StorageTable: Int] = [:]
  /// What the registers among them are called, as far as their keys tell.
  private var names: [String] = []
  private var others: [String] = []
  /// Whether something is gone that says what this device knows.
  private(set) var concernsLedger = false
  /// Whether a number of this device's own credits may be gone: then it could give out rights twice.
  private(set) var concernsCredits = false

  /// Most registers that are named.
  private static let namesLimit = 16

  var isEmpty: Bool { counts.isEmpty && others.isEmpty }

  func concerns(_ table: StorageTable) -> Bool { counts[table] != nil }

  mutating func leaveOut(_ table: StorageTable) {
    counts[table, default: 0] += 1
    if table.isLedger { concernsLedger = true }
  }

  mutating func leaveOut(register key: [UInt8]) {
    leaveOut(.registers)
    let known = try? RegisterKey(decoding: key[...])
    if known?.kind ?? .credit == .credit { concernsCredits = true }
    if names.count < Self.namesLimit {
      names.append(known?.told.text(in: .english) ?? "one whose name is lost")
    }
  }

  /// Rows are missing, and nobody can tell which.
  mutating func miss(_ what: String) {
    others.append(what)
    (concernsLedger, concernsCredits) = (true, true)
  }

  /// Something that is not a row, and is put right.
  mutating func note(_ what: String) { others.append(what) }

  /// For people, a phrase each.
  var phrases: [String] {
    let tables = StorageTable.allCases.compactMap { table -> String? in
      guard let count = counts[table] else { return nil }
      guard table == .registers else { return "\(count) row\(count == 1 ? "" : "s") of \(table.name)" }
      let named = names.joined(separator: ", ") + (count > names.count ? ", …" : "")
      return "\(count) register\(count == 1 ? "" : "s") (\(named))"
    }
    return tables + others
  }
}
