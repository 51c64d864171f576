import Foundation
import PeerSync
import Testing

/// A device of the household with rows of every kind, closed, and what a good peer holds.
struct RotFixture {
  let home: TemporaryDirectory
  let good: HarnessDisk
  let before: PersistedDevice
  static let author = Author(1)

  var directory: DataDirectory { DataDirectory(home.path) }

  /// - Parameter isAlone: whether nobody else is in the group
  init(isAlone: Bool = false) throws {
    home = try TemporaryDirectory()
    let harness = Harness(start: false)
    for _ in 0..<3 { harness.add(isAlone: isAlone) }
    for index in 0..<3 { harness.start(index) }
    if !isAlone { for (one, other) in [(0, 1), (1, 2), (0, 2)] { harness.connect(one, other) } }
    Self.fill(harness)
    good = harness.disks[1]
    let directory = DataDirectory(home.path)
    try Storage.create(directory, Harness.device(Self.author))
    try Storage(directory).persist(Self.everything(harness, isAlone: isAlone))
    before = try Storage(directory).load(key: Self.author.key.publicKey, .simulated)
    #expect(before.damage == nil)
  }

  /// Commits of one write and of many, replaced in part and as a whole.
  private static func fill(_ harness: Harness) {
    for round in 0..<4 {
      for index in 0..<3 {
        let writes = (0..<6).map { place in
          LocalWrite(
            key: RegisterKey.value(key: "shared \((round * 5 + index * 3 + place) % 24)").encoded,
            value: Array("\(index) wrote it in round \(round)".utf8))
        }
        harness.request(.write(writes), of: index)
        harness.write(index, "own \(index) \(round)", [UInt8(round)])
        harness.write(index, "last \(index)", [UInt8(round)])
        let grant = RegisterKey.grant(entitlement: "owls \(index)", id: "manual")
        harness.request(.write([LocalWrite(key: grant.encoded, value: Grant(until: nil).encoded)]), of: index)
        harness.settle()
      }
    }
  }

  private static func everything(_ harness: Harness, isAlone: Bool) -> Durable {
    var durable = harness.replica(0).everything
    if !isAlone {
      let founding = Harness.device(author).founding
      durable.append(.records(Harness.household.records.filter { $0 != founding }))
      durable.append(.group(Harness.group))
    }
    durable.append(.addresses([.at(Author(2).device, 7), .at(Author(3).device, 8)]))
    durable.append(.contacts([KnownPeer.Contact(device: Author(2).device, seen: Instant(clamping: 5_000))]))
    let invitation = Invitation(
      key: InvitationKey(words: (1, 2, 3, 4)), expires: Instant(clamping: 9_000), triesLeft: 3)
    durable.append(.invitation(.open(invitation)))
    let bound = TrustedTime.Bound(origin: 77, vouched: Instant(clamping: 78))
    let peer = TrustedTime.Peer(device: Author(2).device, since: 76, bound: bound)
    durable.append(.known([VectorHistory.Entry(hour: 9, replica: Author(2).replica, sequence: 1)]))
    durable.append(.time(TrustedTime.Persisted(ran: 5, store: bound, peers: [peer])))
    return durable
  }

  /// What the database tells now.
  func load() throws -> PersistedDevice { try Self.load(directory) }

  static func load(_ directory: DataDirectory) throws -> PersistedDevice {
    try Storage(directory).load(key: author.key.publicKey, .simulated)
  }

  /// Changes the closed database behind its back.
  func alter(_ sql: String) throws {
    let database = try Database(path: directory.database)
    try database.execute(sql)
  }

  /// The device at work, and the good peer, not connected yet.
  func harness(_ kept: PersistedDevice) -> Harness {
    let harness = Harness(start: false)
    harness.add(disk: HarnessDisk(kept), author: Self.author)
    harness.add(disk: good, author: Author(2))
    for index in 0...1 { harness.start(index) }
    return harness
  }
}

extension HarnessDisk {
  init(_ kept: PersistedDevice) {
    self.init()
    persist(kept.replica.everything)
    replica = kept.identity.replica
    damage = kept.damage
  }
}

/// What a device answers from.
struct PersistedAnswers: Equatable {
  let identity: Identity
  let writes: [Write]
  let vector: VersionVector
  let proofs: [ProofChange]
  let records: [MembershipRecord]
  let addresses: [KnownPeer.Listening]
  let invitation: Invitation?
  let isOnline: Bool
  let time: TrustedTime.Persisted
  let contacts: [KnownPeer.Contact]

  init(_ kept: PersistedDevice) {
    identity = kept.identity
    writes = kept.replica.sortedWrites()
    vector = kept.replica.vector
    proofs = kept.replica.everything.proofs
    records = kept.membership.records
    addresses = kept.addresses
    invitation = kept.invitation
    isOnline = kept.isOnline
    time = kept.time
    contacts = kept.contacts
  }
}
