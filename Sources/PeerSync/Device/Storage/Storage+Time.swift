// What is kept of the time: one row.
extension Storage {
  /// What was kept of the time.
  package func loadTime() throws(StorageError) -> TrustedTime.Persisted {
    var kept = TrustedTime.Persisted()
    try scan(.time) { row in
      guard let time = Self.time(row) else { return false }
      kept = time
      return true
    }
    return kept
  }

  private static func time(_ row: Statement) -> TrustedTime.Persisted? {
    var kept = TrustedTime.Persisted()
    guard let instants = instants(row) else { return nil }
    kept.made = instants[0]
    guard let floor = instants[1] else { return kept }
    if let signed = instants[2] {
      kept.evidence = TrustedTime.Evidence(instant: floor, voucher: .store(signed: signed))
    } else if let peer = row.identifier(4, DeviceID.self) {
      kept.evidence = TrustedTime.Evidence(instant: floor, voucher: .peer(peer))
    } else {
      return nil
    }
    return kept
  }

  func write(_ evidence: TrustedTime.Evidence) throws(StorageError) {
    time.evidence = evidence
    try write(time)
  }

  func write(_ time: TrustedTime.Persisted) throws(StorageError) {
    let row = statements.time
    row.add(1)
    row.add(time.made)
    row.add(time.evidence?.instant)
    switch time.evidence?.voucher {
    case .store(let date):
      row.add(date)
      row.addNull()
    case .peer(let device):
      row.addNull()
      row.add(device)
    case nil:
      row.addNull()
      row.addNull()
    }
    try row.run()
  }

  /// The instants of a row, from the second column on; nil when one is out of range.
  private static func instants(_ row: Statement) -> [Instant?]? {
    var instants: [Instant?] = []
    for column in Int32(1)...3 {
      let instant = Instant(milliseconds: row.integer(column))
      guard row.isNull(column) || instant != nil else { return nil }
      instants.append(row.isNull(column) ? nil : instant)
    }
    return instants
  }
}

extension RowWriter {
  fileprivate func add(_ instant: Instant?) {
    if let instant { add(instant.milliseconds) } else { addNull() }
  }
}
