// What is kept of the time: one row.
extension Store {
  /// What was kept of the time.
  package func loadTime() throws(StoreError) -> TrustedTime.Kept {
    let row = try database.prepare("SELECT made, floor, signed, peer FROM time")
    defer { row.reset() }
    guard try row.step() else { throw database.damaged("time") }
    var kept = TrustedTime.Kept()
    kept.made = try instant(row, 0)
    guard let floor = try instant(row, 1) else { return kept }
    if let signed = try instant(row, 2) {
      kept.evidence = TrustedTime.Evidence(instant: floor, voucher: .store(signed: signed))
    } else if let peer = row.identifier(3, DeviceID.self) {
      kept.evidence = TrustedTime.Evidence(instant: floor, voucher: .peer(peer))
    } else {
      throw database.damaged("time")
    }
    return kept
  }

  func write(_ evidence: TrustedTime.Evidence) throws(StoreError) {
    let statement = statements.floor
    statement.bind(1, evidence.instant.milliseconds)
    switch evidence.voucher {
    case .store(let date):
      statement.bind(2, date.milliseconds)
      statement.bindNull(3)
    case .peer(let device):
      statement.bindNull(2)
      statement.bind(3, device)
    }
    try statement.run()
  }

  /// Notes when the device was made, by its clock then.
  func insert(made: Instant) throws(StoreError) {
    let statement = try database.prepare("UPDATE time SET made = ?")
    statement.bind(1, made.milliseconds)
    try statement.run()
  }

  private func instant(_ row: Statement, _ column: Int32) throws(StoreError) -> Instant? {
    guard !row.isNull(column) else { return nil }
    guard let instant = Instant(milliseconds: row.integer(column)) else { throw database.damaged("time") }
    return instant
  }
}
