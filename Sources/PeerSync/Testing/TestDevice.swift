import PeerSyncCore

/// One device of a ``DeviceGroup``: what its user does, what happens to it, and what it answers.
///
/// What its user does is durable once the call returns. What the device does not do it refuses with ``Refused``.
public struct TestDevice: Sendable, CustomStringConvertible {
  let group: DeviceGroup
  let index: Int

  /// What people call it.
  public var name: String { group.testbed.devices[index] }
  /// Its name.
  public var description: String { name }

  // MARK: What its user does

  /// Buys a product. Something bought for good already is not bought again: the purchase that stands is the answer.
  ///
  /// - Parameters:
  ///   - quantity: how many units
  ///   - date: when; nil: now
  @discardableResult public func buy(_ product: String, quantity: Int = 1, at date: Instant? = nil)
    async throws -> Transaction
  {
    let id = await group.backend.draw() >> 1
    let order = PurchaseOrder(product, quantity: quantity, at: date)
    return try await transaction(.purchase(order, id: id))
  }

  /// Has all of a purchase taken back. Refunding it again changes nothing.
  ///
  /// - Returns: the transaction as it is then
  @discardableResult public func refund(_ transaction: Transaction) async throws -> Transaction {
    try await self.transaction(.refund(transaction: transaction.transactionId))
  }

  /// Spends credits: at once from what this device may spend, or after asking those that it reaches.
  ///
  /// - Parameter id: names the spend: asking for it again changes nothing. Nil: another spend each time
  /// - Returns: what is left on all devices, as far as this one knows
  @discardableResult public func spend(_ credit: String, _ amount: Int64 = 1, id: String? = nil)
    async throws -> Int64
  {
    let drawn = await group.backend.draw()
    let spending = Spending(credit: credit, amount: amount, id: id ?? "spend-\(drawn)")
    guard case .spent(let spent) = try await ask(.spend(spending)) else { throw unanswered }
    group.records.withLock { $0.note(spending) }
    return spent.balance
  }

  /// Writes an explicit date for a line. It stands in for every purchase of the line that is known here.
  public func setExpiration(of line: String, to date: Instant?) async throws {
    try await ask(.setExpiration(line: line, date))
  }

  /// Grants an entitlement that no purchase explains.
  public func grant(_ entitlement: String, until date: Instant? = nil) async throws {
    try await ask(.grant(entitlement: entitlement, until: date))
  }

  /// Takes back every grant of an entitlement.
  public func revoke(_ entitlement: String) async throws { try await ask(.revoke(entitlement: entitlement)) }

  /// Writes a value of the app.
  public func setValue(_ key: String, to value: String) async throws {
    try await ask(.setValue(key: key, Array(value.utf8)))
  }

  /// Cuts the device off from all others, or lets it back.
  public func setOnline(_ isOnline: Bool) async throws { try await ask(.setOnline(isOnline)) }

  // MARK: What happens to it

  /// The device dies at once, with what its disk does not have.
  ///
  /// Of a real daemon nothing is flushed and nobody hears a good-bye; what it had handed to the system is not lost.
  public func crash() async throws { try await group.backend.crash([index]) }

  /// Starts a device that is down from its disk.
  public func start() async throws { try await group.backend.start(index) }

  /// Crashes the device and starts it again.
  public func restart() async throws {
    try await crash()
    try await start()
  }

  /// Sets the wall clock so far ahead of the right time, or behind it. A real daemon is started again for it.
  ///
  /// Of several clocks that are wrong at once nobody can tell which are: then the checkers of virtual time do not look at what
  /// devices take for the present.
  public func setClock(off offset: Duration) async throws {
    try await group.backend.setClock(index, offset: offset.inMilliseconds)
  }

  // MARK: Asking

  @discardableResult private func ask(_ request: Request) async throws -> Answer {
    let answer = try await group.backend.perform(request, on: index)
    if let refusal = answer.refusal { throw Refused(name, refusal, request) }
    return answer
  }

  private func transaction(_ request: Request) async throws -> Transaction {
    guard case .transaction(let record) = try await ask(request) else { throw unanswered }
    group.records.withLock { $0.note(record.transaction, on: name) }
    return record.transaction
  }

  private var unanswered: TestFailure {
    TestFailure(.broken(.answers), "\(name) answers something else than it was asked")
  }
}
