import Foundation
import PeerSync
import Testing

/// A disk that alters what was written: said, and repaired by any one good peer [F67].
@Suite("Rot is noticed [F67]") struct RotTests {
  private let fixture: RotFixture
  private var own: ReplicaID { RotFixture.author.replica }

  init() throws { fixture = try RotFixture() }

  /// A bit anywhere in the file: every answer is as before, or something is said and one good peer repairs it.
  @Test("no flipped bit gives another answer without a word", arguments: UInt64(0)..<8)
  func flippedBits(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let image = [UInt8](try Data(contentsOf: URL(filePath: fixture.directory.database)))
    // Most of the file is empty.
    let places = image.indices.filter { image[$0] != 0 }
    var said = 0
    for _ in 0..<25 {
      let (place, bit) = (random.pick(places), UInt8(1) << UInt8(random.below(8)))
      let copy = try fixture.home.crashImage()
      var altered = image
      altered[place] ^= bit
      try Data(altered).write(to: URL(filePath: copy.path + "/peerd.db"))
      let note: Comment = "seed \(seed), byte \(place), bit \(bit)"
      do {
        let kept = try RotFixture.load(DataDirectory(copy.path))
        if kept.damage == nil {
          #expect(PersistedAnswers(kept) == PersistedAnswers(fixture.before), note)
        } else {
          said += 1
          try expectRepair(kept, note)
          #expect(
            try RotFixture.load(DataDirectory(copy.path)).replica.inventory == kept.replica.inventory, note)
        }
      } catch let error as StorageError {
        // Malformed: see below.
        guard case .corrupt = error else { throw error }
        said += 1
      }
    }
    #expect(said > 5, "seed \(seed)")
  }

  private func expectRepair(_ kept: PersistedDevice, _ note: Comment) throws {
    let harness = fixture.harness(kept)
    harness.connect(0, 1)
    #expect(harness.engines[0].peers.allSatisfy { !$0.isInSync }, note)
    harness.settle()
    #expect(harness.engines[0].damage == nil && harness.disks[0].damage == nil, note)
    // A new incarnation ends the sessions.
    if harness.replica(0).id != kept.identity.replica {
      harness.cut()
      harness.connect(0, 1)
      harness.settle()
    }
    #expect(harness.replica(0).digest == harness.replica(1).digest, note)
    #expect(harness.replica(1).digest == fixture.good.replica(of: Author(2)).digest, note)
    #expect(harness.engines[0].peers.contains { $0.isInSync }, note)
    harness.expectConverged()
  }

  /// One row of each table, altered as no flipped bit of another would.
  @Test(
    "a row of every table is summed",
    arguments: [
      "identity SET name = 'Fone'", "replicas SET claimed = claimed + 1 WHERE number = 2",
      "registers SET stamp = stamp + 1 WHERE key = (SELECT max(key) FROM registers)",
      "registers SET value = x'62' WHERE key = (SELECT max(key) FROM registers)",
      "registers SET replica = 3 - replica WHERE key = (SELECT max(key) FROM registers WHERE replica < 3)",
      "commits SET count = count + 1 WHERE first = (SELECT max(first) FROM commits)",
      "replaced SET hash = randomblob(32) WHERE sequence = (SELECT min(sequence) FROM replaced)",
      "membership SET record = zeroblob(40) WHERE place = 1", "membership SET place = 1000 WHERE place = 3",
      "invitation SET tries_left = 4", "contacts SET seen = seen + 1",
      "addresses SET addresses = '127.0.0.1:9' WHERE addresses = '127.0.0.1:8'",
      "time SET floor = floor + 1", "running SET ran = ran + 1", "bounds SET origin = origin + 1",
      "known SET sequence = sequence + 1",
      "inventory SET used = used - 1", "inventory SET registers = 3",
      "migrations SET name = 'x' WHERE name = '3 host'",
    ])
  func everyTable(change: String) throws {
    try fixture.alter("UPDATE \(change)")
    let kept = try fixture.load()
    let damage = try #require(kept.damage)
    let table = try #require(change.split(separator: " ").first)
    let isNamed = damage.what.contains { loss in
      switch loss {
      case .rows(let name, _): name == table
      case .registers: table == "registers"
      case .changes: table == "migrations"
      default: false
      }
    }
    #expect(isNamed, "\(damage.what)")
    #expect(kept.identity.name == fixture.before.identity.name)
    #expect(kept.membership.records == fixture.before.membership.records)
    #expect(kept.addresses == fixture.before.addresses)
    try expectRepair(kept, "\(change)")
    // What was left out is gone from the disk; what only peers have is said until they have brought it.
    let again = try fixture.load()
    #expect((again.damage == nil) == damage.lost.entries.isEmpty)
    #expect(PersistedAnswers(again) == PersistedAnswers(kept))
  }

  @Test("what was left out is named") func names() throws {
    let key = RegisterKey.value(key: "last 1").encoded.map { String(format: "%02x", $0) }.joined()
    try fixture.alter("UPDATE registers SET value = x'77' WHERE key = x'\(key)'")
    let kept = try fixture.load()
    let damage = try #require(kept.damage)
    #expect(damage.what == [.registers(count: 1, keys: [RegisterKey.value(key: "last 1").encoded])])
    #expect(kept.replica.register(RegisterKey.value(key: "last 1").encoded) == nil)
    #expect(damage.warning.text(in: .english).contains("connect all other devices"))
  }

  @Test(
    "rows that are gone are missed",
    arguments: [
      "registers WHERE key = (SELECT max(key) FROM registers)", "registers", "commits", "replaced",
      "commits WHERE first = (SELECT max(first) FROM commits)",
    ])
  func missing(rows: String) throws {
    try fixture.alter("DELETE FROM \(rows)")
    let kept = try fixture.load()
    #expect(kept.damage?.what.isEmpty == false)
    #expect(kept.replica.vector.entries.isEmpty)
    // A number of its credits may have been among them: it must not give out rights twice.
    #expect(kept.identity.replica != own)
    try expectRepair(kept, "\(rows)")
  }

  @Test(
    "rows of the small tables that are gone are missed, and put back where the second copy has them",
    arguments: [
      "identity", "membership", "membership WHERE place = 2", "invitation", "contacts", "addresses",
      "time", "running", "bounds", "known", "inventory", "counts", "counts WHERE number = 18",
    ])
  func missingOfSmallTables(rows: String) throws {
    try fixture.alter("DELETE FROM \(rows)")
    let kept = try fixture.load()
    let damage = try #require(kept.damage)
    let table = try #require(rows.split(separator: " ").first)
    let isNamed = damage.what.contains { if case .rows(let name, _) = $0 { name == table } else { false } }
    #expect(isNamed && !damage.concernsLedger, "\(damage.what)")
    #expect(kept.identity == fixture.before.identity && kept.addresses == fixture.before.addresses)
    #expect(kept.membership.records == fixture.before.membership.records)
    // By what is left of it a removal would take back too little.
    #expect((kept.history == fixture.before.history) == (table != "known"))
    try expectRepair(kept, "\(rows)")
    #expect(try fixture.load().damage == nil)
  }

  /// The largest set of records that a group can come to, and more.
  @Test("a group with many records is put back") func manyRecords() throws {
    let junk = MembershipRecord.unknown(
      1900, by: RotFixture.author.key, Harness.device(RotFixture.author).founding, 7,
      bytes: Limits.membershipPayloadBytes)
    try Storage(fixture.directory).persist(Durable([.records(junk)]))
    try fixture.alter("DELETE FROM membership")
    #expect(try fixture.load().identity == fixture.before.identity)
  }

  @Test("a second copy that was altered or lost is written anew", arguments: [false, true])
  func secondCopy(isLost: Bool) throws {
    let path = fixture.directory.secondCopy
    let before = try Data(contentsOf: URL(filePath: path))
    var altered = before
    altered[altered.count / 2] ^= 4
    if isLost { unlink(path) } else { try altered.write(to: URL(filePath: path)) }
    let kept = try fixture.load()
    #expect(kept.damage == nil && PersistedAnswers(kept) == PersistedAnswers(fixture.before))
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
  }

  /// What it claims falls, so that the row comes again; the next sequence does not, so that no dot is used twice.
  @Test("an own row that is dropped lowers the claim and not the next sequence") func ownRow() throws {
    let key = RegisterKey.value(key: "last 0").encoded.map { String(format: "%02x", $0) }.joined()
    try fixture.alter("UPDATE registers SET value = x'77' WHERE key = x'\(key)'")
    let kept = try fixture.load()
    #expect(kept.identity.replica == own && kept.replica.vector[own] == 0)
    var replica = kept.replica
    let next = replica.write(key: [8, 1], stamp: Stamp(rawValue: .max), value: [])
    #expect(next?.dot == Dot(replica: own, sequence: fixture.before.replica.vector[own] + 1))
    try expectRepair(kept, "own row")
  }

  /// Its cuts say what it knew before, and not what it claims since.
  @Test("what a removed device had written counts on, although a damaged device removes it") func removing()
    throws
  {
    let key = RegisterKey.value(key: "last 0").encoded.map { String(format: "%02x", $0) }.joined()
    try fixture.alter("UPDATE registers SET value = x'77' WHERE key = x'\(key)'")
    let harness = fixture.harness(try fixture.load())
    #expect(harness.value(1, "own 2 3") == [3])
    let removal = harness.request(.remove(Author(3).device, recoveryKey: nil), of: 0)
    #expect(harness.answers[removal] == .done(changed: 1))
    harness.connect(0, 1)
    harness.settle()
    harness.cut()
    harness.connect(0, 1)
    harness.advance(2 * Limits.beatMilliseconds)
    for index in 0...1 {
      #expect(harness.value(index, "own 2 3") == [3], "engine \(index)")
      #expect(!harness.engines[index].group.isMember(Author(3).key.publicKey))
    }
    #expect(harness.engines[0].damage == nil)
  }

  /// How far the others had come it does not know any more: all that they wrote would be void for everybody.
  @Test("a device that has lost everything removes nobody before it has asked the others")
  func removingBlindly() throws {
    var disk = HarnessDisk(try fixture.load())
    disk.damage = Damage([.unnamed])
    let harness = Harness(start: false)
    harness.add(disk: disk, author: RotFixture.author)
    harness.start(0)
    let removal = harness.request(.remove(Author(3).device, recoveryKey: nil), of: 0)
    guard case .refused(.notComplete(let others))? = harness.answers[removal] else {
      Issue.record("it removed a device")
      return
    }
    #expect(others.contains(Author(2).device) && !others.contains(Author(3).device))
  }

  /// By what is left of it less would be taken back than was asked for. What it tells is nobody else's, so that nobody has to be asked.
  @Test("of an hourly history that is damaged nothing is believed, and it keeps nobody from removing")
  func history() throws {
    let marks: [(Int64, ReplicaID)] = [(1, VectorHistory.beginning), (5, Author(3).replica)]
    let entries = marks.map { VectorHistory.Entry(hour: $0, replica: $1, sequence: 0) }
    try Storage(fixture.directory).persist(Durable([.known(entries)]))
    try fixture.alter("UPDATE known SET sequence = 7 WHERE hour = 5")
    let kept = try fixture.load()
    #expect(kept.damage?.concernsLedger == false && kept.history.entries.isEmpty)
    let harness = fixture.harness(kept)
    let removal = harness.request(.remove(Author(3).device, recoveryKey: nil), of: 0)
    #expect(harness.answers[removal] == .done(changed: 1))
  }

  /// The greatest own commit is lost together with the count: what was used up is not known for sure.
  @Test("whoever does not know what it has used up begins a new incarnation") func ownHead() throws {
    try fixture.alter(
      """
      UPDATE commits SET count = 1000 WHERE replica = (SELECT number FROM replicas WHERE number = 1);
      UPDATE inventory SET used = 0;
      """)
    let kept = try fixture.load()
    #expect(kept.identity.replica != own)
    try expectRepair(kept, "own head")
  }

  /// Nobody but this device ever had its last write: it is lost, and what comes after it is not.
  @Test("own writes that nobody has brought back are claimed again") func unsent() throws {
    let kept: PersistedDevice
    do {
      let harness = fixture.harness(fixture.before)
      for number in 0..<5 { harness.write(0, "unsent \(number)", [1]) }
      try Storage(fixture.directory).persist(harness.replica(0).everything)
      let key = RegisterKey.value(key: "unsent 2").encoded.map { String(format: "%02x", $0) }.joined()
      try fixture.alter("UPDATE registers SET value = x'77' WHERE key = x'\(key)'")
      kept = try fixture.load()
    }
    let harness = fixture.harness(kept)
    harness.write(0, "after", [2])
    harness.connect(0, 1)
    harness.settle()
    #expect(harness.engines[0].damage == nil && harness.replica(0).id == own)
    #expect(harness.value(1, "after") == [2] && harness.value(1, "unsent 4") == [1])
    #expect(harness.value(1, "unsent 2") == nil)
    harness.expectConverged()
    #expect(harness.replica(0).vector[own] == fixture.before.replica.vector[own] + 6)
  }

  @Test("a third device that joins through a damaged one gets what that has, and the rest from others")
  func third() throws {
    let key = RegisterKey.value(key: "shared 5").encoded.map { String(format: "%02x", $0) }.joined()
    try fixture.alter(
      "UPDATE registers SET value = x'77' WHERE key = x'\(key)' AND author = 1")
    let kept = try fixture.load()
    let harness = fixture.harness(kept)
    harness.add(author: Author(9))
    harness.start(2)
    harness.connect(2, 0)
    harness.settle()
    harness.advance(3 * Limits.beatMilliseconds)
    // But for what its author signed together with what is lost.
    #expect(harness.replica(2).count > kept.replica.count - 8)
    #expect(harness.replica(2).vector.entries.isEmpty)
    #expect(harness.engines[0].damage != nil && harness.engines[0].peers.allSatisfy { !$0.isInSync })
    harness.connect(2, 1)
    harness.connect(0, 1)
    harness.settle()
    harness.advance(3 * Limits.beatMilliseconds)
    #expect(harness.engines[0].damage == nil)
    harness.expectConverged()
  }
}

