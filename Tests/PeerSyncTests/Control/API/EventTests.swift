import Foundation
import PeerSync
import PeerSyncControl
import Testing

/// What those who follow a device are told.
@Suite("events")
struct EventTests {
  /// The next thing that has happened.
  private func next(_ events: inout AsyncStream<DeviceEvent>.Iterator) async throws -> (UInt64, EventAnswer) {
    let event = await events.next()
    guard case .happened(let number, let what)? = event else {
      throw NotTold(description: "\(String(describing: event))")
    }
    return (number, what)
  }

  private struct NotTold: Error, CustomStringConvertible { let description: String }

  @Test("each thing that happens is one event of its type, with what changed and nothing else")
  func types() async throws {
    try await ControlFixture.with { (fixture) async throws in
      let daemon = fixture.daemon
      var events = try fixture.client.events().makeAsyncIterator()
      func next() async throws -> EventAnswer {
        let event = try #require(try await events.next())
        let answer = try JSON.decode(EventAnswer.self, from: Array(event.data.utf8))
        #expect(event.name == answer.type.rawValue)
        return answer
      }
      let ready = try #require(try await events.next())
      #expect(ready.name == "ready")
      let bought = try await daemon.purchase("3monthsOfRandom")
      let purchase = try await next()
      #expect(purchase.type == .purchase && purchase.change == "bought" && purchase.device?.name == "Phone")
      #expect(purchase.transactionId == bought.transaction?.transactionId)
      let status = try await daemon.status()
      #expect(purchase.entitlements == status.entitlements.filter { $0.id == "random-owls" })
      _ = try await daemon.setValue("theme", to: "dark")
      let value = try await next()
      #expect(value.type == .value && value.key == "theme" && value.value == "dark")
      #expect(value.entitlements == nil)
      _ = try await daemon.grant("promotion", until: nil)
      let grant = try await next()
      #expect(grant.type == .grant && grant.entitlements?.map(\.active) == [true])
      _ = try await daemon.revoke("promotion")
      #expect(try await next().change == "revoked")
      _ = try await daemon.setExpiration(of: "random-owls", to: Instant("2031-01-01T00:00:00Z"))
      let date = try await next()
      #expect(date.type == .expiration && date.expires == Instant("2031-01-01T00:00:00Z"))
      #expect(date.entitlements?.map(\.expires) == [Instant("2031-01-01T00:00:00Z")])
      _ = try await daemon.purchase("RandomOwls")
      #expect(try await next().type == .purchase)
      _ = try await daemon.spend("owls", amount: 2, id: "x")
      let spend = try await next()
      #expect(spend.type == .spend && spend.amount == 2 && spend.id == "x")
      // The same again is nothing new.
      _ = try await daemon.spend("owls", amount: 2, id: "x")
      let id = try #require(bought.transaction?.transactionId)
      _ = try await daemon.refund(id)
      let refund = try await next()
      #expect(refund.type == .refund && refund.transactionId == id)
    }
  }

  @Test("a reader resumes where it was; one that missed too much is told so")
  func resuming() async throws {
    try await ControlFixture.with { (fixture) async throws in
      let daemon = fixture.daemon
      var first = await daemon.events().makeAsyncIterator()
      guard case .ready(let begin)? = await first.next() else { throw NotTold(description: "not ready") }
      for number in 1...3 { _ = try await daemon.setValue("\(number)", to: "x") }
      let (known, one) = try await next(&first)
      #expect(one.key == "1" && known > begin)
      var second = await daemon.events(since: known).makeAsyncIterator()
      #expect(try await next(&second).1.key == "2")
      #expect(try await next(&second).1.key == "3")
      // What was replaced since says nothing: what replaced it does.
      _ = try await daemon.setValue("3", to: "y")
      var third = await daemon.events(since: known).makeAsyncIterator()
      #expect(try await next(&third).1.key == "2")
      let last = try await next(&third).1
      #expect(last.key == "3" && last.value == "y")
      let writes = (0...EventFeed.writesToldAtOnce).map { number in
        LocalWrite(key: RegisterKey.value(key: "many \(number)").encoded, stamp: nil, value: [1])
      }
      _ = try await daemon.perform(.write(writes))
      guard case .reset(let now)? = await third.next() else { throw NotTold(description: "no reset") }
      for wrong in [known, now + 1, .max] {
        var late = await daemon.events(since: wrong).makeAsyncIterator()
        guard case .reset(now)? = await late.next() else { throw NotTold(description: "\(wrong)") }
      }
      var last2 = await daemon.events(since: now).makeAsyncIterator()
      _ = try await daemon.setValue("later", to: "z")
      #expect(try await next(&last2).1.key == "later")
    }
  }

