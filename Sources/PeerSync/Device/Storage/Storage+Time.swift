// What is kept of the time: a row of when the device was made and what the store vouches for, one of how long it has run, what a person
// decided and by how much the bounds were ahead that fell last, and one for each other member. Whether a person may decide stands with
// the identity, and so in the second copy.
extension Storage {
  /// What was kept of the time.
  package func loadTime() throws(StorageError) -> TrustedTime.Persisted {
    var kept = TrustedTime.Persisted()
    try scan(.time) { row in
      guard let time = Self.time(row) else { return false }
      kept = time
      return true
    }
    // One that an earlier version has left: there was one floor for all, and its row stands until it is written anew.
    isTimeOld = !kept.peers.isEmpty
    try scan(.running) { row in
      guard row.isInstant(2) else { return false }
      kept.ran = row.integer(1)
      kept.accepted = row.instant(2)
      guard !row.isNull(4) else { return true }
      guard let replica = row.identifier(5, ReplicaID.self), row.isInstant(7), let fell = row.instant(7)
      else { return false }
      kept.fallen = FallenBounds(
        lead: row.integer(4), last: Dot(replica: replica, sequence: row.bits(6)), fell: fell)
      return true
    }
    kept.mayAccept = identity?.mayAcceptTime ?? false
    try scan(.bounds) { row in
      guard let peer = Self.peer(row) else { return false }
      kept.peers.append(peer)
      return true
    }
    kept.peers.sort { $0.device < $1.device }
    return kept
  }

  private static func time(_ row: Statement) -> TrustedTime.Persisted? {
    guard row.isInstant(1), row.isInstant(3) else { return nil }
    let (made, origin) = (row.instant(1), row.integer(2))
    guard !row.isNull(2) else { return TrustedTime.Persisted(made: made) }
    if let signed = row.instant(3) {
      return TrustedTime.Persisted(made: made, store: TrustedTime.Bound(origin: origin, vouched: signed))
    }
    guard let peer = row.identifier(4, DeviceID.self), let floor = Instant(milliseconds: origin) else {
      return nil
    }
    return TrustedTime.Persisted(
      made: made, evidence: TrustedTime.Evidence(instant: floor, voucher: .peer(peer)))
  }

  private static func peer(_ row: Statement) -> TrustedTime.Peer? {
    guard let device = row.identifier(0, DeviceID.self), row.isInstant(3) else { return nil }
    var peer = TrustedTime.Peer(device: device, since: row.isNull(1) ? nil : row.integer(1))
    if let vouched = row.instant(3), !row.isNull(2) {
      peer.bound = TrustedTime.Bound(origin: row.integer(2), vouched: vouched)
    }
    return peer
  }

  /// Writes what has changed since it was written last.
  func write(_ later: TrustedTime.Persisted) throws(StorageError) {
    guard !isTimeOld else {
      time.take(later)
      return try writeTime()
    }
    let before = time
    time.take(later)
    if (time.made, time.store) != (before.made, before.store) { try writeStore() }
    try writeRunning()
    let known = Dictionary(before.peers.map { ($0.device, $0) }) { first, _ in first }
    for peer in time.peers where known[peer.device] != peer { try write(peer) }
    let left = Set(time.peers.map(\.device))
    for peer in before.peers where !left.contains(peer.device) {
      statements.time.noBound.bind(1, peer.device)
      try statements.time.noBound.run()
    }
  }

  /// Writes all of it into tables that hold nothing of other devices.
  func writeTime() throws(StorageError) {
    isTimeOld = false
    try writeStore()
    try writeRunning()
    for peer in time.peers { try write(peer) }
  }

  private func writeStore() throws(StorageError) {
    let row = statements.time.store
    row.add(1)
    row.add(orNull: time.made?.milliseconds)
    row.add(orNull: time.store?.origin)
    row.add(orNull: time.store?.vouched.milliseconds)
    // Of the one floor that there was for all.
    row.addNull()
    try row.run()
  }

  private func writeRunning() throws(StorageError) {
    let row = statements.time.running
    row.add(1)
    row.add(time.ran)
    row.add(orNull: time.accepted?.milliseconds)
    row.add(time.mayAccept ? 1 : 0)
    if let fallen = time.fallen {
      row.add(fallen.lead)
      row.add(fallen.last.replica)
      row.add(bits: fallen.last.sequence)
      row.add(fallen.fell.milliseconds)
    } else {
      for _ in 0..<4 { row.addNull() }
    }
    try row.run()
  }

  private func write(_ peer: TrustedTime.Peer) throws(StorageError) {
    let row = statements.time.bound
    row.add(peer.device)
    row.add(orNull: peer.since)
    row.add(orNull: peer.bound?.origin)
    row.add(orNull: peer.bound?.vouched.milliseconds)
    try row.run()
  }
}

/// The statements that write what is kept of the time.
final class TimeStatements {
  let store: RowWriter
  let running: RowWriter
  let bound: RowWriter
  let noBound: Statement

  init(_ database: Database) throws(StorageError) {
    store = try RowWriter(.time, database)
    running = try RowWriter(.running, database)
    bound = try RowWriter(.bounds, database)
    noBound = try database.prepare("DELETE FROM bounds WHERE device = ?", changing: .bounds)
  }
}

extension RowWriter {
  fileprivate func add(orNull number: Int64?) {
    if let number { add(number) } else { addNull() }
  }
}

extension Statement {
  /// Whether a column holds an instant, or nothing.
  fileprivate func isInstant(_ column: Int32) -> Bool { isNull(column) || instant(column) != nil }

  fileprivate func instant(_ column: Int32) -> Instant? {
    isNull(column) ? nil : Instant(milliseconds: integer(column))
  }
}
