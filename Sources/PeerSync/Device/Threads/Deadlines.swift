/// Things that wait for their time, the one that may wait least at the end: it is the next to be taken.
///
/// Each has a time from which on it may be done, and a time until which it has to be. They are kept, and taken, in the
/// order of the second, and those of one time in the order in which they were added: so one timer, set for the next of
/// them, does each between its two times. Times are in nanoseconds of one clock.
///
/// A sorted array: there are a few for each connection, and most that are added come behind the others or soon go away.
package struct Deadlines<Element> {
  /// Names something that waits.
  package struct Ticket: Hashable, Sendable {
    fileprivate let latest: UInt64
    fileprivate let order: UInt64

    fileprivate func isBefore(_ other: Ticket) -> Bool { (latest, order) < (other.latest, other.order) }
  }

  /// From when on, and until when.
  package struct Span: Hashable, Sendable {
    package let due: UInt64
    package let latest: UInt64
  }

  private var waiting: [(ticket: Ticket, due: UInt64, element: Element)] = []
  /// How many have been added. Whatever is added later has this number or a greater one.
  package private(set) var added: UInt64 = 0

  package init() {}

  /// How many wait.
  package var count: Int { waiting.count }

  /// When the next one is to be done; nil when nothing waits.
  package var next: Span? { waiting.last.map { Span(due: $0.due, latest: $0.ticket.latest) } }

  package mutating func add(_ element: Element, due: UInt64, latest: UInt64) -> Ticket {
    let ticket = Ticket(latest: max(latest, due), order: added)
    added += 1
    waiting.insert((ticket, due, element), at: place(of: ticket))
    return ticket
  }

  /// - Returns: what waited under that name; nil when it was taken or cancelled before
  package mutating func cancel(_ ticket: Ticket) -> Element? {
    let place = place(of: ticket)
    guard place < waiting.count, waiting[place].ticket == ticket else { return nil }
    return waiting.remove(at: place).element
  }

  /// Takes the next one out, if its time has come.
  ///
  /// - Parameter end: what was added as this number or later stays, though its time has come
  package mutating func take(at now: UInt64, addedBefore end: UInt64 = .max) -> Element? {
    guard let last = waiting.last, last.due <= now, last.ticket.order < end else { return nil }
    return waiting.removeLast().element
  }

  /// Where something stands, or would: behind all that have to be done later.
  private func place(of ticket: Ticket) -> Int {
    var (low, high) = (0, waiting.count)
    while low < high {
      let middle = (low + high) / 2
      if ticket.isBefore(waiting[middle].ticket) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
