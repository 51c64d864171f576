import PeerSyncCore
import PeerSyncSimulation
import Testing

@Suite struct CreditBooksTests {
  private let replicas = (0..<3).map { ReplicaID(high: 0, low: UInt64($0) + 1) }
  private let keys = (0..<3).map { SigningKey.simulated(seed: $0).publicKey }

  private func author(_ replica: ReplicaID) -> PublicKey? {
    replicas.firstIndex(of: replica).map { keys[$0] }
  }

  /// What makes a number of a credit durable.
  private func durable(_ key: RegisterKey, _ total: UInt64, _ device: Int, _ sequence: UInt64) -> Durable {
    var batch = WriteBatch()
    batch.append(
      Write(
        key: key.encoded, stamp: Stamp(rawValue: total), value: [],
        dot: Dot(replica: replicas[device], sequence: sequence)))
    return Durable([.written(batch)])
  }

  private func row(_ device: Int) -> RegisterKey { .creditRow(credit: "owls", replica: replicas[device]) }

  private func removal(of device: Int, upTo sequence: UInt64) -> CreditBooks.Removal {
    (keys[device], VersionVector([Dot(replica: replicas[device], sequence: sequence)]))
  }

  @Test func numbersGrow() {
    var books = CreditBooks()
    books.note(durable(row(0), 2, 0, 1), by: replicas[0])
    books.note(durable(row(0), 5, 0, 2), by: replicas[0])
    books.note(durable(row(1), 1, 1, 1), by: replicas[1])
    #expect(books.spent("owls", author) == 6 && books.spent("cats", author) == 0)
    // Told on by somebody else, a number is no news.
    books.note(durable(row(0), 9, 0, 3), by: replicas[1])
    #expect(books.spent("owls", author) == 6)
  }

  @Test func nothingCountsBeyondACut() {
    var books = CreditBooks()
    books.note(durable(row(0), 2, 0, 1), by: replicas[0])
    books.note(durable(row(0), 5, 0, 2), by: replicas[0])
    books.note([removal(of: 0, upTo: 1)], among: [keys[1]], by: 1)
    #expect(books.spent("owls", author) == 2 && books.outcasts == [keys[0]])
    books.note([removal(of: 0, upTo: 0)], among: [keys[2]], by: 2)
    #expect(books.spent("owls", author) == 0)
    books.note([], among: [keys[1]], by: 1)
    books.note([], among: [keys[2]], by: 2)
    #expect(books.spent("owls", author) == 5 && books.outcasts.isEmpty)
  }

  /// A gift beyond the cut, to one whom those who removed the giver know, they can tell in time.
  @Test func giftsToStrangersStray() {
    var books = CreditBooks()
    let gift = { (receiver: Int) in
      RegisterKey.creditTransfer(credit: "owls", from: replicas[0], to: replicas[receiver])
    }
    books.note(durable(gift(1), 2, 0, 1), by: replicas[0])
    books.note(durable(gift(1), 3, 0, 2), by: replicas[0])
    books.note(durable(gift(2), 4, 0, 3), by: replicas[0])
    #expect(books.strayed("owls", author) == 0)
    books.note([removal(of: 0, upTo: 1)], among: [keys[1]], by: 1)
    #expect(books.strayed("owls", author) == 4)
    // Who was a member counts where the device was first removed.
    books.note([removal(of: 0, upTo: 1)], among: [keys[1], keys[2]], by: 2)
    #expect(books.strayed("owls", author) == 4)
  }

  @Test func whoStandsStillSpendsNothing() {
    var books = CreditBooks()
    for device in 0..<3 { books.note(available: 10, of: "owls", on: device) }
    #expect(books.spendable("owls", without: []) == 30 && books.spendable("owls", without: [1]) == 20)
    books.stopped(0)
    books.forget(2)
    #expect(books.spendable("owls", without: []) == 10)
  }

  @Test func aSpendIsAcknowledgedOnce() {
    var books = CreditBooks()
    for (id, device) in [("b", 0), ("a", 1), ("b", 2)] {
      let isFirst = books.acknowledge(Spending(credit: "owls", amount: 1, id: id), by: device)
      #expect(isFirst == (device < 2))
    }
    let known = books.acknowledged(of: "owls")
    #expect(known.map(\.spending.id) == ["a", "b"] && known.map(\.device) == [1, 0])
  }
}
