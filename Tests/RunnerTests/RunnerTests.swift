import PeerSyncCore
import Testing

/// A runner made of public declarations alone, as docs/runner.md describes it.
@Suite struct RunnerTests {
  private let network = Network()
  private let until = Instant("2026-12-31T00:00:00Z")

  /// Two devices of one group.
  private func pair() throws -> (phone: Device, tablet: Device) {
    let phone = try Device(number: 1, name: "Phone", on: network)
    let tablet = try Device(number: 2, name: "Tablet", on: network)
    let code = try #require(InvitationKey([UInt8](repeating: 7, count: 32)))
    let expires = network.now.wall.advanced(byMilliseconds: 300_000)
    let invited = phone.ask(.invite(Invitation(key: code, expires: expires)))
    guard case .invited(let address?)? = phone.answers[invited] else {
      throw Unexpected(answer: phone.answers[invited])
    }
    let joined = tablet.ask(.join(address, code))
    network.settle()
    #expect(tablet.answers[joined] == .done(changed: 1))
    network.pass(seconds: 2)
    return (phone, tablet)
  }

  private struct Unexpected: Error {
    let answer: Answer?
  }

  private func entitlements(_ device: Device) -> [String] {
    device.view.entitlements.filter(\.active).map(\.id)
  }

  @Test func whatOneDecidesTheOtherKnows() throws {
    let (phone, tablet) = try pair()
    #expect(phone.identity.group == tablet.identity.group)
    let granted = phone.ask(.grant(entitlement: "pro", until: until))
    #expect(phone.answers[granted] == .done(changed: 1))
    network.settle()
    #expect(entitlements(tablet) == ["pro"])
    #expect(phone.peers.map(\.isInSync) == [true] && tablet.peers.map(\.isInSync) == [true])
  }

  @Test func whatIsInTheJournalOutlivesTheProgram() throws {
    let (phone, tablet) = try pair()
    phone.ask(.grant(entitlement: "pro", until: until))
    tablet.ask(.grant(entitlement: "plus", until: nil))
    network.settle()
    // Twice: the second time from a journal that begins with a snapshot.
    for _ in 0..<2 {
      try tablet.restart()
      #expect(entitlements(tablet) == ["plus", "pro"])
      network.pass(seconds: 2)
      #expect(tablet.peers.map(\.isInSync) == [true])
      tablet.ask(.revoke(entitlement: "pro"))
      network.settle()
      #expect(entitlements(phone) == ["plus"])
      phone.ask(.grant(entitlement: "pro", until: until))
      network.settle()
      #expect(entitlements(tablet) == ["plus", "pro"])
    }
  }

  /// Nothing is answered or sent that the disk does not have.
  @Test func aFullDiskAcknowledgesNothing() throws {
    let (phone, tablet) = try pair()
    phone.isDiskFull = true
    let granted = phone.ask(.grant(entitlement: "pro", until: until))
    network.settle()
    #expect(phone.answers[granted] == nil && entitlements(tablet) == [])
    phone.isDiskFull = false
    try phone.restart()
    #expect(entitlements(phone) == [])
  }

  @Test func aStoreThatCannotSignIsSaid() throws {
    let (phone, _) = try pair()
    let bought = phone.ask(.purchase(PurchaseOrder("3months"), id: 1))
    network.settle()
    #expect(phone.answers[bought]?.refusal == .purchase(.unknownProduct("3months")))
  }
}
