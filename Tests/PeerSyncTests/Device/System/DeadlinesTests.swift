import Foundation
import PeerSync
import Testing

@Suite(.noHang) struct DeadlinesTests {
  /// The same as ``Deadlines``, by definition.
  private struct Twin {
    struct Entry {
      let due: UInt64
      let latest: UInt64
      let order: UInt64
      let element: Int
    }

    var waiting: [Entry] = []
    var added: UInt64 = 0

    var first: Entry? { waiting.min { ($0.latest, $0.order) < ($1.latest, $1.order) } }

    mutating func add(_ element: Int, due: UInt64, latest: UInt64) -> UInt64 {
      waiting.append(Entry(due: due, latest: max(due, latest), order: added, element: element))
      added += 1
      return added - 1
    }

    mutating func remove(_ order: UInt64) -> Int? {
      guard let place = waiting.firstIndex(where: { $0.order == order }) else { return nil }
      return waiting.remove(at: place).element
    }

    mutating func take(at now: UInt64, addedBefore end: UInt64) -> Int? {
      guard let first, first.due <= now, first.order < end else { return nil }
      return remove(first.order)
    }
  }

  @Test(arguments: UInt64(1)...50) func itIsItsTwin(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var (deadlines, twin) = (Deadlines<Int>(), Twin())
    var tickets: [(Deadlines<Int>.Ticket, UInt64)] = []
    for number in 0..<500 {
      switch random.pick(0...5) {
      case 0...2:
        // Few times, so that many are the same.
        let (due, wait) = (UInt64(random.pick(0...30)), UInt64(random.pick(0...5)))
        let latest = random.chance(20) ? 0 : due + wait
        let ticket = deadlines.add(number, due: due, latest: latest)
        tickets.append((ticket, twin.add(number, due: due, latest: latest)))
      case 3:
        // Also one that was taken or cancelled before.
        guard let (ticket, order) = tickets.randomElement(using: &random) else { continue }
        #expect(deadlines.cancel(ticket) == twin.remove(order))
      default:
        let now = UInt64(random.pick(0...35))
        let end = random.chance(3) ? UInt64(random.pick(0...number)) : .max
        #expect(deadlines.take(at: now, addedBefore: end) == twin.take(at: now, addedBefore: end))
      }
      #expect(deadlines.count == twin.waiting.count && deadlines.added == twin.added)
      #expect(deadlines.next?.due == twin.first?.due && deadlines.next?.latest == twin.first?.latest)
    }
  }
}

/// What waits for time on a queue.
@Suite(.noHang) struct TimersTests {
  private let queue = DispatchQueue(label: "test timers")
  private let timers: Timers
  private let events: AsyncStream<Int>
  private let sink: AsyncStream<Int>.Continuation

  init() {
    timers = Timers(on: queue)
    (events, sink) = AsyncStream.makeStream()
  }

  /// The values that come up to one of them.
  private func values(through last: Int) async -> [Int] {
    var values: [Int] = []
    for await value in events {
      values.append(value)
      if value == last { break }
    }
    return values
  }

  /// Holds what was made on the queue, and is dropped there.
  private final class Box: @unchecked Sendable { var delays: [Delay?] = [] }

  @Test func eachComesInItsTurnAndNoneTooEarly() async {
    let (box, start) = (Box(), ContinuousClock.now)
    queue.sync {
      for wait in [60, 20, 40, 0, 20] {
        box.delays.append(
          Delay(milliseconds: wait, on: timers) { [sink] in
            sink.yield(ContinuousClock.now - start < .milliseconds(wait) ? -wait : wait)
          })
      }
    }
    #expect(await values(through: 60) == [0, 20, 20, 40, 60])
  }

  @Test func whatGoesAwayIsNotDone() async {
    let box = Box()
    queue.sync {
      box.delays = (0..<5).map { number in
        Delay(milliseconds: 10 * number, on: timers) { [sink] in sink.yield(number) }
      }
      // The first of all, and one in the middle.
      box.delays[0] = nil
      box.delays[2] = nil
    }
    #expect(await values(through: 4) == [1, 3, 4])
  }

  @Test func whatIsDueAndGoesAwayMeanwhileIsNotDone() async {
    let box = Box()
    queue.sync {
      box.delays = (0..<4).map { number in
        Delay(milliseconds: 0, on: timers) { [sink] in
          sink.yield(number)
          box.delays[2] = nil
        }
      }
    }
    #expect(await values(through: 3) == [0, 1, 3])
  }

  @Test func whatIsAddedMeanwhileHasItsTurnLater() async {
    let box = Box()
    queue.sync {
      func again(_ number: Int) -> Delay {
        Delay(milliseconds: 0, on: timers) { [queue, sink] in
          sink.yield(number)
          // Others have their turn between two of them, and end it.
          if number == 1 {
            queue.async {
              box.delays = []
              sink.yield(-1)
            }
          }
          if number < 1000, !box.delays.isEmpty { box.delays = [again(number + 1)] }
        }
      }
      box.delays = [again(1)]
    }
    let values = await values(through: -1)
    #expect(values.count < 10, "\(values.count) before anybody else")
  }

  @Test func oneThatWaitsShortDoesNotWaitForOthers() async {
    let box = Box()
    queue.sync {
      // Longer than any test may take: would it wait for one of them, this would not end.
      box.delays = [3_600_000, 1_800_000, 5].map { wait in
        Delay(milliseconds: wait, on: timers) { [sink] in sink.yield(wait) }
      }
    }
    #expect(await values(through: 5) == [5])
    withExtendedLifetime(box) {}
  }

  /// Made and dropped by others than the queue.
  @Test func anyThreadMayDropThem() async {
    for _ in 0..<200 {
      let delays = (0..<10).map { _ in Delay(milliseconds: 0, on: timers) {} }
      withExtendedLifetime(delays) {}
    }
    let last = Delay(milliseconds: 0, on: timers) { [sink] in sink.yield(0) }
    #expect(await values(through: 0) == [0])
    withExtendedLifetime(last) {}
  }
}