/// A database of before there were checksums.
@Suite("Rows of before [F67]") struct RowsOfBeforeTests {
  /// Every kind of row comes along, and is summed from then on.
  @Test("are copied with their checksums") func areSummed() throws {
    let home = try TemporaryDirectory()
    let directory = DataDirectory(home.path)
    try directory.createDatabase()
    var replica = RotFixture.author.emptyReplica
    let device = Harness.device(RotFixture.author)
    let made = replica.write(key: RegisterKey.value(key: "k").encoded, stamp: Stamp(rawValue: 5), value: [9])
    let write = try #require(made)
    _ = replica.seal(WriteBatch(write), by: RotFixture.author.key)
    try OldDatabase.make(directory.database, migrations: 6) { database in
      try database.insert(
        "INSERT INTO identity VALUES (?, ?, ?, 'Device 1', 'sandbox', '\(Harness.bundleId)', 1, 'here')",
        device.identity.device, device.identity.replica, device.identity.group)
      try database.insert(device.founding.encoded, "INSERT INTO membership VALUES (1, ?)")
      try database.insert(
        Array(device.identity.replica.bytes), "INSERT INTO replicas(number, id, claimed) VALUES (1, ?, 1)")
      try database.insert(device.identity.key.bytes, "UPDATE replicas SET key = ?")
      try database.insert(Array(RotFixture.author.incarnation.nonce.bytes), "UPDATE replicas SET nonce = ?")
      try database.insert(write.key, "INSERT INTO registers VALUES (?, 1, 1, 5, x'09')")
      for case .commit(let kept) in replica.everything.proofs {
        try database.insert(kept.signature.signature.bytes, "INSERT INTO commits VALUES (1, 1, 1, ?, NULL)")
      }
      try database.execute("UPDATE time SET made = 77")
    }
    var kept = try RotFixture.load(directory)
    #expect(kept.damage == nil && kept.identity == device.identity && kept.time.made == Instant(clamping: 77))
    #expect(kept.replica.sortedWrites() == [write] && kept.replica.vector[device.identity.replica] == 1)
    #expect(kept.replica.everything.proofs == replica.everything.proofs)
    #expect(kept.membership.records == [device.founding])
    try Database(path: directory.database).execute("UPDATE registers SET value = x'08'")
    kept = try RotFixture.load(directory)
    #expect(kept.damage?.what == [.registers(count: 1, keys: [RegisterKey.value(key: "k").encoded])])
  }
}

