import PeerSyncCore
import Testing

@Suite struct JoiningTests {
  static let key = InvitationKey(words: (1, 2, 3, 4))
  private static let wrongKey = InvitationKey(words: (1, 2, 3, 5))

  static func invitation(_ harness: Harness) -> Invitation {
    let expires = harness.now(0).wall.advanced(byMilliseconds: Limits.invitationMilliseconds)
    return Invitation(key: key, expires: expires)
  }

  /// Two devices that are alone, the first with an open invitation.
  static func pair() -> Harness {
    let harness = Harness()
    for index in 0..<2 {
      harness.add(isAlone: true)
      harness.start(index)
    }
    harness.connectsDials = true
    harness.request(.invite(invitation(harness)), of: 0)
    return harness
  }

  private func join(
    _ harness: Harness, _ key: InvitationKey = key, _ index: Int = 1, to host: Int = 0
  ) -> Answer? {
    let request = harness.request(.join(harness.address(host), key), of: index)
    harness.settle()
    return harness.answers[request]
  }

  private func members(_ harness: Harness, _ index: Int) -> [DeviceID] {
    harness.engines[index].group.members.map(\.id)
  }

  // MARK: What it brings about

  @Test func theRightCodeMakesOneGroup() {
    let harness = Self.pair()
    #expect(join(harness) == .done(changed: 1))
    let group = harness.engines[0].identity.group
    #expect(group == harness.identities[0].group && harness.engines[1].identity.group == group)
    #expect(harness.disks[1].group == group)
    #expect(harness.notices.contains { $0.engine == 1 && $0.notice == .joined(group) })
    for index in 0..<2 {
      // The one that invited is the more senior.
      #expect(members(harness, index) == harness.identities.map(\.device))
      #expect(harness.admitted[index] == (UInt64(1)...2).map { Author($0).key.publicKey })
    }
    #expect(harness.engines[0].membership.fingerprint == harness.engines[1].membership.fingerprint)
    harness.advance(1_000)
    #expect(harness.engines.map(\.readySessions) == [1, 1])
    harness.expectConverged()
  }

  /// A device whose disk was set back to before it joined, and that has joined another one since, is in two groups by its own word. It
  /// comes back to the one that invites it, with what it has decided in the other.
  @Test func whoHasJoinedAnotherSinceItWasSetBackComesBack() {
    let harness = Self.pair()
    harness.add(isAlone: true)
    harness.start(2)
    let before = harness.disks[1]
    #expect(join(harness) == .done(changed: 1))
    harness.cut()
    harness.restart(1, from: before)
    harness.request(.invite(Self.invitation(harness)), of: 2)
    #expect(join(harness, to: 2) == .done(changed: 1))
    harness.write(1, "mine", [1])
    harness.settle()
    #expect(harness.engines[1].group.id == harness.identities[2].group)
    harness.request(.invite(Self.invitation(harness)), of: 0)
    #expect(join(harness) == .done(changed: 1))
    harness.advance(60_000)
    for index in 0..<2 {
      #expect(members(harness, index) == harness.identities.prefix(2).map(\.device), "engine \(index)")
      #expect(harness.disks[index].group == harness.identities[0].group)
      #expect(harness.value(index, "mine") == [1])
    }
  }

  @Test func whatBothHadComesAlong() {
    let harness = Self.pair()
    harness.write(1, "mine", [1])
    harness.write(0, "theirs", [2])
    #expect(join(harness) == .done(changed: 1))
    harness.advance(1_000)
    #expect(harness.value(0, "mine") == [1] && harness.value(1, "theirs") == [2])
    harness.expectConverged()
  }

  /// Everything is on the disks: both know each other after a restart.
  @Test func itLasts() {
    let harness = Self.pair()
    #expect(join(harness) == .done(changed: 1))
    harness.cut()
    for index in 0..<2 {
      harness.restart(index)
      #expect(members(harness, index) == harness.identities.map(\.device))
    }
    harness.connect(1, 0)
    harness.settle()
    #expect(harness.engines.map(\.readySessions) == [1, 1])
  }

