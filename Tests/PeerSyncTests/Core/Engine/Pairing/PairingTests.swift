import PeerSyncCore
import Testing

@Suite struct PairingTests {
  private let key = InvitationKey(words: (1, 2, 3, 4))
  private let address = Address(host: "there", port: 1)
  private let minute: Int64 = 60_000
  private let request = RequestID(rawValue: 1)
  private let second = RequestID(rawValue: 2)
  private let session = SessionID(rawValue: 9)

  private func invitation(_ lasts: Int64) -> Invitation {
    Invitation(key: key, expires: Instant(clamping: Machines.wall + lasts))
  }

  private func refusals(_ effects: Effects) -> [Refusal?] { effects.answers.map(\.1.refusal) }

  // MARK: Inviting

  @Test func anInvitationEndsByItselfWhateverTheWallClockSays() {
    var (pairing, effects) = (Pairing(), Effects())
    pairing.open(invitation(minute), at: Machines.now().wall, now: Machines.now(), &effects)
    #expect(pairing.isOpen(at: Machines.now(minute - 1, off: minute)))
    pairing.check(now: Machines.now(minute - 1), &effects)
    #expect(pairing.invitation != nil)
    #expect(!pairing.isOpen(at: Machines.now(minute, off: -minute)))
    pairing.check(now: Machines.now(minute), &effects)
    #expect(pairing.invitation == nil && effects.durable.invitation == .closed && pairing.deadline == nil)
  }

  @Test func aClockThatWasTurnedBackProlongsNothing() {
    var (pairing, effects) = (Pairing(), Effects())
    let forever = invitation(100 * Limits.invitationMilliseconds)
    pairing.open(forever, at: Machines.now().wall, now: Machines.now(), &effects)
    #expect(pairing.deadline == Machines.now().monotonic + UInt64(Limits.invitationMilliseconds))
  }

  @Test func wrongCodesEndIt() {
    var (pairing, effects) = (Pairing(), Effects())
    pairing.open(invitation(minute), at: Machines.now().wall, now: Machines.now(), &effects)
    for left in (0..<Limits.invitationTries).reversed() {
      let id = SessionID(rawValue: UInt64(left))
      pairing.countWrongCode(on: id, &effects)
      #expect(effects.notices.last == .wrongCode(triesLeft: left))
      // With what makes the try durable, which goes first.
      #expect(effects.closings.last.map { $0.0 == id && $0.1 == .wrongCode } == true)
      #expect((pairing.invitation?.triesLeft ?? 0) == left)
    }
    pairing.countWrongCode(on: SessionID(rawValue: 9), &effects)
    #expect(effects.closings.count == Limits.invitationTries + 1)
    #expect(effects.notices.count == Limits.invitationTries && effects.durable.invitation == .closed)
  }

  // MARK: Joining

  private func joining(_ effects: inout Effects) -> Pairing {
    var pairing = Pairing()
    pairing.join(address, key: key, as: request, now: Machines.now(), &effects)
    return pairing
  }

