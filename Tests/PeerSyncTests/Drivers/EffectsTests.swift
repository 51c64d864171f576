import PeerSync
import Testing

/// What one call of the engine wants done must not be lost when another call's is added to it.
@Suite struct EffectsTests {
  private static let later: Effects = {
    var effects = Effects()
    effects.durable = filled
    effects.messages = [(SessionID(rawValue: 1), .someWelcome)]
    effects.closings = [(SessionID(rawValue: 1), .leaving)]
    effects.members = [Author(3).key.publicKey]
    effects.dials = [DialTarget(address: Address(host: "127.0.0.1", port: 1))]
    effects.answers = [(RequestID(rawValue: 1), .done(changed: 1))]
    effects.drafts = [(RequestID(rawValue: 1), Shop.buy("1", Shop.owl, "2026-01-01"))]
    effects.changed = true
    effects.notices = [.cloned]
    return effects
  }()

  private static let filled: Durable = {
    var durable = Durable()
    durable.append(WriteBatch(.numbered(1)))
    durable.remove([[1]])
    durable.set(VersionVector([Dot(replica: Author(3).replica, sequence: 1)]))
    durable.claim([Dot(replica: Author(3).replica, sequence: 2)])
    durable.proofs = [.alive(Dot(replica: Author(3).replica, sequence: 1))]
    durable.replica = Author(3).replica
    durable.records = [NewDevice.third.founding]
    durable.invitation = .closed
    durable.group = NewDevice.third.identity.group
    durable.addresses = [.at(DeviceID(high: 1, low: 1), 1)]
    durable.isOnline = false
    durable.time = TrustedTime.Evidence(instant: .epoch, voucher: .peer(DeviceID(high: 1, low: 1)))
    durable.contacts = [Contact(device: DeviceID(high: 1, low: 1), seen: .epoch)]
    durable.inventory = Inventory(
      registers: 1, digest: Digest(), commits: 1, hashes: 1, replica: Author(3).replica, used: 1)
    durable.isRepaired = true
    durable.isSetBackOver = true
    durable.setAside = SetAside([SetAside.Part(replica: Author(3).replica, commits: [1])])
    return durable
  }()

  /// The text of each field.
  private func fields(of value: Any) -> [String: String] {
    Dictionary(uniqueKeysWithValues: Mirror(reflecting: value).children.map { ($0 ?? "", "\($1)") })
  }

  /// Whoever adds a field meets this: it is to be filled above, and added in `append`.
  @Test func nothingIsDroppedWhenEffectsAreAdded() {
    let (none, all) = (fields(of: Effects()), fields(of: Self.later))
    for (field, text) in none { #expect(all[field] != text, "\(field) is not filled") }
    var effects = Effects()
    effects.append(Self.later)
    #expect(fields(of: effects) == all)
    effects.append(Effects())
    #expect(fields(of: effects) == all)
  }

  @Test func nothingIsDroppedWhenDurablesAreAdded() {
    let (none, all) = (fields(of: Durable()), fields(of: Self.filled))
    for (field, text) in none { #expect(all[field] != text, "\(field) is not filled") }
    var durable = Durable()
    #expect(durable.isEmpty)
    durable.append(Self.filled)
    #expect(fields(of: durable) == all && !durable.isEmpty)
    durable.append(Durable())
    #expect(fields(of: durable) == all)
  }

  @Test func theLaterListOfMembersCounts() {
    var effects = Effects()
    effects.members = [Author(1).key.publicKey]
    effects.append(Self.later)
    #expect(effects.members == [Author(3).key.publicKey])
  }
}
