/// What the daemon knows of the machine's networks, and what tells it that they have changed.
package final class Surroundings {
  /// What there was when the system last said.
  package private(set) var interfaces = Interfaces()
  private let listening: Address?
  private let interface: String?
  private let timers: Timers
  private let read: () -> Interfaces?
  private let asleep: () -> Int64
  private let changed: () -> Void
  private var watch: NetworkWatch?
  private var retry: Delay?
  private var slept: Int64

  /// - Parameters:
  ///   - listening: where the daemon listens
  ///   - interface: the only one whose addresses are told; nil: all
  ///   - read: asks the system what there is now; nil when it does not say
  ///   - asleep: for how many milliseconds the machine has slept since it was started
  ///   - changed: called on the loop when it is time to look again
  package init(
    listening: Address?, at interface: String?, on loop: EventLoop, log: Log,
    read: @escaping () -> Interfaces? = { .now() },
    asleep: @escaping () -> Int64 = { SystemClock.sleptMilliseconds }, changed: @escaping () -> Void
  ) {
    self.listening = listening
    self.interface = interface
    self.read = read
    self.asleep = asleep
    self.changed = changed
    timers = loop.timers
    slept = asleep()
    _ = look()
    do throws(SocketError) { watch = try NetworkWatch(on: loop, changed: changed) } catch {
      log(.warning, "changes of the network go unnoticed: \(error)")
    }
  }

  /// Where the daemon can be reached now; nil: it does not listen.
  package var announced: [Address]? { listening.map { interfaces.announced($0, on: interface) } }

  /// Whether others can reach the daemon now, if only those on one link.
  package var isOpen: Bool { listening.map { interfaces.areOpen(to: $0, on: interface) } ?? false }

  /// Looks again. While the system does not say what there is, what was known stands, and it is asked again soon: to take it for
  /// nothing would end every session.
  ///
  /// - Returns: whether anything is another than before, or the machine has slept
  package func look() -> Bool {
    guard let found = read() else {
      retry = Delay(milliseconds: Self.retryMilliseconds, on: timers, changed)
      return false
    }
    retry = nil
    let (before, sleptBefore) = (interfaces, slept)
    interfaces = found
    slept = asleep()
    return interfaces != before || slept - sleptBefore >= Self.sleepMilliseconds
  }

  /// The shortest sleep that counts, in milliseconds: two clocks are never read at once.
  private static let sleepMilliseconds: Int64 = 500
  private static let retryMilliseconds = 1000
}
