import PeerSync
import Testing

@Suite struct JoiningTests {
  private static let code = "ABCD-EFGH-JKLM"

  /// A device with an open invitation, and one that is alone.
  private func pair() -> Harness {
    let harness = Harness(1)
    harness.start(harness.add(group: GroupID(high: 0, low: 9)))
    harness.connectsDials = true
    harness.request(.invite(code: Self.code, expires: expiry(harness)), of: 0)
    return harness
  }

  private func expiry(_ harness: Harness) -> Instant {
    harness.now(0).wall.advanced(byMilliseconds: Limits.invitationMilliseconds)
  }

  private func join(_ harness: Harness, _ code: String = code) -> Answer? {
    let request = harness.request(.join(harness.address(0), code: code), of: 1)
    harness.settle()
    return harness.answers[request]
  }

  private func isMember(_ harness: Harness) -> Bool { harness.engines[1].identity.group == Harness.group }

  @Test(arguments: [code, "abcdefghjklm", "ab cd-EF gh-jk lm", "-ABCDEFGHJKLM "])
  func theRightCodeHoweverTyped(code: String) {
    let harness = pair()
    #expect(join(harness, code) == .done(changed: 1))
    #expect(isMember(harness) && harness.disks[1].group == Harness.group)
    harness.expectConverged()
    #expect(harness.engines[0].members.map(\.device) == harness.identities.map(\.device))
    #expect(harness.notices.contains { $0.notice == .joined(Harness.group) })
  }

  /// Once admitted, the session goes on: the address is not dialled again beside it.
  @Test func oneSessionIsEnough() {
    let harness = pair()
    #expect(join(harness) == .done(changed: 1))
    harness.advance(600_000)
    #expect(harness.dials.count == 1 && harness.closings.isEmpty)
    #expect(harness.engines.map(\.readySessions) == [1, 1])
  }

  @Test func purchasesComeAlong() {
    let harness = pair()
    harness.write(1, "mine", [1])
    harness.write(0, "theirs", [2])
    #expect(join(harness) == .done(changed: 1))
    #expect(harness.value(0, "mine") == [1] && harness.value(1, "theirs") == [2])
    harness.expectConverged()
  }

  @Test func aWrongCode() {
    let harness = pair()
    #expect(join(harness, "WRONG") == .refused(.notAdmitted(.wrongCode)))
    #expect(!isMember(harness) && harness.engines[0].members.count == 1)
    #expect(harness.engines[0].readySessions == 0)
    #expect(join(harness) == .done(changed: 1))
  }

  @Test func fiveTries() {
    let harness = pair()
    for _ in 1...Limits.invitationTries {
      #expect(join(harness, "WRONG") == .refused(.notAdmitted(.wrongCode)))
    }
    #expect(join(harness) == .refused(.notAdmitted(.noInvitation)))
  }

  @Test func aCodeIsGoodOnce() {
    let harness = pair()
    #expect(join(harness) == .done(changed: 1))
    let third = harness.add(group: GroupID(high: 0, low: 10))
    harness.start(third)
    let request = harness.request(.join(harness.address(0), code: Self.code), of: third)
    harness.settle()
    #expect(harness.answers[request] == .refused(.notAdmitted(.noInvitation)))
  }

  @Test func anExpiredCode() {
    let harness = pair()
    harness.advance(UInt64(Limits.invitationMilliseconds))
    #expect(join(harness) == .refused(.notAdmitted(.noInvitation)))
  }

  @Test func noInvitation() {
    let harness = Harness(1)
    harness.start(harness.add(group: GroupID(high: 0, low: 9)))
    harness.connectsDials = true
    #expect(join(harness) == .refused(.notAdmitted(.noInvitation)))
  }

  @Test func nobodyThere() {
    let harness = pair()
    let request = harness.request(.join(Address(host: "nowhere", port: 1), code: Self.code), of: 1)
    #expect(harness.answers[request] == .refused(.unreachable))
    #expect(join(harness) == .done(changed: 1))
  }

  @Test func whoHasAGroupDoesNotJoinAnother() {
    let harness = pair()
    #expect(join(harness) == .done(changed: 1))
    harness.request(.invite(code: Self.code, expires: expiry(harness)), of: 0)
    #expect(join(harness) == .refused(.alreadyInGroup))
  }

  /// An address that is dialled anyway: what becomes of that session says nothing about the join.
  @Test func anotherSessionWithTheSameAddress() {
    let harness = Harness(1)
    harness.add(group: GroupID(high: 0, low: 9))
    harness.start(1, peers: [harness.address(0)])
    harness.request(.invite(code: Self.code, expires: expiry(harness)), of: 0)
    // The address is dialled, and answers "stranger" while the join is under way.
    harness.connect(1, 0)
    let request = harness.request(.join(harness.address(0), code: Self.code), of: 1)
    harness.connect(1, 0)
    harness.settle()
    #expect(harness.closeReasons.contains(.stranger))
    #expect(harness.answers[request] == .done(changed: 1))
    #expect(isMember(harness))
    harness.expectConverged()
  }

  /// The device that invited never answers.
  @Test func aJoinEnds() {
    let harness = pair()
    harness.connectsDials = false
    let request = harness.request(.join(harness.address(0), code: Self.code), of: 1)
    #expect(harness.answers[request] == nil)
    #expect(join(harness) == .refused(.busy))
    harness.advance(2 * Limits.handshakeMilliseconds)
    #expect(harness.answers[request] == .refused(.unreachable))
  }
}
