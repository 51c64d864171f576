// Refunds by the store that a device simulates for itself.
extension Engine {
  /// Takes all of a purchase back, in a newer snapshot. Refunding it again changes nothing.
  ///
  /// - Parameter reference: how the ledger names it, see ``TransactionRecord/reference``
  /// - Returns: nil while the store has to sign it
  mutating func refund(
    _ reference: String, as request: RequestID, now: Now, _ effects: inout Effects
  ) -> Answer? {
    guard identity.environment != .production else { return .refused(.purchase(.realStore(.refund))) }
    guard let record = holdings.ledger({ $0.transaction(reference) }) else {
      return .refused(.purchase(.unknownTransaction(reference)))
    }
    let time = time(at: now).now
    guard time.canBeSigned else { return .refused(.purchase(.wrongClock(time))) }
    guard record.transaction.refund != .full else { return .transaction(record) }
    if joinDraft(request, where: { $0.reference == record.reference }) { return nil }
    var refunded = record.transaction
    refunded.verification = .simulated
    refunded.refund(at: time, signed: max(time, refunded.signedDate.advanced(byMilliseconds: 1)))
    draft(TransactionRecord(transaction: refunded, device: record.device), for: request, &effects)
    return nil
  }
}
