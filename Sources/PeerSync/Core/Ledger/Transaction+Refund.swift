extension Transaction {
  /// Makes it the snapshot by which the store takes the purchase back.
  ///
  /// - Parameters:
  ///   - signed: when the store signs it; nil: at the same time
  ///   - milliunits: the part that stays; nil: nothing stays
  package mutating func refund(at date: Instant, signed: Instant? = nil, keeping milliunits: Int? = nil) {
    signedDate = signed ?? date
    revocationDate = date
    revocationReason = 0
    revocationType = milliunits == nil ? .refundFull : .refundProrated
    revocationPercentage = milliunits.map { Transaction.wholeMilliunits - $0 }
  }
}
