import PeerSyncCore
import Testing

/// What is to be made durable must not be lost when more is added to it.
@Suite struct DurableTests {
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
    durable.contacts = [KnownPeer.Contact(device: DeviceID(high: 1, low: 1), seen: .epoch)]
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
}
