import PeerSyncCore
import Testing

/// What shows that a device has signed a number of a credit.
@Suite struct NumberProofTests {
  private let giver = Author(1)
  private let other = Author(2)

  private var entries: [CreditEntry] {
    let nobody = ReplicaID(high: 0, low: 0)
    return [
      .spent(by: giver.replica), .moved(from: giver.replica, to: other.replica),
      .taken(from: nobody, by: giver.replica), .lost(from: other.replica, by: giver.replica),
      .movedAgain(from: Author(1, life: 1).replica, to: other.replica, by: giver.replica),
    ]
  }

  /// Whether others take a register of an author.
  private func takes(_ key: RegisterKey, _ stamp: Stamp, _ proof: [UInt8], by author: Author) -> Bool {
    let write = Write(
      key: key.encoded, stamp: stamp, value: proof, dot: Dot(replica: author.replica, sequence: 1))
    guard let commit = author.commit([write]) else { return false }
    var replica = Author(9).emptyReplica
    return replica.merge(commit.batch, ceiling: Stamp(rawValue: .max)).forgery == nil
  }

  @Test("F59: a number is named by what its device has signed, and by nothing else") func shown() throws {
    let proofs = giver.proofs(of: entries)
    #expect(proofs.count == entries.count)
    for (place, (number, proof)) in proofs.enumerated() {
      let key = try RegisterKey(decoding: number.key[...])
      let named = try #require(key.named(by: other.replica))
      #expect(takes(named, number.stamp, proof, by: other) && proof.count <= Limits.numberProofBytes)
      #expect(!takes(named, Stamp(rawValue: 2), proof, by: other))
      let isOwn = if case .creditTransferAgain = named { true } else { false }
      #expect(takes(named, number.stamp, [], by: other) == isOwn)
      let (_, wrong) = proofs[(place + 1) % proofs.count]
      #expect(!takes(named, number.stamp, wrong, by: other))
      for byte in proof.indices {
        var changed = proof
        changed[byte] ^= 1
        #expect(!takes(named, number.stamp, changed, by: other))
      }
      #expect(!takes(named, number.stamp, proof + [0], by: other))
    }
  }

  /// A removed device may sign as another's what never was, or name it.
  @Test("F59: nobody signs numbers of others") func ofOthers() throws {
    let third = Author(3)
    let row = RegisterKey.creditRow(credit: "owls", replica: third.replica)
    let again = RegisterKey.creditRowAgain(credit: "owls", life: third.replica, by: giver.replica)
    for key in [row, again] {
      let write = Write(
        key: key.encoded, stamp: Stamp(rawValue: 1), value: [], dot: Dot(replica: giver.replica, sequence: 1))
      let batch = try #require(giver.commit([write])).batch
      let named = try #require(key.named(by: other.replica))
      for (number, proof) in NumberProof.proofs(in: batch, .simulated) {
        #expect(!takes(named, number.stamp, proof, by: other))
      }
    }
  }

  /// Nobody could name it: what shows it would be as long.
  @Test("F60: a number with a value is refused") func valued() throws {
    for key in [
      RegisterKey.creditRow(credit: "owls", replica: giver.replica),
      .creditTransfer(credit: "owls", from: giver.replica, to: other.replica),
      .creditTaking(credit: "owls", from: other.replica, by: giver.replica),
      .creditLost(credit: "owls", from: other.replica, by: giver.replica),
    ] {
      #expect(takes(key, Stamp(rawValue: 1), [], by: giver))
      #expect(!takes(key, Stamp(rawValue: 1), [7], by: giver))
    }
  }

  /// Else its device could not be held to it: what shows it has the hashes of the whole commit.
  @Test("F60: a number in a commit of more than 16 writes is refused") func largeCommit() throws {
    for count in [Limits.numberedWrites, Limits.numberedWrites + 1] {
      let writes = (1...count).map { place in
        Write(
          key: RegisterKey.creditTransfer(
            credit: "owls", from: giver.replica, to: ReplicaID(high: 7 << 56, low: UInt64(place))
          ).encoded, stamp: Stamp(rawValue: 1), value: [],
          dot: Dot(replica: giver.replica, sequence: UInt64(place)))
      }
      let batch = try #require(giver.commit(writes)).batch
      var replica = Author(9).emptyReplica
      let forgery = replica.merge(batch, ceiling: Stamp(rawValue: .max)).forgery
      #expect((forgery == nil) == (count <= Limits.numberedWrites))
      #expect((NumberProof.proofs(in: batch, .simulated).count == count) == (count <= Limits.numberedWrites))
    }
  }
}
