// Refunds by the store that a device simulates for itself.
extension Drafts {
  /// Takes all of a purchase back, in a newer snapshot. Refunding it again changes nothing.
  ///
  /// - Parameter reference: how the ledger names it, see ``TransactionRecord/reference``
  /// - Returns: nil while the store has to sign it
  package mutating func refund(
    _ reference: String, as request: RequestID, of identity: Identity,
    _ holdings: inout Holdings, _ timekeeper: inout Timekeeper, now: Now, _ effects: inout Effects
  ) -> Answer? {
    guard identity.environment != .production else { return .refused(.purchase(.realStore(.refund))) }
    guard let record = holdings.ledger({ $0.transaction(reference) }) else {
      return .refused(.purchase(.unknownTransaction(reference)))
    }
    let time = holdings.time(at: now, by: &timekeeper).now
    guard time.canBeSigned else { return .refused(.purchase(.wrongClock(time))) }
    guard record.transaction.refund != .full else { return .transaction(record) }
    if join(request, where: { $0.reference == record.reference }) { return nil }
    var refunded = record.transaction
    refunded.verification = .simulated
    refunded.refund(at: time, signed: max(time, refunded.signedDate.advanced(byMilliseconds: 1)))
    add(TransactionRecord(transaction: refunded, device: record.device), for: request, &effects)
    return nil
  }
}
