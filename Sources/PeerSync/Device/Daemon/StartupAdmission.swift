/// Connections on their way to the welcome: who may come in, and for how long and how fast it may talk.
///
/// The engine has its own deadline and its own bounds. These hold whatever the engine knows of a connection, and before it
/// knows of it.
final class StartupAdmission {
  private let timers: Timers
  private let budget: DescriptorBudget
  private var limits = StartupLimits()
  private var candidates: [SessionID: Candidate] = [:]
  /// The networks that this machine is on.
  var interfaces = Interfaces()

  private struct Candidate {
    /// Where it came from; nil: it was dialled from here.
    let source: String?
    let deadline: Delay
    /// Whether it has said something that the engine has not handled.
    var isUnhandled = false
  }

  /// Time that the engine's deadline, which says why, has on this one, in milliseconds.
  private static let graceMilliseconds: UInt64 = 500

  init(timers: Timers, budget: DescriptorBudget) {
    self.timers = timers
    self.budget = budget
  }

  /// Whether one more connection or dial is within the descriptors of this process.
  func hasRoom(beside connections: Int) -> Bool { connections < budget.peers }

  /// A member was sighted at these addresses, or has listened there: what comes from there is let in before strangers.
  func vouch(for addresses: [Address]) {
    for address in addresses { limits.vouched(for: source(of: address)) }
  }

  private func source(of address: Address) -> String {
    StartupLimits.source(of: address, isOnLink: interfaces.isOnLink)
  }

  /// - Parameter expired: called when the connection is still not welcome after its time
  /// - Returns: the connection that has to give way
  func begin(_ session: SessionID, _ opening: Opening, expired: @escaping () -> Void) -> SessionID? {
    var source: String?
    if case .accepted(let address) = opening { source = self.source(of: address) }
    let time = Int(Limits.handshakeMilliseconds + Self.graceMilliseconds)
    candidates[session] = Candidate(
      source: source, deadline: Delay(milliseconds: time, on: timers, expired))
    return source.flatMap { limits.entered(session, from: $0) }
  }

  func received(on session: SessionID) { candidates[session]?.isUnhandled = true }

  /// Whether more may be read of a connection: of one that is not welcome, only after the engine has judged what came.
  func mayRead(_ session: SessionID) -> Bool { candidates[session]?.isUnhandled != true }

  /// The engine has handled everything that came.
  func handled(isWelcomed: (SessionID) -> Bool) {
    for session in candidates.keys.sorted() {
      candidates[session]?.isUnhandled = false
      guard isWelcomed(session), let candidate = candidates.removeValue(forKey: session) else { continue }
      if let source = candidate.source { limits.welcomed(session, from: source) }
    }
  }

  func ended(_ session: SessionID) {
    if candidates.removeValue(forKey: session) != nil { limits.left(session) }
  }
}