  @Test func oneJoinAtATime() {
    var effects = Effects()
    var pairing = joining(&effects)
    pairing.join(address, key: key, as: second, now: Machines.now(), &effects)
    #expect(effects.dials.map(\.address) == [address])
    #expect(effects.answers.map(\.0) == [second] && refusals(effects) == [.busy])
    #expect(
      pairing.begin(on: session, at: address)
        && !pairing.begin(on: SessionID(rawValue: 10), at: address))
    #expect(pairing.finish(&effects) == address && pairing.finish(&effects) == nil)
    #expect(effects.answers.map(\.1) == [.refused(.busy), .done(changed: 1)])
  }

  @Test func itFailsWithItsOwnSessionAlone() {
    var effects = Effects()
    var pairing = joining(&effects)
    _ = pairing.begin(on: session, at: address)
    effects.closings = [(SessionID(rawValue: 8), .forged)]
    pairing.noteEnded(&effects)
    pairing.fail(on: SessionID(rawValue: 8), .unreachable, &effects)
    pairing.noteUnreachable(address, nil, now: Machines.now(), &effects)
    #expect(effects.answers.isEmpty)
    effects.closings.append((session, .noInvitation))
    pairing.noteEnded(&effects)
    pairing.noteEnded(&effects)
    #expect(refusals(effects) == [.notAdmitted(.noInvitation)])
  }

  @Test func nobodyMayAnswer() {
    for (reason, refusal) in [
      (nil, .unreachable), (.handshakeTimeout, .unreachable), (.wrongCode, .notAdmitted(.wrongCode)),
    ] as [(CloseReason?, Refusal)] {
      var effects = Effects()
      var pairing = joining(&effects)
      pairing.noteUnreachable(Address(host: "elsewhere", port: 1), reason, now: Machines.now(), &effects)
      #expect(effects.answers.isEmpty)
      pairing.noteUnreachable(address, reason, now: Machines.now(), &effects)
      #expect(refusals(effects) == [refusal])
    }
    var effects = Effects()
    var pairing = joining(&effects)
    let long = Int64(2 * Limits.handshakeMilliseconds)
    pairing.checkJoining(now: Machines.now(long - 1), &effects)
    #expect(effects.answers.isEmpty)
    pairing.checkJoining(now: Machines.now(long), &effects)
    #expect(refusals(effects) == [.unreachable] && pairing.deadline == nil)
  }

  // MARK: Joining wherever an invitation is announced

  private func place(_ number: Int) -> Address { Address(host: "fake", port: UInt16(number)) }

  private func searching(_ count: Int, _ effects: inout Effects) -> Pairing {
    var pairing = Pairing()
    pairing.join(
      anyOf: (1...count).map(place), key: key, as: request, now: Machines.now(), &effects)
    return pairing
  }

  /// Whatever those say who have not shown that they know the code, the next is tried, up to so many.
  @Test func searchingGoesPastFakes() {
    var effects = Effects()
    var pairing = searching(Limits.joinAddresses + 9, &effects)
    #expect(effects.dials.map(\.address) == (1...Limits.joinsSideBySide).map(place))
    let reasons: [CloseReason?] = [nil, .wrongCode, .noInvitation, .stranger, .handshakeTimeout]
    for number in 1...Limits.joinAddresses {
      #expect(effects.answers.isEmpty)
      pairing.noteUnreachable(
        place(number), reasons[number % reasons.count], now: Machines.now(), &effects)
      #expect(effects.dials.count == min(number + Limits.joinsSideBySide, Limits.joinAddresses))
    }
    #expect(refusals(effects) == [.unreachable] && pairing.joining == nil)
    #expect(effects.dials.allSatisfy { $0.invitation == key })
  }

  /// Those that say nothing make room after a while.
  @Test func whoSaysNothingKeepsNobodyOut() {
    var effects = Effects()
    var pairing = searching(Limits.joinsSideBySide + 1, &effects)
    let wait = Int64(Limits.handshakeMilliseconds)
    pairing.checkJoining(now: Machines.now(wait - 1), &effects)
    #expect(effects.dials.count == Limits.joinsSideBySide)
    pairing.checkJoining(now: Machines.now(wait), &effects)
    #expect(effects.dials.count == Limits.joinsSideBySide + 1 && effects.answers.isEmpty)
    pairing.checkJoining(now: Machines.now(2 * wait), &effects)
    #expect(refusals(effects) == [.unreachable] && pairing.deadline == nil)
  }

  /// The first who knows the code is the one: what it says counts, and what others say does not any more.
  @Test func whoKnowsTheCodeIsTheOne() {
    var effects = Effects()
    var pairing = searching(3, &effects)
    pairing.noteUnreachable(place(1), .wrongCode, now: Machines.now(), &effects)
    let begun = [place(1), place(2), place(3)].map { pairing.begin(on: session, at: $0) }
    #expect(begun == [false, true, false])
    pairing.noteUnreachable(place(3), nil, now: Machines.now(), &effects)
    #expect(effects.answers.isEmpty)
    effects.closings.append((session, .removed))
    pairing.noteEnded(&effects)
    #expect(refusals(effects) == [.notAdmitted(.removed)])
    pairing = searching(3, &effects)
    _ = pairing.begin(on: session, at: place(2))
    pairing.checkJoining(now: Machines.now(Int64(2 * Limits.handshakeMilliseconds) - 1), &effects)
    #expect(pairing.finish(&effects) == place(2))
  }
}
