// Explicit dates for lines.
extension Engine {
  /// Writes an explicit date for a line. It stands in for every purchase of the line known here; all others, known elsewhere
  /// or made later, are counted on top.
  mutating func setExpiration(
    of line: String, to expires: Instant?, now: Now, _ effects: inout Effects
  ) -> Answer {
    guard ledger({ $0.knowsLine(line) }) else {
      return .refused(.unknownLine(line, known: ledger { $0.view(at: now.wall).lines.map(\.id) }))
    }
    let register = ExpirationRegister(expires: expires, covers: ledger { $0.transactionIds(ofLine: line) })
    guard register.isWithinLimits else { return .refused(.tooManyPurchases) }
    let write = LocalWrite(key: RegisterKey.expiration(line: line).encoded, value: register.encoded)
    let answer = self.write([write], now: now, &effects)
    return answer.refusal == nil ? .expiration(register, written: now.wall) : answer
  }
}