/// A device that nobody can bring anything.
@Suite("Rot of a device alone [F67]") struct RotAloneTests {
  private let fixture: RotFixture

  init() throws { fixture = try RotFixture(isAlone: true) }

  @Test("it says what was left out, at every start, and goes on with the rest") func goesOn() throws {
    let key = RegisterKey.value(key: "last 0").encoded.map { String(format: "%02x", $0) }.joined()
    try fixture.alter("UPDATE registers SET value = x'77' WHERE key = x'\(key)'")
    for _ in 0..<3 {
      let kept = try fixture.load()
      #expect(
        kept.damage?.isFinal == true
          && kept.damage?.what == [.registers(count: 1, keys: [RegisterKey.value(key: "last 0").encoded])])
      #expect(kept.damage?.warning.text(in: .english).contains("restore the purchases") == true)
      #expect(kept.replica.count == fixture.before.replica.count - 1)
      #expect(
        kept.replica.vector == fixture.before.replica.vector && kept.identity == fixture.before.identity)
    }
  }

  /// Of a commit that lost a write the others cannot be proven any more: they are written again.
  @Test("a device that joins later gets all the rest") func joinedLater() throws {
    let key = RegisterKey.value(key: "shared 20").encoded.map { String(format: "%02x", $0) }.joined()
    try fixture.alter("UPDATE registers SET value = x'77' WHERE key = x'\(key)'")
    let kept = try fixture.load()
    #expect(kept.replica.count == fixture.before.replica.count - 1)
    let harness = Harness(start: false)
    harness.add(disk: HarnessDisk(kept), author: RotFixture.author)
    harness.add(author: Author(9))
    for index in 0...1 { harness.start(index) }
    harness.connect(0, 1)
    harness.settle()
    #expect(harness.replica(1).count == kept.replica.count)
    harness.expectConverged()
    // Said at every start until then; now there is somebody who has all that is left.
    #expect(harness.engines[0].damage == nil && harness.engines[0].peers.contains(where: \.isInSync))
  }
}
