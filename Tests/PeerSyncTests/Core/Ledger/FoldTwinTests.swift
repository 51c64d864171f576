import Foundation
import PeerSyncCore
import PeerSyncSimulation
import PeerSyncTesting
import Testing

/// The slow obvious twin of the fold, written from the rules and not from the code: dates by Foundation, and everything
/// computed again from the start for each purchase.
private enum Twin {
  struct Cover: Equatable {
    var start: Date
    var end: Date
    var ids: [String]
  }

  static func add(_ months: Int, _ days: Int, to date: Date) -> Date {
    let shifted = foundationCalendar.date(byAdding: .month, value: months, to: date) ?? date
    return foundationCalendar.date(byAdding: .day, value: days, to: shifted) ?? shifted
  }

  /// Rule 3.5, counting day by day.
  static func daysLeft(_ item: History.Item) -> Int {
    guard case .prorated(let percentage) = item.refund else { return 0 }
    let end = add(item.months * item.quantity, item.days * item.quantity, to: item.date)
    var length = 0
    while add(0, length + 1, to: item.date) <= end { length += 1 }
    return (100_000 - percentage) * length / 100_000
  }

  static func covers(_ history: History) -> (covers: [Cover], expires: Date?) {
    let items = history.items
      .filter { $0.refund != .full && !history.covered.contains($0.id) }
      .sorted { $0.date != $1.date ? $0.date < $1.date : $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
    // Each group: an anchor, where it shows as starting, and its members; ends are always recomputed.
    var groups: [(anchor: Date, start: Date, members: [History.Item])] = []
    if let explicit = history.explicit {
      let earliest = history.items.filter { history.covered.contains($0.id) }.map(\.date).min()
      let written = history.written.addingTimeInterval(-300)
      let start = min(earliest ?? written, written, explicit)
      groups.append((explicit, start, []))
    }
    func end(_ group: (anchor: Date, start: Date, members: [History.Item])) -> Date {
      var (months, days) = (0, 0)
      for member in group.members {
        if case .prorated = member.refund {
          days += daysLeft(member)
        } else {
          months += member.months * member.quantity
          days += member.days * member.quantity
        }
      }
      return add(months, days, to: group.anchor)
    }
    for item in items {
      if case .prorated = item.refund, daysLeft(item) == 0 { continue }
      if let last = groups.last, item.date < end(last) {
        groups[groups.count - 1].members.append(item)
        groups[groups.count - 1].start = min(last.start, item.date)
      } else {
        groups.append((item.date, item.date, [item]))
      }
    }
    let covers = groups.map { Cover(start: $0.start, end: end($0), ids: $0.members.map(\.id)) }
    return (covers.filter { $0.start < $0.end }, groups.last.map(end))
  }
}

/// What both folds are given.
private struct History {
  enum Refund: Equatable {
    case none
    case full
    case prorated(percentage: Int)
  }
  struct Item {
    let id: String
    let date: Date
    let months: Int
    let days: Int
    let quantity: Int
    let refund: Refund
  }
  var items: [Item] = []
  var covered: Set<String> = []
  var explicit: Date?
  var hasRegister = false
  var written = Date(timeIntervalSince1970: 0)

  func folded() -> Fold {
    let purchases = items.map { item in
      let standing: Purchase.Standing =
        switch item.refund {
        case .none: .counts
        case .full: .revoked
        case .prorated(let percentage):
          percentage == 100_000 ? .revoked : .prorated(keeping: 100_000 - percentage)
        }
      return Purchase(
        id: item.id, date: item.date.instant, period: Period(months: item.months, days: item.days),
        quantity: item.quantity, standing: standing)
    }.sorted { $0.precedes($1) }
    let register = ExpirationRegister(expires: explicit?.instant, covers: Array(covered))
    return Fold(purchases, register: hasRegister ? register : nil, writtenAt: written.instant)
  }

  /// Whether the fold and its twin agree.
  var agrees: Bool {
    let (fold, twin) = (folded(), Twin.covers(self))
    return fold.expires == twin.expires?.instant
      && fold.runs
        == twin.covers.map { Run(start: $0.start.instant, end: $0.end.instant, transactions: $0.ids) }
  }

  static func random(_ random: inout SeededGenerator) -> History {
    let day = 86_400.0
    let start = Date(timeIntervalSince1970: Double(random.pick(10_000...22_000)) * day)
    func date(_ random: inout SeededGenerator) -> Date {
      let date = start.addingTimeInterval(Double(random.pick(0...400)) * day)
      return random.chance(3) ? date.addingTimeInterval(Double(random.pick(0...86_399))) : date
    }
    var history = History()
    for index in 0..<random.pick(0...8) {
      let (months, days) = random.pick([(1, 0), (3, 0), (6, 0), (12, 0), (0, 7), (0, 10), (1, 10), (2, 1)])
      let refund: Refund =
        random.chance(4)
        ? random.pick([
          .full, .prorated(percentage: random.pick(0...100_000)), .prorated(percentage: 100_000),
        ]) : .none
      let item = Item(
        id: "\(index)", date: date(&random), months: months, days: days, quantity: random.chance(4) ? 2 : 1,
        refund: refund)
      history.items.append(item)
    }
    if random.chance(3) {
      history.hasRegister = true
      history.covered = Set(history.items.map(\.id).filter { _ in random.chance(2) })
      history.explicit = random.chance(4) ? nil : date(&random)
      history.written = date(&random)
    }
    return history
  }
}

extension Date {
  fileprivate var instant: Instant { Instant(clamping: Int64(timeIntervalSince1970) * 1000) }
}

@Suite struct FoldTwinTests {
  @Test(arguments: Seeds.all) func randomHistories(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for round in 0..<6_000 {
      let history = History.random(&random)
      guard history.agrees else {
        Issue.record("round \(round): \(history): \(history.folded())")
        return
      }
    }
  }

  /// All multisets of up to four purchases from a small set of dates, periods and refunds.
  @Test func smallHistoriesExhaustively() throws {
    let dates = ["2026-01-31", "2026-02-28", "2026-03-31"].map {
      Date(timeIntervalSince1970: Double(instant($0).milliseconds / 1000))
    }
    let kinds: [(Int, Int, History.Refund)] = [
      (1, 0, .none), (2, 0, .none), (0, 28, .none), (1, 0, .full), (1, 0, .prorated(percentage: 50_000)),
    ]
    let choices = dates.flatMap { date in kinds.map { (date, $0) } }
    var count = 0
    func extend(_ history: History, from first: Int) {
      guard history.agrees else {
        Issue.record("\(history): \(history.folded())")
        return
      }
      count += 1
      guard history.items.count < 4 else { return }
      for index in first..<choices.count {
        let (date, kind) = choices[index]
        var next = history
        next.items.append(
          History.Item(
            id: "\(history.items.count)", date: date, months: kind.0, days: kind.1, quantity: 1,
            refund: kind.2))
        extend(next, from: index)
      }
    }
    extend(History(), from: 0)
    #expect(count == 3_876)
  }
}
