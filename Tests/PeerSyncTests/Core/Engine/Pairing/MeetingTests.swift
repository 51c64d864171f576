import PeerSyncCore
import PeerSyncSimulation
import Testing

/// Two devices that meet over an invitation, each with a group of its own.
@Suite struct MeetingTests {
  private let inviter = Author(1)
  private let joiner = Author(2)

  private func meeting(_ author: Author, exporter: UInt64 = 1) -> Meeting {
    Meeting(
      key: author.key.publicKey, signer: author.key, cryptography: .simulated,
      exporter: ContentHash(words: (exporter, 0, 0, 0)))
  }

  private func records(_ author: Author) -> Membership {
    Membership([Machines.device(author).founding], .simulated)
  }

  private func proposal() throws -> Introduction {
    let group = Machines.device(inviter).identity.group
    return try meeting(inviter).propose(
      to: joiner.key.publicKey, of: records(joiner), records(inviter), in: group)
  }

  @Test func twoGroupsBecomeOne() throws {
    let introduction = try proposal()
    let consent = try meeting(joiner).agree(to: introduction, of: records(inviter), records(joiner))
    let record = try meeting(inviter).record(
      consent, to: introduction.proposal, of: joiner.key.publicKey)
    #expect(record.fulfils(introduction.proposal))
    let united = Membership(records(inviter).records + records(joiner).records + [record], .simulated)
    for author in [inviter, joiner] {
      let group = united.group(of: author.key.publicKey)
      #expect(group?.members.map(\.key) == [inviter.key.publicKey, joiner.key.publicKey])
    }
  }

  /// What was signed on one connection proves nothing on another.
  @Test func nobodyInBetweenPutsInAKey() throws {
    let introduction = try proposal()
    #expect(throws: CloseReason.forged) {
      try meeting(joiner, exporter: 2).agree(to: introduction, of: records(inviter), records(joiner))
    }
    let other = Introduction(
      key: Author(3).key.publicKey, signature: introduction.signature, proposal: introduction.proposal)
    #expect(throws: CloseReason.forged) {
      try meeting(joiner).agree(to: other, of: records(inviter), records(joiner))
    }
    let consent = try meeting(joiner).agree(to: introduction, of: records(inviter), records(joiner))
    #expect(throws: CloseReason.forged) {
      try meeting(inviter).record(consent, to: introduction.proposal, of: Author(3).key.publicKey)
    }
    #expect(throws: CloseReason.forged) {
      try meeting(inviter, exporter: 2).record(
        consent, to: introduction.proposal, of: joiner.key.publicKey)
    }
  }

  @Test func nobodyJoinsItself() throws {
    let introduction = try proposal()
    #expect(throws: CloseReason.itself) {
      try meeting(inviter).agree(to: introduction, of: records(inviter), records(inviter))
    }
  }
}