  /// Two groups of two: the first of one joins a member of the other, and brings the second along.
  @Test func E51_groupsBecomeOne() {
    let harness = Harness()
    for index in 0..<4 {
      harness.add(isAlone: true)
      harness.start(index)
    }
    harness.connectsDials = true
    for (host, joiner) in [(0, 1), (2, 3), (1, 2)] {
      harness.write(joiner, "of \(joiner)", [1])
      harness.request(.invite(Self.invitation(harness)), of: host)
      #expect(join(harness, Self.key, joiner, to: host) == .done(changed: 1), "\(joiner) to \(host)")
      harness.advance(1_000)
    }
    harness.advance(120_000)
    for index in 0..<4 {
      #expect(members(harness, index) == harness.identities.map(\.device), "engine \(index)")
      #expect(harness.value(index, "of 3") == [1])
    }
    harness.expectConverged()
  }

  /// The second of a group cannot take the group elsewhere over the head of the first.
  @Test func onlyTheFirstOfAGroupBringsItAlong() {
    let harness = Self.pair()
    #expect(join(harness) == .done(changed: 1))
    let third = harness.add(isAlone: true)
    harness.start(third)
    harness.request(.invite(Self.invitation(harness)), of: third)
    #expect(join(harness, Self.key, 1, to: third) == .refused(.notAdmitted(.notFirst)))
    #expect(join(harness, Self.key, 0, to: third) == .done(changed: 1))
  }

  /// What the removed device wrote since is voided in the middle of joining.
  @Test func E50_whomARemovedDeviceTookInJoinsAnew() {
    let harness = Self.pair()
    #expect(join(harness) == .done(changed: 1))
    let third = harness.add(isAlone: true)
    harness.start(third)
    harness.advance(1_000)
    harness.request(.setOnline(false), of: 0)
    harness.request(.invite(Self.invitation(harness)), of: 1)
    #expect(join(harness, Self.key, third, to: 1) == .done(changed: 1))
    harness.write(1, "late", [1])
    harness.advance(1_000)
    #expect(harness.value(third, "late") == [1])
    harness.request(.remove(harness.identities[1].device, recoveryKey: nil), of: 0)
    harness.request(.setOnline(false), of: 1)
    harness.request(.setOnline(true), of: 0)
    harness.request(.invite(Self.invitation(harness)), of: 0)
    #expect(join(harness, Self.key, third, to: 0) == .done(changed: 1))
    #expect(harness.notices.contains { if case .voided = $0.notice { $0.engine == third } else { false } })
    #expect(members(harness, 0).count == 2 && members(harness, third).count == 2)
  }

  // MARK: Codes

  @Test func aWrongCode() {
    let harness = Self.pair()
    #expect(join(harness, Self.wrongKey) == .refused(.notAdmitted(.wrongCode)))
    #expect(members(harness, 0).count == 1 && members(harness, 1).count == 1)
    #expect(harness.notices.contains { $0.notice == .wrongCode(triesLeft: Limits.invitationTries - 1) })
    #expect(join(harness) == .done(changed: 1))
  }

  /// Tries are counted on the disk: a restart gives no more of them.
  @Test(arguments: [false, true]) func fiveTries(restarts: Bool) {
    let harness = Self.pair()
    for _ in 1...Limits.invitationTries {
      #expect(join(harness, Self.wrongKey) == .refused(.notAdmitted(.wrongCode)))
      if restarts { harness.restart(0) }
    }
    #expect(join(harness) == .refused(.notAdmitted(.noInvitation)))
    #expect(harness.disks[0].invitation == nil)
  }

  @Test func anInvitationOutlivesARestart() {
    let harness = Self.pair()
    harness.restart(0)
    #expect(join(harness) == .done(changed: 1))
  }

  @Test func aCodeIsGoodOnce() {
    let harness = Self.pair()
    #expect(join(harness) == .done(changed: 1))
    let third = harness.add(isAlone: true)
    harness.start(third)
    #expect(join(harness, Self.key, third) == .refused(.notAdmitted(.noInvitation)))
  }

