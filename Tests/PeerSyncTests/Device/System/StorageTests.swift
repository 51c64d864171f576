import Foundation
import PeerSync
import Testing

@Suite struct StorageTests {
  private let home: TemporaryDirectory
  private let directory: DataDirectory

  init() throws {
    home = try TemporaryDirectory()
    directory = DataDirectory(home.path)
    try Storage.create(directory, .third)
  }

  /// A store that has taken what a replica has merged.
  private func fill(_ storage: Storage, seed: UInt64, batches: Int, size: Int) throws -> Replica {
    var random = SeededGenerator(seed: seed)
    var replica = Author(3).emptyReplica
    for round in 0..<batches {
      var batch = WriteBatch()
      for place in 0..<size {
        var write = Write.generate(&random)
        // No two writes share a dot; stamps, keys and replicas may meet as they like.
        write.dot = Dot(replica: write.dot.replica, sequence: UInt64(round * size + place + 1))
        batch.append(write)
      }
      let won = replica.merge(batch, ceiling: Stamp(rawValue: .max)).won
      let claims = replica.claim([Dot.generate(&random)])
      try storage.persist(.of(won, claims: claims))
    }
    return replica
  }

  @Test(arguments: [(1, 500), (3, 200), (40, 50), (2000, 2)])
  func whatWasPersistedIsLoaded(size: Int, batches: Int) throws {
    let expected = try fill(Storage(directory), seed: UInt64(size), batches: batches, size: size)
    let kept = try Storage(directory).loaded()
    let replica = kept.replica
    #expect(kept.identity == NewDevice.third.identity)
    #expect(replica.digest == expected.digest)
    #expect(replica.vector == expected.vector)
    let isEqual = replica.sortedWrites() == expected.sortedWrites()
    #expect(isEqual)
    #expect(replica.count > 100)
  }

  /// Small batches are stored as they come and large ones sorted: in both the last write of a key counts.
  @Test(arguments: [3, 31, 32, 1000]) func theLastWriteOfAKeyWins(count: Int) throws {
    var batch = WriteBatch()
    for number in 1...UInt64(count) { batch.append(.numbered(number, key: [UInt8(number % 3) + 3])) }
    try Storage(directory).persist(.of(batch))
    let replica = try Storage(directory).loaded().replica
    let kept = replica.sortedWrites().map(\.dot.sequence).sorted()
    #expect(kept == (UInt64(count) - 2...UInt64(count)).map { $0 })
  }

  @Test func keysOfManyLengthsKeepTheirOrder() throws {
    var random = SeededGenerator(seed: 11)
    var batch = WriteBatch()
    for number in 1...2000 {
      let key = [7, 7] + random.bytes(random.below(12)).map { $0 % 2 } + (random.chance(1, of: 2) ? [0] : [])
      batch.append(.numbered(UInt64(number), key: key))
    }
    var expected: [[UInt8]: UInt64] = [:]
    for write in batch.writes { expected[write.key] = write.dot.sequence }
    do {
      let storage = try Storage(directory)
      try storage.persist(.of(batch))
      #expect(storage.statistics.rows == expected.count)
    }
    let loaded = try Storage(directory).loaded().replica.sortedWrites()
    #expect(Dictionary(uniqueKeysWithValues: loaded.map { ($0.key, $0.dot.sequence) }) == expected)
  }

  @Test func groupAndAddressesAreLoaded() throws {
    let peer = DeviceID(high: 9, low: 9)
    let other = DeviceID(high: 8, low: 8)
    try Storage(directory).persist(
      Durable([
        .group(GroupID(high: 7, low: 7)), .online(false),
        .addresses([.at(peer, 1), .at(other, 2), .at(peer, 3)]),
      ]))
    let kept = try Storage(directory).loaded()
    #expect(kept.identity.group == GroupID(high: 7, low: 7))
    #expect(kept.addresses == [.at(other, 2), .at(peer, 3)])
    #expect(!kept.isOnline)
  }

  @Test func membershipRecordsAreLoaded() throws {
    let other = NewDevice.simulated(seed: 4, bundleId: "com.example.owls")
    let united = try Membership.united(
      [(Author(3).key, NewDevice.third.founding), (Author(4).key, other.founding)], .simulated)
    let news = united.records.filter { $0 != NewDevice.third.founding }
    try Storage(directory).persist(Durable([.records(news)]))
    let kept = try Storage(directory).loaded().membership
    #expect(kept.fingerprint == united.fingerprint && kept.records == united.records)
    #expect(kept.group(of: Author(3).key.publicKey)?.members.count == 2)
  }

