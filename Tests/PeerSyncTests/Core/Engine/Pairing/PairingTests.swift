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
      pairing.countWrongCode(&effects)
      #expect(effects.notices.last == .wrongCode(triesLeft: left))
      #expect((pairing.invitation?.triesLeft ?? 0) == left)
    }
    pairing.countWrongCode(&effects)
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
    #expect(pairing.begin(on: session) && !pairing.begin(on: SessionID(rawValue: 10)))
    #expect(pairing.finish(&effects) == address && pairing.finish(&effects) == nil)
    #expect(effects.answers.map(\.1) == [.refused(.busy), .done(changed: 1)])
  }

  @Test func itFailsWithItsOwnSessionAlone() {
    var effects = Effects()
    var pairing = joining(&effects)
    _ = pairing.begin(on: session)
    effects.closings = [(SessionID(rawValue: 8), .forged)]
    pairing.noteEnded(&effects)
    pairing.fail(on: SessionID(rawValue: 8), .unreachable, &effects)
    pairing.noteUnreachable(address, nil, &effects)
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
      pairing.noteUnreachable(Address(host: "elsewhere", port: 1), reason, &effects)
      #expect(effects.answers.isEmpty)
      pairing.noteUnreachable(address, reason, &effects)
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
}
