import PeerSync
import PeerSyncCore
import PeerSyncSimulation
import Testing

/// [F61] Devices that a member let in, and that have left again, take up the room of its branch.
@Suite struct DepartedTests {
  private typealias Owner = (key: SigningKey, founding: MembershipRecord)

  private static let host = Author(9)
  private static let number = 94

  private static func owner(_ author: Author) -> Owner { (author.key, Harness.device(author).founding) }

  private static func join(_ joiner: Owner, at host: Owner, _ known: inout Membership) throws {
    let proposal = try known.proposeMerge(
      host: host.key.publicKey, joiner: joiner.key.publicKey, of: Membership([joiner.founding], .simulated))
    let merge = MembershipRecord(
      proposal, host: proposal.signature(by: host.key), joiner: proposal.signature(by: joiner.key))
    _ = known.insert([joiner.founding, merge])
  }

  /// A first device, one that it let in, one that this let in, and those that came in there as well and have left.
  private static let records = Result {
    let (first, letIn) = (owner(Author(1)), owner(host))
    var known = try Membership.united([first, letIn], .simulated)
    try join(owner(Author(3)), at: letIn, &known)
    for guest in guests {
      try join(owner(guest), at: letIn, &known)
      _ = known.insert([try known.removal(of: guest.key.publicKey, cuts: [], by: guest.key)])
    }
    return known.records
  }

  private static var guests: [Author] { (0..<UInt64(number)).map { Author(1_000 + $0) } }

  /// The first device.
  private func first(knowing records: [MembershipRecord]) -> Harness {
    var disk = HarnessDisk()
    disk.persist(Durable([.records(records)]))
    let harness = Harness()
    harness.add(isAlone: true, disk: disk, author: Author(1))
    harness.start(0)
    return harness
  }

  private func crowded() throws -> (harness: Harness, departed: Set<DeviceID>) {
    let harness = first(knowing: try Self.records.get())
    #expect(harness.engines[0].group.removed.count == Self.number)
    return (harness, Set(Self.guests.map(\.device)))
  }

  private func warning(_ harness: Harness) -> String? {
    var told: [Phrase] = []
    harness.adjust(0) { engine in engine.look { told = $0.standing } }
    #expect(told.allSatisfy { $0.text(in: .korean) != $0.text(in: .english) })
    return told.map { $0.text(in: .english) }.first { $0.contains("no room for more devices") }
  }

  /// Whether the device below the host can take in another one.
  private func hasRoom(_ harness: Harness) throws -> Bool {
    let (below, guest) = (Author(3), Self.owner(Author(2_000)))
    do throws(MembershipError) {
      _ = try harness.engines[0].membership.proposeMerge(
        host: below.key.publicKey, joiner: guest.key.publicKey, of: Membership([guest.founding], .simulated))
      return true
    } catch {
      #expect(error == .full)
      return false
    }
  }

  private func remove(_ harness: Harness, disowning disowned: Set<DeviceID>) -> Answer? {
    let removal = Request.remove(
      Self.host.device, recoveryKey: nil, takingBack: .everything, disowning: disowned)
    let request = harness.request(removal, of: 0)
    return harness.answers[request]
  }

  /// What the warning promises: with whoever let them in those go that have left, at once or when it is removed again.
  @Test(arguments: [false, true]) func theyGoWithWhoLetThemIn(isRemovedBefore: Bool) throws {
    let (harness, departed) = try crowded()
    let told = try #require(warning(harness))
    #expect(told.contains("remove it on Device 1") && told.contains("also those that have left"))
    // The host may be honest: then there is room elsewhere, or nowhere in this group.
    #expect(told.contains("otherwise have Device 1 invite new devices") && told.contains("exported here"))
    #expect(try !hasRoom(harness))
    if isRemovedBefore {
      #expect(remove(harness, disowning: []) == .done(changed: 1))
      #expect(try warning(harness) != nil && !hasRoom(harness))
    }
    #expect(remove(harness, disowning: departed) == .done(changed: 1))
    #expect(try warning(harness) == nil && hasRoom(harness))
    let group = harness.engines[0].group
    #expect(group.removed.map(\.device.id) == [Self.host.device] && group.members.count == 2)
  }

  /// Who was let in by somebody else does not go with it.
  @Test func nobodyElseGoes() throws {
    let (harness, departed) = try crowded()
    let guest = try #require(departed.min())
    let request = harness.request(
      .remove(Author(3).device, recoveryKey: nil, disowning: [guest]), of: 0)
    #expect(harness.answers[request] == .refused(.unknownDevice))
    #expect(harness.engines[0].group.removed.count == Self.number)
  }

  /// As it would if that one had not left: nobody can name it, for somebody else than the host let it in.
  @Test func whomOneThatLeftLetInGoesAlong() throws {
    let (owner, letIn, guest) = (Self.owner(Author(1)), Self.owner(Self.host), Author(1_000))
    var known = try Membership.united([owner, letIn], .simulated)
    try Self.join(Self.owner(Author(3)), at: letIn, &known)
    try Self.join(Self.owner(guest), at: letIn, &known)
    try Self.join(Self.owner(Author(5)), at: Self.owner(guest), &known)
    _ = known.insert([try known.removal(of: guest.key.publicKey, cuts: [], by: guest.key)])
    let harness = first(knowing: known.records)
    #expect(harness.engines[0].group.members.count == 4)
    #expect(remove(harness, disowning: [guest.device]) == .done(changed: 1))
    #expect(harness.engines[0].group.members.map(\.id) == [Author(1).device, Author(3).device])
  }
}
