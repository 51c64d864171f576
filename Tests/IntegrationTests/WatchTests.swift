import PeerSync
import Testing

@Suite("peerd watch", .paced, .noHang)
struct WatchTests {
  /// The first line.
  private func ready(_ watch: Peerd.Lines) async throws {
    let first = try JSON.decode(PositionAnswer.self, from: Array(try await watch.next().utf8))
    #expect(first.type == "ready")
  }

  private func next(
    _ watch: Peerd.Lines, where isMeant: (EventAnswer) -> Bool
  ) async throws -> EventAnswer {
    while true {
      let event = try JSON.decode(EventAnswer.self, from: Array(try await watch.next().utf8))
      if isMeant(event) { return event }
    }
  }

  @Test(
    "each thing that happens is one JSON document on a line: own purchases, a peer's, its coming and going")
  func changes() async throws {
    let group = try await PeerdGroup(2)
    let watch = try Peerd.Lines(["watch", "--json", "--data", group[0].data])
    try await ready(watch)
    let text = try Peerd.Lines(["watch", "--data", group[0].data])
    #expect(try await text.next() == "what happens from now on:")
    let _: PurchaseResult = try await group[1].json("buy", "6monthsOfRandom")
    let bought = try await next(watch) { $0.type == .purchase }
    #expect(bought.device?.name == "Tablet" && bought.entitlements?.map(\.active) == [true])
    #expect(try await text.next().contains(": Tablet bought 6monthsOfRandom"))
    let _: NetworkAnswer = try await group[1].json("offline")
    let gone = try await next(watch) { $0.type == .connection }
    #expect(gone.subject?.name == "Tablet" && gone.change == "disconnected")
    let _: NetworkAnswer = try await group[1].json("online")
    #expect(try await next(watch) { $0.type == .connection }.change == "connected")
    let _: PurchaseResult = try await group[0].json("buy", "CarefreeOwl")
    #expect(try await next(watch) { $0.type == .purchase }.device?.name == "Phone")
    let _: DevicesAnswer = try await group[0].json("remove", "Tablet")
    let removed = try await next(watch) { $0.type == .membership }
    #expect(
      removed.change == "removed" && removed.subject?.name == "Tablet" && removed.device?.name == "Phone")
  }

  @Test("a message of a peer is told to whoever asks, with the commits that it carries")
  func traffic() async throws {
    let group = try await PeerdGroup(2)
    var events = try group[0].client().events("traffic=true").makeAsyncIterator()
    _ = try await events.next()
    let bought: PurchaseResult = try await group[1].json("buy", "CarefreeOwl")
    let id = try #require(bought.transaction?.transactionId)
    var isRefunded = false
    while let event = try await events.next() {
      guard event.name == "traffic" else { continue }
      let traffic = try JSON.decode(TrafficAnswer.self, from: Array(event.data.utf8))
      guard traffic.kind == "commit", traffic.direction == "in" else { continue }
      #expect(traffic.commits == 1 && traffic.peer?.name == "Tablet")
      #expect(traffic.purchases.map(\.transactions) == [[id]])
      #expect(traffic.purchases.map(\.revoked) == [isRefunded ? [id] : []])
      #expect(traffic.purchases.map { $0.device?.name } == ["Tablet"])
      #expect(traffic.purchases.map(\.news) == [true])
      guard !isRefunded else { return }
      let _: TransactionResult = try await group[1].json("refund", id)
      isRefunded = true
    }
    Issue.record("the stream ended")
  }

  @Test("it ends without a word at the next change when its reader has gone")
  func readerGone() async throws {
    let device = try await PeerdProcess()
    try await device.start(listen: nil)
    let watch = try Peerd.Lines(["watch", "--json", "--data", device.data])
    try await ready(watch)
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
      try await ready(watch)
      if isKilled { device.kill() } else { try await device.stop() }
      #expect(try await watch.next().isEmpty)
      #expect(try await watch.end() == 3)
      let errors = try await watch.errors()
      #expect(errors.hasPrefix("peerd: no daemon is running on \(device.data)"), "\(errors)")
      #expect(errors.split(separator: "\n").count == 1)
    }
  }
}
