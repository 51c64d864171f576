import PeerSync
import PeerSyncCore
import PeerSyncSimulation
import Testing

/// The membership records on a disk.
@Suite struct StorageRecordTests {
  private let home: TemporaryDirectory
  private let directory: DataDirectory

  init() throws {
    home = try TemporaryDirectory()
    directory = DataDirectory(home.path)
    try Storage.create(directory, .third)
  }

  /// Makes something durable in a run of its own.
  private func keep(_ change: Durable.Change) throws {
    let storage = try Storage(directory)
    _ = try storage.loaded()
    try storage.persist(Durable([change]))
  }

  private func held() throws -> [MembershipRecord] { try Storage(directory).loaded().membership.held }

  /// Of records that are given up nothing stays, and what comes later stands behind what is left.
  @Test func recordsThatAreGivenUpLeaveTheDisk() throws {
    let devices = [NewDevice.third] + (10..<13).map { .simulated(seed: $0, bundleId: "com.example.owls") }
    let keys = [Author(3).key] + (10..<13).map { SigningKey.simulated(seed: $0) }
    let all = try Membership.united(zip(keys, devices).map { ($0, $1.founding) }, .simulated).held
    try keep(.records(Array(all.dropFirst())))
    #expect(try held() == all)
    try keep(.membership(Array(all.prefix(3))))
    #expect(try held() == Array(all.prefix(3)))
    try keep(.records(Array(all[3..<5])))
    #expect(try held() == Array(all.prefix(5)))
  }

  /// More than a group may make are held where some are named by others, or have left.
  @Test func theSecondCopyHasAllOfThem() throws {
    let founding = NewDevice.third.founding.hash(.simulated)
    let records = (0..<Limits.membershipRecords + 100).map { number in
      let body = MembershipRecord.Body.other(
        kind: 200, author: founding, payload: [UInt8(number >> 8), UInt8(number & 255)])
      let bytes = MembershipRecord(parents: [founding], body: body, signatures: []).signedBytes
      return MembershipRecord(
        parents: [founding], body: body, signatures: [Author(3).key.sign(bytes)])
    }
    try keep(.records(records))
    #expect(try held().count == records.count + 1)
    try Database(path: directory.database).execute("UPDATE membership SET record = x'00' WHERE place = 7")
    #expect(try held().count == records.count + 1)
  }
}
