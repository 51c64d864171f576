/// The invitation of this device, and its own attempt to join another over one. The runner checks codes, as part of the encryption of a
/// connection; here they are counted. What two devices say to each other over an invitation is a matter of their session (``Meeting``).
package struct Pairing: Sendable {
  /// The open invitation.
  package private(set) var invitation: Invitation?
  /// When it ends, on the monotonic clock; nil before the start.
  private var end: UInt64?
  /// When it was opened, on the monotonic clock.
  private var begun: UInt64 = 0
  /// A join under way.
  package private(set) var joining: Joining?

  package struct Joining: Sendable {
    let request: RequestID
    let key: InvitationKey
    /// Whether others than the inviting device may be at the addresses: then what they say means nothing.
    let isSearch: Bool
    /// Where it is being tried, and until when, on the monotonic clock.
    fileprivate(set) var tried: [Address: UInt64] = [:]
    /// Where it is tried next.
    fileprivate var waiting: ArraySlice<Address> = []
    /// The session over the invitation, once there is one.
    fileprivate(set) var session: (id: SessionID, address: Address, end: UInt64)?

    fileprivate init(request: RequestID, key: InvitationKey, isSearch: Bool) {
      (self.request, self.key, self.isSearch) = (request, key, isSearch)
    }

    /// When something is given up, on the monotonic clock.
    fileprivate var deadline: UInt64? { session?.end ?? tried.values.min() }
  }

  /// - Parameter invitation: one that was open before a restart
  package init(_ invitation: Invitation? = nil) { self.invitation = invitation }

  /// When something has to happen, on the monotonic clock; nil: nothing waits for time.
  package var deadline: UInt64? { [joining?.deadline, end].compactMap(\.self).min() }

  // MARK: Inviting

  /// Opens an invitation that was made now, by the wall clock, or one that was open before a restart, by the trusted time. From here
  /// on the monotonic clock counts: a wall clock that is turned back prolongs nothing.
  package mutating func open(
    _ invitation: Invitation, at instant: Instant, now: Now, _ effects: inout Effects
  ) {
    let remaining = invitation.remaining(at: instant)
    guard remaining > 0, invitation.triesLeft > 0 else { return close(&effects) }
    (begun, end) = (now.monotonic, now.monotonic + remaining)
    keep(invitation, &effects)
  }

  /// Whether a code may be tried now.
  package func isOpen(at now: Now) -> Bool { invitation != nil && now.monotonic < (end ?? 0) }

  /// Whether a connection stands by the code that is good now. One that was made before knows the code of an earlier invitation.
  package func isOpen(to session: Session?, at now: Now) -> Bool {
    isOpen(at: now) && session.map { $0.openedAt >= begun } ?? false
  }

  /// Ends an invitation whose time is over, so that not even the right code is heard any more.
  package mutating func check(now: Now, _ effects: inout Effects) {
    if invitation != nil, !isOpen(at: now) { close(&effects) }
  }

  private mutating func keep(_ invitation: Invitation, _ effects: inout Effects) {
    self.invitation = invitation
    effects.durable.append(.invitation(.open(invitation)))
  }

  /// Somebody tried another code. It hears so once the try is on the disk: else each crash would give it back.
  package mutating func countWrongCode(on id: SessionID, _ effects: inout Effects) {
    effects.closings.append((id, .wrongCode))
    guard var invitation else { return }
    invitation.triesLeft -= 1
    effects.notices.append(.wrongCode(triesLeft: invitation.triesLeft))
    if invitation.triesLeft > 0 { keep(invitation, &effects) } else { close(&effects) }
  }

  /// Ends the invitation: it was used, tried too often, or its time is over.
  package mutating func close(_ effects: inout Effects) {
    invitation = nil
    end = nil
    effects.durable.append(.invitation(.closed))
  }

  // MARK: Joining

  /// Dials whoever listens at an address, to join its group.
  package mutating func join(
    _ address: Address, key: InvitationKey, as id: RequestID, now: Now, _ effects: inout Effects
  ) {
    guard joining == nil else { return effects.answers.append((id, .refused(.busy))) }
    joining = Joining(request: id, key: key, isSearch: false)
    // The dial and the handshake each have their time.
    dial(address, until: now.monotonic + 2 * Limits.handshakeMilliseconds, &effects)
  }

  /// Dials these addresses, a few side by side, to join the group of the first who shows that it knows the code. What nobody has shown
  /// means nothing: whoever repeats an announcement may say what it likes, or nothing.
  package mutating func join(
    anyOf addresses: [Address], key: InvitationKey, as id: RequestID, now: Now, _ effects: inout Effects
  ) {
    guard joining == nil else { return effects.answers.append((id, .refused(.busy))) }
    joining = Joining(request: id, key: key, isSearch: true)
    joining?.waiting = addresses.prefix(Limits.joinAddresses)
    tryNext(now, &effects)
  }

  /// Dials on as far as there is room; with nothing left to dial nobody was reached.
  private mutating func tryNext(_ now: Now, _ effects: inout Effects) {
    while let joining, joining.tried.count < Limits.joinsSideBySide, let next = joining.waiting.first {
      self.joining?.waiting.removeFirst()
      guard joining.tried[next] == nil else { continue }
      dial(next, until: now.monotonic + Limits.handshakeMilliseconds, &effects)
    }
    if joining?.tried.isEmpty == true { fail(.unreachable, &effects) }
  }

  private mutating func dial(_ address: Address, until end: UInt64, _ effects: inout Effects) {
    guard let joining else { return }
    self.joining?.tried[address] = end
    effects.dials.append(DialTarget(address: address, invitation: joining.key))
  }

  /// Notes that a session over an invitation stands, with somebody who knows the code.
  ///
  /// - Returns: whether one was dialled and none stands yet
  package mutating func begin(on session: SessionID, at address: Address) -> Bool {
    guard let joining, joining.session == nil, let end = joining.tried[address] else { return false }
    self.joining?.session = (session, address, joining.isSearch ? end + Limits.handshakeMilliseconds : end)
    return true
  }

  /// Whether this device joins on a session.
  package func isJoining(on session: SessionID) -> Bool { joining?.session?.id == session }

  /// Answers that this device has joined.
  ///
  /// - Returns: the address where it did
  package mutating func finish(_ effects: inout Effects) -> Address? {
    guard let joining, let address = joining.session?.address else { return nil }
    self.joining = nil
    effects.answers.append((joining.request, .done(changed: 1)))
    return address
  }

  /// Gives up a join whose session this side has ended.
  package mutating func noteEnded(_ effects: inout Effects) {
    guard let session = joining?.session?.id,
      let (_, reason) = effects.closings.first(where: { $0.0 == session })
    else { return }
    fail(.notAdmitted(reason), &effects)
  }

  /// Gives up a join whose session has ended.
  package mutating func fail(on session: SessionID, _ refusal: Refusal, _ effects: inout Effects) {
    if isJoining(on: session) { fail(refusal, &effects) }
  }

  /// Gives up a join if nobody could be reached at its address, or tries the next one.
  ///
  /// - Parameter reason: what the other side gave as its reason, if it gave one
  package mutating func noteUnreachable(
    _ address: Address, _ reason: CloseReason?, now: Now, _ effects: inout Effects
  ) {
    guard let joining, joining.session == nil, joining.tried[address] != nil else { return }
    self.joining?.tried[address] = nil
    if joining.isSearch { return tryNext(now, &effects) }
    let isRefused = reason != nil && reason != .handshakeTimeout
    fail(reason.flatMap { isRefused ? .notAdmitted($0) : nil } ?? .unreachable, &effects)
  }

  /// Gives up what has taken too long.
  package mutating func checkJoining(now: Now, _ effects: inout Effects) {
    guard let joining, joining.deadline.map({ $0 <= now.monotonic }) == true else { return }
    guard joining.session == nil else { return fail(.unreachable, &effects) }
    self.joining?.tried = joining.tried.filter { $0.value > now.monotonic }
    tryNext(now, &effects)
  }

  private mutating func fail(_ refusal: Refusal, _ effects: inout Effects) {
    guard let joining else { return }
    self.joining = nil
    effects.answers.append((joining.request, .refused(refusal)))
  }
}
