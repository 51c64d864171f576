import Foundation
import PeerSync
import Testing

/// The laboratory, asked as its page asks.
@Suite("peerd lab", .paced, .noHang)
struct LabTests {
  /// What the page reads, as far as these tests look at it.
  struct State: Decodable {
    struct Device: Decodable {
      let name: String
      let isRunning: Bool
      let isRemoved: Bool
      let account: String
      let status: StatusAnswer?
    }

    struct Link: Decodable {
      let condition: String
    }

    struct Purchase: Decodable {
      let standing: String
      let standsAs: String?
    }

    struct Product: Decodable {
      let id: String
      let price: String?
      let isWithdrawn: Bool
    }

    struct Store: Decodable {
      struct Account: Decodable {
        let id: String
        let family: String?
        let billingFails: Bool
      }
      let now: Instant
      let next: Instant?
      let accounts: [Account]
    }

    let busy: String?
    let problem: String?
    let story: [String]
    let devices: [Device]
    let links: [Link]
    let purchases: [Purchase]
    let products: [Product]
    let store: Store?

    func digests() -> Set<String> { Set(devices.compactMap { $0.status?.digest }) }

    /// The end of a line on each device that runs.
    func ends(of line: String) -> [String?] {
      devices.compactMap(\.status).map { $0.lines.first { $0.id == line }?.expires?.short }
    }
  }

  private struct Ready: Decodable {
    let url: String
  }

  /// A laboratory that runs.
  struct Lab {
    let process: Peerd.Lines
    let address: Address
    let token: String

    init(_ arguments: String...) async throws {
      process = try Peerd.Lines(["lab", "--json"] + arguments)
      let ready = try JSON.decode(Ready.self, from: Array(try await process.next().utf8))
      let parts = ready.url.dropFirst("http://".count).split(separator: "/")
      address = try #require(Address(String(parts[0])))
      token = String(parts[1].dropFirst())
    }

    /// The processes that a process has started.
    static func children(of parent: pid_t) throws -> [pid_t] {
      try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { pid_t($0) }.filter { id in
        let stat = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8)
        // Behind the name in parentheses: the state, and the parent.
        let fields = stat?.split(separator: ")").last?.split(separator: " ")
        return fields.map { $0.count > 1 && pid_t($0[1]) == parent } ?? false
      }
    }

    /// Devices and store end with it.
    func stop() async throws {
      kill(process.id, SIGTERM)
      #expect(try await process.end() == 0)
    }

    func ask(_ method: String, _ path: String, token: String? = nil, body: [UInt8]? = nil) async throws
      -> (status: Int, body: [UInt8])
    {
      let request = LoopbackConnection.request(
        method, path, to: address, token: token ?? self.token, body: body)
      return try await onThread {
        try LoopbackConnection(to: address, timeoutSeconds: 100).exchange(request)
      }
    }

    /// Plays a line, which must be done.
    func play(_ line: String) async throws {
      let answer = try await ask("POST", "/v1/lab/lines", body: JSON.encode(["line": line]))
      #expect(answer.status == 200, "\(line): \(String(decoding: answer.body, as: UTF8.self))")
    }

    func state() async throws -> State {
      try JSON.decode(State.self, from: try await ask("GET", "/v1/lab").body)
    }

