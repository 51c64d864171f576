import PeerSync
import Testing

@Suite("peerd watch", .paced, .noHang)
struct WatchTests {
  private func next(_ watch: Peerd.Lines) async throws -> ChangeAnswer {
    try JSON.decode(ChangeAnswer.self, from: Array(try await watch.next().utf8))
  }

  @Test("each change is one JSON document on a line: own purchases, a peer's, its coming and going")
  func changes() async throws {
    let group = try await PeerdGroup(2)
    let watch = try Peerd.Lines(["watch", "--json", "--data", group[0].data])
    #expect(try await next(watch).changed.count == 12)
    let _: TransactionResult = try await group[1].json("buy", "RandomOwls")
    var change = try await next(watch)
    while change.status.credits.first?.balance != 5 { change = try await next(watch) }
    #expect(change.changed.contains("credits"))
    let _: NetworkAnswer = try await group[1].json("offline")
    while change.status.peers.first?.connected == true { change = try await next(watch) }
    #expect(change.changed.contains("peers"))
    let _: NetworkAnswer = try await group[1].json("online")
    while change.status.peers.first?.connected == false { change = try await next(watch) }
    let _: TransactionResult = try await group[0].json("buy", "CarefreeOwl")
    while change.status.purchased.isEmpty { change = try await next(watch) }
    #expect(change.changed.contains("purchased"))
  }

  @Test("it ends without a word at the next change when its reader has gone")
  func readerGone() async throws {
    let device = try await PeerdProcess()
    try await device.start(listen: nil)
    let watch = try Peerd.Lines(["watch", "--json", "--data", device.data])
    _ = try await next(watch)
    try watch.stopReading()
    let _: TransactionResult = try await device.json("buy", "RandomOwls")
    #expect(try await watch.end() == 1)
    #expect(try await watch.errors().isEmpty)
  }

  @Test("it ends with status 3 and one line when the daemon stops or is killed")
  func end() async throws {
    let device = try await PeerdProcess()
    for isKilled in [false, true] {
      try await device.start(listen: nil)
      let watch = try Peerd.Lines(["watch", "--json", "--data", device.data])
      _ = try await next(watch)
      if isKilled { device.kill() } else { try await device.stop() }
      #expect(try await watch.next().isEmpty)
      #expect(try await watch.end() == 3)
      let errors = try await watch.errors()
      #expect(errors.hasPrefix("peerd: no daemon is running on \(device.data)"), "\(errors)")
      #expect(errors.split(separator: "\n").count == 1)
    }
  }
}
