/// What is still to be posted, and when. The first attempt is made at once; after a failure the pause doubles from a
/// second, and after ``Limits/shopAttempts`` attempts that is it.
package struct ShopCourier {
  /// One notification on its way to one server.
  package struct Parcel: Hashable, Sendable {
    package let number: UInt64
    let server: LocalServer
    var tries = 0
    /// On the monotonic clock, in milliseconds.
    var due: UInt64 = 0
  }

  /// Attempts that may be under way at a time.
  private static let most = 8

  private let servers: [LocalServer]
  private var waiting: [Parcel] = []
  private var underWay: Set<Parcel> = []

  package init(_ servers: [LocalServer], undelivered: [ShopNotification]) {
    self.servers = servers
    // A store that posted nothing until now does not begin with what is past.
    guard let last = undelivered.lastIndex(where: { !$0.attempts.isEmpty }) else { return }
    for (index, told) in undelivered.enumerated()
    where !told.isDelivered && told.attempts.count < Limits.shopAttempts
      && (index > last || !told.attempts.isEmpty)
    {
      add(told.number)
    }
  }

  package mutating func add(_ number: UInt64) {
    for server in servers { waiting.append(Parcel(number: number, server: server)) }
    if waiting.count > Limits.shopNotifications {
      waiting.removeFirst(waiting.count - Limits.shopNotifications)
    }
  }

  /// The next one that may go.
  package mutating func next(at time: UInt64) -> Parcel? {
    guard underWay.count < ShopCourier.most, let index = waiting.firstIndex(where: { $0.due <= time }) else {
      return nil
    }
    let parcel = waiting.remove(at: index)
    underWay.insert(parcel)
    return parcel
  }

  /// When the next one that has to wait may go.
  package var nextDue: UInt64? { underWay.count < ShopCourier.most ? waiting.map(\.due).min() : nil }

  /// - Returns: whether nothing more is to be done for the notification
  package mutating func posted(_ parcel: Parcel, _ result: String, at time: UInt64) -> Bool {
    underWay.remove(parcel)
    var again = parcel
    again.tries += 1
    if result != "SUCCESS", again.tries < Limits.shopAttempts {
      again.due = time + 1000 << UInt64(again.tries - 1)
      waiting.append(again)
    }
    return !waiting.contains { $0.number == parcel.number }
      && !underWay.contains { $0.number == parcel.number }
  }
}
