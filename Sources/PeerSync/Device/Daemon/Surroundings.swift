/// What the daemon knows of the machine's networks, and what tells it that they have changed.
final class Surroundings {
  /// What there was when somebody last looked.
  private(set) var interfaces = Interfaces.now()
  private let listening: Address?
  private let interface: String?
  private var watch: NetworkWatch?
  private var slept: Int64

  /// - Parameters:
  ///   - listening: where the daemon listens
  ///   - interface: the only one whose addresses are told; nil: all
  ///   - changed: called on the loop when it is time to look again
  init(
    listening: Address?, at interface: String?, on loop: EventLoop, log: Log, changed: @escaping () -> Void
  ) {
    self.listening = listening
    self.interface = interface
    slept = SystemClock.sleptMilliseconds
    do throws(SocketError) { watch = try NetworkWatch(on: loop, changed: changed) } catch {
      log(.warning, "changes of the network go unnoticed: \(error)")
    }
  }

  /// Where the daemon can be reached now; nil: it does not listen.
  var announced: [Address]? { listening.map { interfaces.announced($0, on: interface) } }

  /// Looks again.
  ///
  /// - Returns: whether anything is another than before, or the machine has slept
  func look() -> Bool {
    let (before, sleptBefore) = (interfaces, slept)
    interfaces = .now()
    slept = SystemClock.sleptMilliseconds
    return interfaces != before || slept - sleptBefore >= Self.sleepMilliseconds
  }

  /// The shortest sleep that counts, in milliseconds: two clocks are never read at once.
  private static let sleepMilliseconds: Int64 = 500
}