  @Test func theInvitationIsLoadedWithItsTries() throws {
    #expect(try Storage(directory).loaded().invitation == nil)
    func persist(_ change: InvitationChange) throws -> Invitation? {
      try Storage(directory).persist(Durable([.invitation(change)]))
      return try Storage(directory).loaded().invitation
    }
    var words: UInt64 = 0
    for tries in [Limits.invitationTries, 2, 1] {
      words += 1
      let invitation = Invitation(
        key: InvitationKey(words: (words, 2, 3, .max)), expires: instant("2026-06-01"), triesLeft: tries)
      #expect(try persist(.open(invitation)) == invitation)
    }
    #expect(try persist(.closed) == nil)
    #expect(try persist(.closed) == nil)
  }

  /// A directory of the first version: no membership.
  @Test func aDeviceWithoutMembershipIsRefused() throws {
    let home = try TemporaryDirectory()
    let directory = DataDirectory(home.path)
    try directory.createDatabase()
    try OldDatabase.make(directory.database, migrations: 3) { database in
      let identity = NewDevice.third.identity
      try database.insert(
        "INSERT INTO identity VALUES (?, ?, ?, 'Phone', 'sandbox', 'com.example.owls', 1, NULL)",
        identity.device, identity.replica, identity.group)
    }
    let error = StorageError.outdated(directory: home.path)
    // As often as it is tried.
    for _ in 0..<2 { #expect(throws: error) { try Storage(directory).loaded() } }
    #expect("\(error)".contains("`peerd init`"))
  }

  @Test func aDeviceWithoutItsOwnFoundingIsDamaged() throws {
    try Storage(directory).database.execute("DELETE FROM membership")
    let founding = NewDevice.simulated(seed: 4, bundleId: "com.example.owls").founding
    try Storage(directory).persist(Durable([.records([founding])]))
    expectError({ if case .corrupt = $0 { true } else { false } }) { _ = try Storage(directory).loaded() }
  }

  @Test func keepsTheTime() throws {
    let made = try #require(try Storage(directory).loadTime().made)
    #expect(made > Instant(clamping: 1_700_000_000_000))
    let (peer, other) = (DeviceID(high: 1, low: 2), DeviceID(high: 2, low: 2))
    let bound = TrustedTime.Bound(origin: -77, vouched: Instant(clamping: 5))
    for kept in [
      TrustedTime.Persisted(made: made, ran: 9, store: bound),
      TrustedTime.Persisted(
        made: made, ran: 10, store: bound,
        peers: [TrustedTime.Peer(device: peer, bound: bound), TrustedTime.Peer(device: other, since: 8)]),
      TrustedTime.Persisted(
        made: made, ran: 11, peers: [TrustedTime.Peer(device: other, since: 8, bound: bound)],
        accepted: Instant(clamping: 3)),
      TrustedTime.Persisted(made: made, ran: 12, accepted: Instant(clamping: 3)),
      TrustedTime.Persisted(
        made: made, ran: 13,
        fallen: FallenBounds(
          lead: .max, last: Dot(replica: ReplicaID(high: 1, low: 2), sequence: .max), fell: made)),
      TrustedTime.Persisted(made: made, ran: 14),
    ] {
      try Storage(directory).persist(Durable([.time(kept)]))
      #expect(try Storage(directory).loadTime() == kept)
    }
  }

  /// What an app forbids when it makes a device stays so, whichever row is spoilt.
  @Test(arguments: ["running SET ran = ran + 1", "running SET may_accept = 1", "identity SET name = 'Fone'"])
  func staysForbidden(change: String) throws {
    let directory = DataDirectory(home.path + "/forbidding")
    try Storage.create(directory, .third, mayAccept: false)
    // The second copy is written.
    _ = try Storage(directory).loaded()
    try Database(path: directory.database).execute("UPDATE \(change)")
    for _ in 0..<2 { #expect(try !Storage(directory).loaded().time.mayAccept) }
  }

  /// A database of before there were bounds: its floor is the bound of whoever had vouched for it.
  @Test func takesOverTheFloorOfBefore() throws {
    let peer = DeviceID(high: 1, low: 2)
    let floor = Instant(clamping: 900)
    for voucher in [TrustedTime.Voucher.peer(peer), .store(signed: Instant(clamping: 5))] {
      let made = try #require(try Storage(directory).loadTime().made)
      try Self.leaveFloor(floor, voucher, made, directory)
      let expected = TrustedTime.Persisted(
        made: made, evidence: TrustedTime.Evidence(instant: floor, voucher: voucher))
      #expect(try Storage(directory).loadTime() == expected && expected.evidence?.instant == floor)
      // As often as it starts, and once it is written in the new way.
      var kept = try Storage(directory).loaded().time
      #expect(kept == expected)
      kept.ran = 60_000
      try Storage(directory).persist(Durable([.time(kept)]))
      #expect(try Storage(directory).loaded().time == kept)
      kept.peers = []
      try Storage(directory).persist(Durable([.time(kept)]))
      #expect(try Storage(directory).loaded().time == kept)
    }
  }

  /// Has the database hold what the version before would have left.
  private static func leaveFloor(
    _ floor: Instant, _ voucher: TrustedTime.Voucher, _ made: Instant, _ directory: DataDirectory
  ) throws {
    let database = try Database(path: directory.database)
    try database.execute(
      """
      DROP TABLE running; DROP TABLE bounds; DROP TABLE known; DROP TABLE addresses;
      CREATE TABLE addresses(
        device BLOB PRIMARY KEY, host TEXT NOT NULL, port INTEGER NOT NULL, stamp INTEGER NOT NULL,
        checksum INTEGER NOT NULL) WITHOUT ROWID;
      DELETE FROM migrations WHERE name LIKE '10 %' OR name LIKE '11 %' OR name LIKE '12 %'
      """)
    try OldDatabase.takeBackAcceptance(database)
    let row = try RowWriter(.time, database)
    row.add(1)
    row.add(made.milliseconds)
    row.add(floor.milliseconds)
    switch voucher {
    case .store(let signed):
      row.add(signed.milliseconds)
      row.addNull()
    case .peer(let device):
      row.addNull()
      row.add(device)
    }
    try row.run()
  }

  @Test func keepsWhatWasKnown() throws {
    #expect(try Storage(directory).loaded().history.entries.isEmpty)
    let replica = Author(3).replica
    func mark(_ hour: Int64, _ sequence: UInt64?) -> VectorHistory.Entry {
      VectorHistory.Entry(hour: hour, replica: replica, sequence: sequence)
    }
    let beginning = VectorHistory.Entry(hour: -2, replica: VectorHistory.beginning, sequence: 0)
    try Storage(directory).persist(
      Durable([
        .known([beginning, mark(5, 7), mark(4, 1), mark(9, .max)]), .known([mark(4, nil), mark(5, 6)]),
      ]))
    let kept = try Storage(directory).loaded().history
    #expect(kept.entries == [beginning, mark(5, 6), mark(9, .max)])
    #expect(kept.begin == Instant(clamping: -2 * 3_600_000))
  }

  @Test func keepsContacts() throws {
    #expect(try Storage(directory).loaded().contacts.isEmpty)
    func contact(_ number: UInt64, _ seen: Int64) -> KnownPeer.Contact {
      KnownPeer.Contact(device: DeviceID(high: number, low: 0), seen: Instant(clamping: seen))
    }
    try Storage(directory).persist(
      Durable([.contacts([contact(2, 5), contact(1, 6), contact(2, -7)])]))
    #expect(try Storage(directory).loaded().contacts == [contact(1, 6), contact(2, -7)])
  }

  /// What the files hold at any moment after `persist` has returned is enough to start from.
  @Test func nothingPersistedIsLostInACrash() throws {
    let storage = try Storage(directory)
    for number in UInt64(1)...40 {
      try storage.persist(.of(WriteBatch(.numbered(number))))
      if number % 16 == 0 { try storage.database.checkpoint() }
      let image = try home.crashImage()
      let replica = try Storage(DataDirectory(image.path)).loaded().replica
      #expect(replica.count == Int(number))
    }
  }

  @Test func creatingTwiceIsRefused() throws {
    #expect(throws: StorageError.exists(directory: home.path)) {
      try Storage.create(directory, .third)
    }
  }

  @Test func aCreationCutShortIsFinished() throws {
    let home = try TemporaryDirectory()
    let directory = DataDirectory(home.path + "/a/b")
    try directory.create()
    try directory.createDatabase()
    #expect(throws: StorageError.missing(directory: directory.path)) { try Storage(directory).loaded() }
    try Storage.create(directory, .third)
    #expect(try Storage(directory).loaded().identity == NewDevice.third.identity)
  }

  /// The records are written before the identity; whoever makes the device anew has another recovery key.
  @Test func aCreationCutShortLeavesNoSecondFounding() throws {
    try Storage(directory).database.execute("DELETE FROM identity")
    // It is written once the database has its device.
    try FileManager.default.removeItem(atPath: directory.path + "/peerd.copy")
    let again = NewDevice(
      signer: Author(3).key, nonce: .random(), recoveryKey: Author(5).key.publicKey, name: "Phone",
      environment: .sandbox, bundleId: "com.example.owls", .simulated)
    try Storage.create(directory, again)
    let kept = try Storage(directory).loaded()
    #expect(kept.identity == again.identity && kept.membership.records == [again.founding])
    #expect(kept.membership.group(of: Author(3).key.publicKey)?.id == again.identity.group)
  }

  @Test func aNewerDatabaseIsRefused() throws {
    try Storage(directory).database.execute("INSERT INTO migrations VALUES ('99 teleport')")
    let error = StorageError.newer(path: directory.database, migration: "99 teleport")
    #expect(throws: error) { try Storage(directory) }
    #expect("\(error)".contains("update peerd"))
  }

  @Test func anotherProgramsDatabaseIsRefused() throws {
    try Storage(directory).database.execute("PRAGMA application_id = 1")
    #expect(throws: StorageError.foreign(path: directory.database)) { try Storage(directory) }
  }

  @Test func damageIsFoundAtTheStart() throws {
    var batch = WriteBatch()
    for number in 1...2000 { batch.append(.numbered(UInt64(number))) }
    try Storage(directory).persist(.of(batch))
    let file = try #require(FileHandle(forUpdatingAtPath: directory.database))
    try file.seek(toOffset: 5 * 4096)
    try file.write(contentsOf: [UInt8](repeating: 0xee, count: 3 * 4096))
    try file.close()
    expectError({ if case .corrupt = $0 { true } else { false } }) { _ = try Storage(directory) }
  }

  @Test func aFileThatIsNoDatabaseIsRefused() throws {
    try Data("hello, this is not a database, but long enough to be one".utf8)
      .write(to: URL(filePath: directory.database))
    expectError({ if case .corrupt = $0 { true } else { false } }) { _ = try Storage(directory) }
  }

  /// Nothing of the transaction that failed is kept, all before it is, and the store is dead: closing it writes nothing
  /// to the database either.
  @Test func aFullDatabaseFailsForGood() throws {
    let before: Data
    do {
      let storage = try Storage(directory)
      try overfill(storage)
      before = try Data(contentsOf: URL(filePath: directory.database))
    }
    #expect(try Data(contentsOf: URL(filePath: directory.database)) == before)
    #expect(try Storage(directory).loaded().replica.count == 1)
  }

  private func overfill(_ storage: Storage) throws {
    try storage.persist(.of(WriteBatch(.numbered(1))))
    try storage.database.execute("PRAGMA max_page_count = 20")
    var large = WriteBatch()
    for number in UInt64(2)...2000 { large.append(.numbered(number)) }
    #expect(throws: StorageError.full(path: directory.database)) { try storage.persist(.of(large)) }
    try storage.database.execute("PRAGMA max_page_count = 2000000")
    #expect(throws: StorageError.full(path: directory.database)) {
      try storage.persist(.of(WriteBatch(.numbered(3))))
    }
  }