    /// The state once it is as expected.
    func state(when isExpected: (State) -> Bool) async throws -> State {
      let end = ContinuousClock.now + .slack
      var state = try await state()
      while !isExpected(state), ContinuousClock.now < end { state = try await self.state() }
      return state
    }
  }

  @Test("nine months bought apart are nine months, are recorded, and the recording plays in both ways")
  func nineMonths() async throws {
    let lab = try await Lab()
    let line = "random-owls"
    for link in ["Phone Tablet", "Phone Mac", "Tablet Mac"] { try await lab.play("cut \(link)") }
    try await lab.play("Phone buys 3monthsOfRandom in the store as p1")
    try await lab.play("Tablet buys 6monthsOfRandom in the store as p2")
    let apart = try await lab.state { $0.ends(of: line) == ["2026-04-01", "2026-07-01", nil] }
    #expect(apart.ends(of: line) == ["2026-04-01", "2026-07-01", nil] && apart.digests().count == 3)
    // By the third alone: Phone and Tablet stay cut off from each other.
    for link in ["Phone Mac", "Tablet Mac"] { try await lab.play("mend \(link)") }
    let nine = try await lab.state { $0.ends(of: line) == Array(repeating: "2026-10-01", count: 3) }
    #expect(nine.ends(of: line) == Array(repeating: "2026-10-01", count: 3))
    try await lab.play("store refunds p1")
    try await lab.play("crash Mac")
    let six = try await lab.state { $0.ends(of: line) == Array(repeating: "2026-07-01", count: 2) }
    #expect(six.ends(of: line) == Array(repeating: "2026-07-01", count: 2))
    #expect(six.devices.map(\.isRunning) == [true, true, false])
    try await lab.play("start Mac")
    _ = try await lab.state { $0.devices.allSatisfy { $0.status != nil } && $0.digests().count == 1 }
    let story = String(decoding: try await lab.ask("GET", "/v1/lab/story").body, as: UTF8.self)
    #expect(story.contains("\nexpect Mac random-owls until 2026-07-01\n"))
    #expect(story.hasSuffix("\nexpect all same digest\n"))
    try await lab.stop()
    try await replay(story)
  }

  /// Plays what was recorded in both ways.
  func replay(_ story: String, _ origin: String = "") async throws {
    for arguments in [["-"], ["-", "--simulated", "--seed", "7"]] {
      let outcome = try await Peerd.run(["rehearse"] + arguments, input: story)
      #expect(outcome.status == 0, "\(origin) \(arguments): \(outcome.errors)\n\(story)")
    }
  }

  @Test(
    "a recording of a removed and a copied device, of links and of a device that was killed, plays in both ways"
  )
  func recordings() async throws {
    let lab = try await Lab()
    for line in [
      "crash Mac", "cut Phone Mac", "start Mac", "delay Phone Tablet 200ms",
      "Phone buys 3monthsOfRandom in the store as p1", "reset Phone Tablet", "copy Mac as Mac2",
      "Phone removes Mac",
    ] { try await lab.play(line) }
    let state = try await lab.state {
      $0.devices.contains { $0.name == "Mac" && $0.isRemoved } || $0.busy == nil
    }
    #expect(
      state.story.contains("cut Phone Mac")
        && state.links.map(\.condition) == ["delayed", "cut", "open", "open", "open", "open"])
    let story = String(decoding: try await lab.ask("GET", "/v1/lab/story").body, as: UTF8.self)
    try await lab.stop()
    try await replay(story)
  }

  @Test("the store says what waits and what was refunded; the time is its own, whatever clocks say")
  func store() async throws {
    let lab = try await Lab("--devices", "Phone,Tablet")
    try await lab.play("store lets purchases ask once")
    try await lab.play("Phone buys ShyOwl in the store as p1")
    #expect(try await lab.state().purchases.map(\.standing) == ["waiting"])
    #expect(try await lab.state().story.contains("Phone buys ShyOwl in the store as p1 pending"))
    try await lab.play("store approves p1")
    #expect(try await lab.state().purchases.map(\.standing) == ["bought"])
    try await lab.play("Phone buys pro.monthly in the store as s1")
    try await lab.play("store refunds p1")
    try await lab.play("clock Phone +400d")
    let state = try await lab.state()
    #expect(state.purchases.map(\.standing) == ["refunded", "bought"])
    #expect(state.store?.now == Instant("2026-01-01"))
    let path = "/v1/lab/devices/Tablet?path=/v1/entitlements/pro/why"
    let why = try JSON.decode(WhyAnswer.self, from: try await lab.ask("GET", path).body)
    #expect(why.subscriptions.map(\.productId) == ["pro.monthly"])
    // What is subscribed already is not sold again: in the first month, after a renewal, and as another product later.
    for line in [
      "Tablet buys pro.monthly in the store as s2", "store advances P1M",
      "Tablet buys pro.monthly in the store as s3", "Phone buys pro.yearly in the store as s4",
    ] { try await lab.play(line) }
    let names = try await lab.state().purchases.map { $0.standsAs ?? "sold" }
    #expect(names == ["sold", "sold", "s1", "s1", "s1"])
    for path in ["/healthz", "/v1/events", "/v1/status%20HTTP"] {
      #expect(try await lab.ask("GET", "/v1/lab/devices/Tablet?path=\(path)").status == 404, "\(path)")
    }
    try await lab.stop()
  }

  @Test("a laboratory sells what a catalogue file states, and the recording plays without the file")
  func catalogue() async throws {
    let directory = try TemporaryDirectory()
    let file = directory.path + "/products.json"
    let catalogue = """
      {"products": [
        {"id": "week", "type": "nonRenewingSubscription", "line": "tea", "period": "P7D", "entitlements": ["tea"], "price": "1.49"},
        {"id": "club", "type": "autoRenewableSubscription", "period": "P1M", "subscriptionGroup": "clubs", "entitlements": ["club"],
         "introductoryOffer": {"paymentMode": "free", "subscriptionPeriod": "P7D", "numberOfPeriods": 1}},
        {"id": "cups", "type": "consumable", "credit": "cups", "amount": 3}]}
      """
    try Data(catalogue.utf8).write(to: URL(fileURLWithPath: file))
    let lab = try await Lab("--devices", "Phone,Tablet", "--catalog", file)
    try await lab.play("Phone buys week in the store as p1")
    try await lab.play("Tablet buys club in the store as p2")
    try await lab.play("Tablet buys cups in the store as p3")
    _ = try await lab.state { $0.digests().count == 1 }
    let story = String(decoding: try await lab.ask("GET", "/v1/lab/story").body, as: UTF8.self)
    #expect(
      story.contains(
        "\nproduct week nonRenewingSubscription line tea period P1W entitlements tea price 1.49\n"))
    #expect(story.contains("\noffer introductory of club FREE_TRIAL periods 1 of P1W\n"))
    #expect(story.contains("\nexpect Phone tea until 2026-01-08\n"))
    #expect(story.contains("\nexpect Phone cups balance 3\n"))
    try await lab.stop()
    try await replay(story)
    for (content, problem) in [
      (#"{"products": [{"id": "two words", "type": "consumable"}]}"#, "has a space"),
      (#"{"products": []}"#, "no product"),
      ("{", "line 1"),
    ] {
      try Data(content.utf8).write(to: URL(fileURLWithPath: file))
      let outcome = try await Peerd.run(["lab", "--catalog", file])
      #expect(outcome.status == 1 && outcome.errors.contains(problem), "\(content): \(outcome.errors)")
    }
  }

  @Test(
    "the stories that come with peerd are listed, and what is opened tells what devices show after each line")
  func stories() async throws {
    struct Entry: Decodable {
      let name: String
      let title: String
    }
    struct Text: Decodable {
      let name: String
      let story: String
    }
    struct Opened: Decodable {
      struct Step: Decodable {
        struct Device: Decodable {
          let name: String
          let shows: [String]
        }
        let text: String
        let devices: [Device]
      }
      let steps: [Step]
      let failure: String?
    }
    let lab = try await Lab("--devices", "Phone")
    let entries = try JSON.decode([Entry].self, from: try await lab.ask("GET", "/v1/lab/stories").body)
    #expect(entries.count > 50 && entries.allSatisfy { !$0.title.isEmpty })
    let path = "/v1/lab/stories/A1-renewals-apart-add-up"
    let text = try JSON.decode(Text.self, from: try await lab.ask("GET", path).body)
    let body = JSON.encode(["name": text.name, "story": text.story])
    let opened = try JSON.decode(
      Opened.self, from: try await lab.ask("POST", "/v1/lab/rehearsals", body: body).body)
    #expect(opened.failure == nil)
    #expect(opened.steps.contains { !$0.devices.isEmpty && $0.devices.allSatisfy { !$0.shows.isEmpty } })
    for name in ["A0", "..%2F..%2FREADME.md", "..%2F..%2F..%2Fetc%2Fpasswd"] {
      #expect(try await lab.ask("GET", "/v1/lab/stories/\(name)").status == 404, "\(name)")
    }
    for (name, story, problem) in [
      ("a", "Phone flies", "a:1: no verb"), ("a", "# nothing", "1 to 2000 lines"), ("", "settle", "a name"),
      ("a", String(repeating: "#", count: 70_000), "65536 bytes"),
      ("a", String(repeating: "settle\n", count: 2001), "1 to 2000 lines"),
    ] {
      let answer = try await lab.ask(
        "POST", "/v1/lab/rehearsals", body: JSON.encode(["name": name, "story": story]))
      #expect(answer.status == 400 || answer.status == 422, "\(problem): \(answer.status)")
      #expect(String(decoding: answer.body, as: UTF8.self).contains(problem), "\(problem)")
    }
    #expect(try await lab.state().devices.map(\.name) == ["Phone"])
    try await lab.stop()
  }

  @Test(
    "what the console of the store does is recorded, also what is cancelled or fails, and plays in both ways")
  func console() async throws {
    let lab = try await Lab("--devices", "Phone,Tablet")
    for line in [
      "account anna of Tablet", "store lets purchases cancel of anna once",
      "Tablet buys ShyOwl in the store as p1",
      "store lets purchases fail of anna once", "Tablet buys ShyOwl in the store as p2",
      "Phone buys pro.monthly in the store as p3", "store shares owls with anna",
      "store raises pro.monthly to 2.49",
      "store gives grace", "store withdraws CouchOwl", "store fails billing of anna", "store advances P10D",
    ] { try await lab.play(line) }
    let state = try await lab.state()
    #expect(
      state.devices.map(\.account).last == "anna"
        && state.products.contains { $0.id == "CouchOwl" && $0.isWithdrawn })
    #expect(state.products.contains { $0.id == "pro.monthly" && $0.price == "2.49" })
    let anna = state.store?.accounts.first { $0.id == "anna" }
    #expect(
      anna?.family == "owls" && anna?.billingFails == true && state.store?.next != nil)
    #expect(state.story.contains("Tablet buys ShyOwl in the store as p1 cancelled"))
    #expect(
      state.story.contains("Tablet buys ShyOwl in the store as p2 failed") && state.purchases.count == 1)
    let story = String(decoding: try await lab.ask("GET", "/v1/lab/story").body, as: UTF8.self)
    try await lab.stop()
    try await replay(story)
  }

  @Test("no process outlives a laboratory that is killed")
  func killed() async throws {
    // What it can put away no more goes with the directory.
    let directory = try TemporaryDirectory()
    let lab = try await Lab("--devices", "Phone,Tablet", "--data", directory.path + "/lab")
    let children = try Lab.children(of: lab.process.id)
    #expect(children.count == 3)
    kill(lab.process.id, SIGKILL)
    let end = ContinuousClock.now + .slack
    while children.contains(where: { kill($0, 0) == 0 }), ContinuousClock.now < end {
      try await Task.sleep(for: .milliseconds(20))
    }
    #expect(!children.contains { kill($0, 0) == 0 })
  }

  @Test(
    "what is no line, or cannot be done, is said and not recorded; without the token there is nothing but the page"
  )
  func refused() async throws {
    let lab = try await Lab("--devices", "Phone,Tablet")
    let before = try await lab.state().story
    for (line, problem) in [
      ("Phone flies", "no verb `flies`"), ("", "empty line"), ("settle\nsettle", "a line of a story"),
      (String(repeating: "x", count: 2000), "a line of a story"), ("start Phone", "Phone is running already"),
      ("Phone buys pony in the store", "sells no 'pony'"), ("expect Phone owls balance 7", "saw balance 0"),
    ] {
      let answer = try await lab.ask("POST", "/v1/lab/lines", body: JSON.encode(["line": line]))
      #expect(answer.status == 400 || answer.status == 422, "\(line): \(answer.status)")
      #expect(String(decoding: answer.body, as: UTF8.self).contains(problem), "\(line)")
    }
    let after = try await lab.state()
    #expect(after.story.filter { $0 != "settle" } == before && after.busy == nil && after.problem != nil)
    for path in ["/v1/lab", "/v1/lab/events", "/v1/lab/story"] {
      #expect(try await lab.ask("GET", path, token: "wrong").status == 401)
    }
    let page = try await lab.ask("GET", "/", token: "wrong")
    #expect(page.status == 200 && !String(decoding: page.body, as: UTF8.self).contains(lab.token))
    try await lab.stop()
  }
}
