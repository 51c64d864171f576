/// What became of a ``Request``.
public enum Answer: Hashable, Sendable {
  /// Done and durable; so many registers changed.
  case done(changed: Int)
  /// The explicit date that a line has now, as it was decided at that time.
  case expiration(ExpirationRegister, written: Instant)
  /// The purchase, bought or refunded now or before.
  case transaction(TransactionRecord)
  /// The invitation is open; this device listens there. Nil: it has no address that others could be told.
  case invited(at: Address?)
  /// What the peer that was asked has dialled: nothing where it did not answer in time or knows of no address; nil: nobody is
  /// connected.
  case dialledBack(by: DeviceID?, [DialledAddress])
  /// Spent and durable, now or before under the same id.
  case spent(Spent)
  /// Not done, and why.
  case refused(Refusal)
}

extension Answer {
  /// Why the request was refused; nil: it was not.
  public var refusal: Refusal? { if case .refused(let refusal) = self { refusal } else { nil } }
}