  @Test(.enabled(if: geteuid() == 0, "mounting a small disk needs root"))
  func aFullDiskFailsForGood() throws {
    let mount = try TemporaryDirectory()
    try #require(Glibc.mount("tmpfs", mount.path, "tmpfs", 0, "size=512k,mode=0700") == 0)
    defer { umount2(mount.path, Int32(MNT_DETACH)) }
    let directory = DataDirectory(mount.path)
    try Storage.create(directory, .third)
    let storage = try Storage(directory)
    var stored = 0
    var failure: StorageError?
    for number in UInt64(1)...4000 where failure == nil {
      do {
        try storage.persist(.of(WriteBatch(.numbered(number))))
        stored += 1
      } catch { failure = error }
    }
    #expect(failure == .full(path: directory.database))
    #expect(stored > 10)
    #expect(throws: StorageError.full(path: directory.database)) {
      try storage.persist(.of(WriteBatch(.numbered(1))))
    }
  }

  /// The log is copied into the database before it grows without bound, whoever forgets to tidy.
  @Test func theLogIsBounded() throws {
    let storage = try Storage(directory)
    var sequence: UInt64 = 0
    while storage.statistics.checkpoints == 0 {
      var batch = WriteBatch()
      for _ in 0..<250 {
        sequence += 1
        var write = Write.numbered(sequence)
        write.value = [UInt8](repeating: 7, count: 30_000)
        batch.append(write)
      }
      try storage.persist(.of(batch))
      #expect(storage.database.logPages < 3 * Database.checkpointPages)
    }
    try storage.tidy()
    #expect(storage.database.logPages < Database.checkpointPages)
  }
}