  /// Two come in over the same invitation before either is admitted: one is.
  /// Whoever holds a connection that was made with the code of an earlier invitation is not let in over a later one.
  @Test func anEarlierCodeOpensNoLaterInvitation() {
    let harness = Self.pair()
    harness.connectsDials = false
    let request = harness.request(.join(harness.address(0), Self.key), of: 1)
    harness.connectOverInvitation(1, 0)
    harness.monotonic += 10
    let later = Invitation(key: Self.wrongKey, expires: Self.invitation(harness).expires)
    harness.request(.invite(later), of: 0)
    harness.settle()
    #expect(harness.answers[request] == .refused(.notAdmitted(.noInvitation)))
    #expect(members(harness, 0).count == 1 && harness.engines[0].invitation?.key == Self.wrongKey)
  }

  @Test func aCodeIsGoodOnceForTwoAtTheSameTime() {
    let harness = Self.pair()
    let third = harness.add(isAlone: true)
    harness.start(third)
    let requests = [1, third].map { harness.request(.join(harness.address(0), Self.key), of: $0) }
    harness.settle()
    let answers = requests.map { harness.answers[$0] }
    #expect(answers.filter { $0 == .done(changed: 1) }.count == 1)
    #expect(answers.contains(.refused(.notAdmitted(.noInvitation))))
    #expect(members(harness, 0).count == 2)
  }