  @Test("what ends by itself is told when it ends")
  func expiry() async throws {
    try await ControlFixture.with { (fixture) async throws in
      // On a thread of its own: among all tests it may wait for its turn until the time is up.
      try await withTaskExecutorPreference(SerialTaskExecutor(label: "expiry")) {
        var events = await fixture.daemon.events().makeAsyncIterator()
        _ = await events.next()
        let soon = try await fixture.daemon.status().time.now.advanced(byMilliseconds: 1000)
        _ = try await fixture.daemon.grant("promotion", until: soon)
        #expect(try await next(&events).1.type == .grant)
        let end = try await next(&events).1
        #expect(end.type == .entitlement && end.entitlement == "promotion" && end.expires == soon)
      }
    }
  }

  /// The key of the next value that was written; nil at the end of the stream.
  private func nextValue(_ events: inout AsyncStream<DeviceEvent>.Iterator) async -> String? {
    while let event = await events.next() {
      if case .happened(_, let what) = event, what.type == .value { return what.key }
    }
    return nil
  }

  @Test("what another device wrote is told although the disk fails then, what this one writes is not")
  func failingDisk() async throws {
    let home = try TemporaryDirectory()
    func daemon(_ name: String) async throws -> (Daemon, Address) {
      let path = home.path + "/" + name
      _ = try Daemon.create(directory: path, name: name, environment: .sandbox, bundleId: "com.example.owls")
      let daemon = try Daemon(
        configuration: .init(
          directory: path, listen: Address(host: "127.0.0.1", port: 0), log: Log(level: .error) { _ in }))
      return (daemon, try #require(await daemon.start()))
    }
    func loseDisk(of name: String) throws {
      try FileManager.default.removeItem(atPath: home.path + "/\(name)/peerd.db")
    }
    let (phone, _) = try await daemon("phone")
    let (tablet, _) = try await daemon("tablet")
    _ = try await tablet.join(#require(try await phone.invite().url))
    var onPhone = await phone.events().makeAsyncIterator()
    var onTablet = await tablet.events().makeAsyncIterator()
    // Once an answer tells of it, all that the two had to tell each other first is on disk.
    _ = try await phone.setValue("language", to: "ko")
    #expect(await nextValue(&onTablet) == "language")
    _ = try await tablet.status()
    try loseDisk(of: "tablet")
    _ = try await phone.setValue("theme", to: "dark")
    #expect(await nextValue(&onTablet) == "theme")
    #expect(await nextValue(&onTablet) == nil)
    #expect(await tablet.failure() != nil)
    try loseDisk(of: "phone")
    await #expect(throws: StorageError.self) { try await phone.setValue("sound", to: "off") }
    for key in ["language", "theme", nil] { #expect(await nextValue(&onPhone) == key) }
  }

  @Test("full and traffic are true or false")
  func queries() async throws {
    try await ControlFixture.with { (fixture) async throws in
      for query in ["full=yes", "traffic=1"] {
        #expect(try await fixture.problem("GET", "/v1/events?\(query)")?.code == .invalidValue, "\(query)")
      }
    }
  }

  @Test("warnings and subscriptions are told when they change, and ends by time alone")
  func standing() throws {
    func standing(_ now: String, _ active: Bool, _ warnings: [String]) throws -> ObservedStatus {
      let text =
        #"{"id": "a", "active": \#(active), "expires": "2026-02-01T00:00:00.000Z", "because": "x", "reasons": []}"#
      let entitlement = try JSON.decode(EntitlementAnswer.self, from: Array(text.utf8))
      return ObservedStatus(
        now: instant(now), entitlements: [entitlement], subscriptions: [], warnings: warnings)
    }
    let before = try standing("2026-01-31", true, ["b", "c"])
    let after = try standing("2026-02-01", false, ["c", "d"])
    let events = after.events(since: before)
    #expect(events.map(\.type) == [.entitlement, .warning, .warning])
    #expect(events.map(\.change) == ["ended", "began", "ended"])
    #expect(events.map(\.text) == [nil, "d", "b"])
    // Taken back before its time: whoever did that is told of by itself.
    #expect(try standing("2026-01-31", false, ["b", "c"]).events(since: before).isEmpty)
    #expect(after.events(since: after).isEmpty)
  }
}
