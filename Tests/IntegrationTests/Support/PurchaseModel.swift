import Foundation
import PeerSync

/// What a group must answer for the purchases that its devices acknowledged, computed apart from PeerSync: with
/// Foundation's calendar, and by the rule of runs as a person would say it.
struct PurchaseModel {
  struct Bought {
    let id: String
    let product: String
    let date: Date
    let quantity: Int
    var isRefunded = false
  }

  /// By transaction.
  private(set) var bought: [String: Bought] = [:]
  /// The explicit date written last, with the purchases it stands in for.
  private var explicit: (expires: Date?, covers: Set<String>)?

  private static let months = ["3monthsOfRandom": 3, "6monthsOfRandom": 6]
  private static let owlsOfOne = 5

  mutating func buy(_ transaction: TransactionAnswer) {
    guard bought[transaction.transactionId] == nil else { return }
    bought[transaction.transactionId] = Bought(
      id: transaction.transactionId, product: transaction.productId, date: Date(transaction.purchaseDate),
      quantity: transaction.quantity)
  }

  mutating func refund(_ id: String) { bought[id]?.isRefunded = true }

  mutating func setExpiration(_ answer: ExpirationAnswer) {
    explicit = (answer.expires.map(Date.init), Set(answer.covers))
  }

  private var standing: [Bought] { bought.values.filter { !$0.isRefunded } }

  /// When the random owls end.
  var expires: Date? { runs.last?.end }

  /// The unbroken stretches of cover by random owls. What an explicit date states began before anything else.
  private var runs: [(start: Date, end: Date)] {
    var runs = explicit?.expires.map { [(start: Date.distantPast, end: $0)] } ?? []
    var anchor = explicit?.expires ?? .distantPast
    var months = 0
    for purchase in standing.sorted(by: { $0.date < $1.date }) where !isCovered(purchase) {
      guard let length = Self.months[purchase.product] else { continue }
      if let last = runs.last, purchase.date < last.end {
        months += length * purchase.quantity
      } else {
        runs.append((purchase.date, purchase.date))
        anchor = purchase.date
        months = length * purchase.quantity
      }
      runs[runs.count - 1].end =
        Self.calendar.date(byAdding: .month, value: months, to: anchor) ?? .distantPast
    }
    return runs
  }

  private func isCovered(_ purchase: Bought) -> Bool { explicit?.covers.contains(purchase.id) == true }

  /// Credits left.
  var owls: Int64 {
    Int64(standing.filter { $0.product == "RandomOwls" }.map { $0.quantity * Self.owlsOfOne }.reduce(0, +))
  }

  /// Products bought for good.
  var purchased: [String] {
    standing.contains { $0.product == "CarefreeOwl" } ? ["CarefreeOwl"] : []
  }

  private static let calendar: Calendar = {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar
  }()
}

extension Date {
  init(_ instant: Instant) { self.init(timeIntervalSince1970: Double(instant.milliseconds) / 1000) }
}

extension PurchaseModel {
  /// What a device says wrongly; empty when all is right.
  func mistakes(of status: StatusAnswer, knowing transactions: [TransactionAnswer]) -> [String] {
    var mistakes: [String] = []
    func compare<Value: Equatable>(_ name: String, _ answer: Value, _ right: Value) {
      if answer != right { mistakes.append("\(name) is \(answer) and should be \(right)") }
    }
    let line = status.lines.first { $0.id == "random-owls" }
    compare("expires", line?.expires.map(Date.init), expires)
    compare("owls", status.credits.first { $0.id == "owls" }?.balance, owls)
    compare("purchased", status.purchased, purchased)
    let now = Date(status.time.now)
    let isActive = owls > 0 || runs.contains { $0.start <= now && now < $0.end }
    compare("random-owls", status.entitlements.first { $0.id == "random-owls" }?.active, isActive)
    let refunded = Dictionary(
      uniqueKeysWithValues: transactions.map { ($0.transactionId, $0.revocationDate != nil) })
    compare("transactions", refunded, bought.mapValues(\.isRefunded))
    return mistakes
  }
}