  @Test func anExpiredCode() {
    let harness = Self.pair()
    #expect(
      harness.engines[0].nextDeadline.map { $0 <= UInt64(Limits.invitationMilliseconds) + harness.monotonic }
        == true)
    harness.advance(UInt64(Limits.invitationMilliseconds))
    // Not even its key is heard any more, nor is it there after a restart.
    #expect(harness.engines[0].invitation == nil && harness.disks[0].invitation == nil)
    #expect(join(harness) == .refused(.notAdmitted(.noInvitation)))
  }

  @Test func aClockTurnedBackGivesAnInvitationItsWholeTimeAtMost() {
    let harness = Self.pair()
    harness.advance(UInt64(Limits.invitationMilliseconds) / 2)
    harness.skew[0] = -90 * 86_400_000
    // Not even over a restart: the whole time of an invitation is the most that is left.
    harness.restart(0)
    harness.advance(UInt64(Limits.invitationMilliseconds))
    #expect(join(harness) == .refused(.notAdmitted(.noInvitation)))
  }

  @Test func aDeviceWhoseClockWasTurnedBackCanInvite() {
    let harness = Self.pair()
    harness.advance(UInt64(Limits.invitationMilliseconds))
    harness.skew[0] = -90 * 86_400_000
    harness.request(.invite(Self.invitation(harness)), of: 0)
    #expect(join(harness) == .done(changed: 1))
  }

  // MARK: Refusals

  @Test func anotherApp() {
    let harness = Self.pair()
    let other = harness.add(isAlone: true, bundleId: "com.example.other")
    harness.start(other)
    #expect(join(harness, Self.key, other) == .refused(.notAdmitted(.stranger)))
    #expect(members(harness, 0).count == 1)
  }

  @Test func whoWasRemovedDoesNotComeBack() {
    let harness = Self.pair()
    #expect(join(harness) == .done(changed: 1))
    harness.request(.remove(harness.identities[1].device, recoveryKey: nil), of: 0)
    harness.settle()
    harness.request(.invite(Self.invitation(harness)), of: 0)
    #expect(join(harness) == .refused(.removed))
    // Nor does it take in others.
    let invitation = harness.request(.invite(Self.invitation(harness)), of: 1)
    #expect(harness.answers[invitation] == .refused(.removed))
    // Even if it does not know that it was removed.
    harness.restart(1, from: HarnessDisk())
    #expect(join(harness) == .refused(.notAdmitted(.removed)))
  }

  /// It has met the other over the invitation alone.
  @Test func whoDiesRightAfterJoiningFindsTheOtherAgain() {
    let harness = Self.pair()
    #expect(join(harness) == .done(changed: 1))
    harness.connectsDials = false
    harness.cut()
    var disk = harness.disks[1]
    disk.addresses = harness.journals[1, default: []].flatMap(\.addresses).filter { $0.stamp.rawValue == 0 }
    let before = harness.dials.count
    harness.restart(1, from: disk)
    harness.advance(2 * Limits.redialMaximumMilliseconds)
    #expect(harness.dials[before...].contains { $0.engine == 1 && $0.address == harness.address(0) })
  }

  @Test func membersDoNotJoinAgain() {
    let harness = Self.pair()
    #expect(join(harness) == .done(changed: 1))
    harness.request(.invite(Self.invitation(harness)), of: 0)
    let before = harness.engines[0].membership.hashes
    _ = join(harness)
    #expect(harness.engines[0].membership.hashes == before)
    #expect(members(harness, 1).count == 2)
  }

  @Test func nobodyThere() {
    let harness = Self.pair()
    let request = harness.request(.join(Address(host: "nowhere", port: 1), Self.key), of: 1)
    #expect(harness.answers[request] == .refused(.unreachable))
    #expect(join(harness) == .done(changed: 1))
  }

  /// The device that invited never answers.
  @Test func aJoinEnds() {
    let harness = Self.pair()
    harness.connectsDials = false
    let request = harness.request(.join(harness.address(0), Self.key), of: 1)
    #expect(harness.answers[request] == nil)
    #expect(join(harness) == .refused(.busy))
    harness.advance(2 * Limits.handshakeMilliseconds)
    #expect(harness.answers[request] == .refused(.unreachable))
  }

  @Test("a dial for a member at the same address that comes to nothing says nothing of a join")
  func otherDial() {
    let harness = Self.pair()
    harness.connectsDials = false
    let request = harness.request(.join(harness.address(0), Self.key), of: 1)
    for reason in [nil, CloseReason.stranger] {
      harness.handle(1, [.unreachable(harness.address(0), reason)])
    }
    #expect(harness.answers[request] == nil)
    harness.handle(1, [.notJoined(harness.address(0), .noInvitation)])
    #expect(harness.answers[request] == .refused(.notAdmitted(.noInvitation)))
  }

  // MARK: In between

  /// Whatever is altered on the way by somebody who knows the code: nothing comes of it, or just what both wanted.
  @Test(arguments: [MessageType.join, .introduction, .consent, .admitted])
  func aManInTheMiddle(type: MessageType) {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<20 {
      let harness = Self.pair()
      harness.filter = { envelope in
        guard envelope.message.type == type else { return [envelope] }
        return [
          Harness.Envelope(
            from: envelope.from, fromSession: envelope.fromSession, to: envelope.to,
            session: envelope.session,
            message: envelope.message.tampered(&random))
        ]
      }
      let answer = join(harness)
      #expect(answer != .done(changed: 1), "\(type)")
      #expect(members(harness, 1) == [harness.identities[1].device])
      // The inviter has made the record before its last word; nobody else is in it.
      #expect(members(harness, 0).allSatisfy(harness.identities.map(\.device).contains))
    }
  }

  /// What was said over one connection proves nothing over another.
  @Test func aRecordedJoiningIsWorthNothing() {
    let recorded = Self.pair()
    #expect(join(recorded) == .done(changed: 1))
    let said = recorded.sent.filter { $0.from == 1 && [.join, .records, .consent].contains($0.message.type) }
    let harness = Self.pair()
    let session = harness.open(0, over: .invitation(exporter: ContentHash(words: (9, 9, 9, 9))))
    for envelope in said { harness.handle(0, [.received(session, envelope.message)]) }
    #expect(harness.closeReasons == [.forged])
    #expect(members(harness, 0).count == 1)
  }

  /// The last word is lost: the joiner does not know that it was admitted. It tries again and finds out.
  @Test func aHalfFinishedJoinIsHealed() {
    let harness = Self.pair()
    harness.filter = { $0.message.type == .admitted ? [] : [$0] }
    let request = harness.request(.join(harness.address(0), Self.key), of: 1)
    harness.settle()
    #expect(members(harness, 0).count == 2 && members(harness, 1).count == 1)
    harness.advance(2 * Limits.handshakeMilliseconds)
    #expect(harness.answers[request] != .done(changed: 1))
    harness.filter = { [$0] }
    harness.request(.invite(Self.invitation(harness)), of: 0)
    #expect(join(harness) == .done(changed: 1))
    #expect(members(harness, 1).count == 2)
  }
}

extension Message {
  /// The same kind of message with something else in it.
  fileprivate func tampered(_ random: inout SeededGenerator) -> Message {
    while true {
      let other = Message.generate(type, &random)
      if other != self { return other }
    }
  }
}
