import Foundation
import PeerSync
import Testing

@Suite("Control API", .noHang)
struct ControlAPITests {
  private let january = Instant("2026-01-31") ?? .epoch

  @Test("a purchase is in the status, the transactions, the products and the proof")
  func purchase() async throws {
    try await ControlFixture.with { (fixture) async throws in
      let body = PurchaseBody(productId: "3monthsOfRandom", quantity: 2, at: january)
      let bought: TransactionResult = try await fixture.client.send("POST", "/v1/purchases", body: body)
      #expect(bought.transaction.purchaseDate == january && bought.transaction.quantity == 2)
      let status: StatusAnswer = try await fixture.client.send("GET", "/v1/status")
      #expect(status.lines.map(\.id) == ["random-owls"])
      #expect(status.lines.first?.expires == Instant("2026-07-31"))
      #expect(status.lines.first?.runs.first?.transactions == [bought.transaction.transactionId])
      #expect(status.group.members == 1 && status.online && status.peers.isEmpty)
      let all: TransactionsAnswer = try await fixture.client.send("GET", "/v1/transactions")
      #expect(all.transactions.map(\.transactionId) == [bought.transaction.transactionId])
      let why: WhyAnswer = try await fixture.client.send("GET", "/v1/entitlements/random-owls/why")
      #expect(why.lines.first?.steps.map(\.contribution) == ["+6 months"])
      let line: LineAnswer = try await fixture.client.send("GET", "/v1/lines/random-owls")
      #expect(line == status.lines.first)
    }
  }

  @Test("a refund takes the time back, again and again the same")
  func refund() async throws {
    try await ControlFixture.with { (fixture) async throws in
      let bought = try #require(
        await fixture.daemon.purchase("6monthsOfRandom", at: january).transaction)
      let body = RefundBody(transactionId: bought.transactionId)
      let first: TransactionResult = try await fixture.client.send("POST", "/v1/refunds", body: body)
      #expect(first.transaction.revocationDate != nil)
      #expect(first.transaction.signedDate > bought.signedDate)
      let digest = try await fixture.daemon.status().digest
      let second: TransactionResult = try await fixture.client.send("POST", "/v1/refunds", body: body)
      #expect(second.transaction == first.transaction && first.changed == true && second.changed == false)
      #expect(try await fixture.daemon.status().digest == digest)
      #expect(try await fixture.daemon.status().lines.first?.expires == nil)
      let unknown = try await fixture.problem("POST", "/v1/refunds", RefundBody(transactionId: "1"))
      #expect(unknown?.code == .unknownTransaction)
    }
  }

  @Test("what is bought for good is not bought twice; credits add up")
  func kinds() async throws {
    try await ControlFixture.with { (fixture) async throws in
      let first = try await fixture.daemon.purchase("CarefreeOwl")
      let second = try await fixture.daemon.purchase("CarefreeOwl")
      #expect(second.transaction == first.transaction && first.bought && !second.bought)
      _ = try await fixture.daemon.purchase("RandomOwls", quantity: 3)
      let status = try await fixture.daemon.status()
      #expect(status.purchased == ["CarefreeOwl"])
      #expect(status.credits.first?.balance == 15)
      let products = try await fixture.daemon.products().products
      #expect(products.first { $0.id == "CarefreeOwl" }?.action == "owned")
      let entitlement: EntitlementAnswer = try await fixture.client.send(
        "GET", "/v1/entitlements/carefree%2Fowl")
      #expect(entitlement.active)
    }
  }

  @Test("wrong purchases are refused with what to do")
  func wrongPurchases() async throws {
    try await ControlFixture.with { (fixture) async throws in
      let unknown = try await fixture.problem(
        "POST", "/v1/purchases", PurchaseBody(productId: "Owl", quantity: nil, at: nil))
      #expect(unknown?.code == .unknownProduct)
      #expect(unknown?.detail == "the catalogue has no product 'Owl'")
      for quantity in [0, -1, Limits.quantity + 1, .max] {
        let wrong = try await fixture.problem(
          "POST", "/v1/purchases", PurchaseBody(productId: "RandomOwls", quantity: quantity, at: nil))
        #expect(wrong?.code == .invalidValue)
      }
      let offer = try await fixture.problem(
        "POST", "/v1/purchases", PurchaseBody(productId: "RandomOwls", quantity: nil, at: nil, offer: "x"))
      #expect(offer?.code == .storeRefused && offer?.detail.contains("store") == true)
      let malformed: [(JSONValue, String)] = [
        ([:], "productId is missing"), (["productId": 1], "productId is not a string"),
        (["productId": "RandomOwls", "at": "soon"], "at: 'soon' is neither a time such as"),
        ([], "the document is no"),
      ]
      for (body, detail) in malformed {
        let problem = try await fixture.problem("POST", "/v1/purchases", body)
        #expect(problem?.code == .malformedBody)
        #expect(problem?.detail.hasPrefix(detail) == true, "\(problem?.detail ?? "none")")
      }
      #expect(try await fixture.daemon.transactions().transactions.isEmpty)
    }
  }

  @Test("a catalogue with a product beyond the limits is refused by its name, and nothing of it is added")
  func unfitProducts() async throws {
    try await ControlFixture.with { (fixture) async throws in
      let unfit = Product(id: "Unfit", type: .consumable, credit: "owls", amount: -1)
      let catalogue = Catalogue(products: [Product(id: "Fit", type: .nonConsumable), unfit], version: 2)
      let problem = await #expect(throws: Problem.self) { try await fixture.daemon.add(catalogue) }
      #expect(problem?.code == .invalidValue && problem?.detail.contains("'Unfit'") == true)
      #expect(try await fixture.daemon.products().products.count == Catalogue.owls.products.count)
      #expect(try await fixture.daemon.status().warnings.isEmpty)
    }
  }

  @Test("in production nothing is bought or refunded by command")
  func production() async throws {
    try await ControlFixture.with(environment: .production) { (fixture) async throws in
      let buy = PurchaseBody(productId: "RandomOwls", quantity: nil, at: nil)
      #expect(try await fixture.problem("POST", "/v1/purchases", buy)?.code == .realStore)
      #expect(
        try await fixture.problem("POST", "/v1/refunds", RefundBody(transactionId: "1"))?.code == .realStore)
    }
  }

  @Test("[A3] the xcode environment numbers the transactions of a device from 0")
  func xcode() async throws {
    try await ControlFixture.with(environment: .xcode) { (fixture) async throws in
      let device = try await fixture.daemon.status().device.id
      for number in 0..<3 {
        let bought = try await fixture.daemon.purchase("RandomOwls").transaction
        #expect(bought?.transactionId == "\(number)@\(device)")
      }
      #expect(try await fixture.daemon.refund("1@\(device)").transaction.revocationDate != nil)
      #expect(try await fixture.daemon.status().credits.first?.balance == 10)
    }
  }

  @Test("an explicit date stands in for the purchases known; a later one counts on top")
  func expiration() async throws {
    try await ControlFixture.with { (fixture) async throws in
      let bought = try await fixture.daemon.purchase("3monthsOfRandom", at: january)
      let path = "/v1/lines/random-owls/expiration"
      let date = Instant("2030-01-01")
      let answer: ExpirationAnswer = try await fixture.client.send(
        "PUT", path, body: ExpirationBody(expires: date))
      #expect(answer.covers == [bought.transaction?.transactionId])
      #expect(try await fixture.daemon.status().lines.first?.expires == date)
      _ = try await fixture.daemon.purchase("6monthsOfRandom")
      #expect(try await fixture.daemon.status().lines.first?.expires == Instant("2030-07-01"))
      let none: ExpirationAnswer = try await fixture.client.send(
        "PUT", path, body: ExpirationBody(expires: nil))
      #expect(none.expires == nil && none.covers.count == 2)
      #expect(try await fixture.daemon.status().lines.first?.active == false)
      let forgotten = try await fixture.problem("PUT", path, [String: String]())
      #expect(forgotten?.detail == "expires is missing")
      let unknown = try await fixture.problem(
        "PUT", "/v1/lines/owls/expiration", ExpirationBody(expires: date))
      #expect(unknown?.detail == "no line 'owls' is known here; known: random-owls")
    }
  }

  @Test("a grant holds until it ends or is taken back")
  func grants() async throws {
    try await ControlFixture.with { (fixture) async throws in
      let path = "/v1/grants/promotion"
      #expect(try await fixture.problem("DELETE", path)?.code == .unknownEntitlement)
      let grant: GrantAnswer = try await fixture.client.send(
        "PUT", path, body: GrantBody(until: Instant("2999-01-01")))
      #expect(grant.stands && grant.until == Instant("2999-01-01"))
      let held: EntitlementAnswer = try await fixture.client.send("GET", "/v1/entitlements/promotion")
      #expect(held.active && held.expires == grant.until)
      for _ in 0..<2 {
        let taken: GrantAnswer = try await fixture.client.send("DELETE", path)
        #expect(!taken.stands)
      }
      #expect(try await fixture.problem("GET", "/v1/entitlements/promotion")?.code == .unknownEntitlement)
    }
  }

  @Test("values of the app are kept as they are")
  func values() async throws {
    try await ControlFixture.with { (fixture) async throws in
      let path = "/v1/values/last%20image%2Fé".replacing("é", with: "%C3%A9")
      #expect(try await fixture.problem("GET", path)?.code == .unknownValue)
      let written: ValueAnswer = try await fixture.client.send("PUT", path, body: ValueBody(value: "🦉\n"))
      let read: ValueAnswer = try await fixture.client.send("GET", path)
      #expect(read == written && read.key == "last image/é" && read.value == "🦉\n")
      let large = ValueBody(value: String(repeating: "x", count: Limits.valueBytes + 1))
      #expect(try await fixture.problem("PUT", path, large)?.code == .tooLarge)
    }
  }

  @Test("an export comes in exactly, once; members stay out")
  func exportAndImport() async throws {
    try await ControlFixture.with { (first) async throws in
      _ = try await first.daemon.purchase("3monthsOfRandom", at: january)
      _ = try await first.daemon.grant("promotion", until: nil)
      _ = try await first.daemon.setExpiration(of: "random-owls", to: Instant("2027-01-01"))
      _ = try await first.daemon.setValue("image", to: "owl")
      let exported: JSONValue = try await first.client.send("GET", "/v1/export")
      guard case .array(let registers)? = exported["registers"] else {
        throw Problem(.failed, .same("no registers"))
      }
      let products = registers.compactMap { $0["kind"] == "transaction" ? $0["fact"]?["productId"] : nil }
      #expect(products == ["3monthsOfRandom"])
      let mine = try await first.daemon.status()
      // What the first has bought is from its own store.
      let root = first.directory + "/store/root.pem"
      try await ControlFixture.with(catalogue: Catalogue(), trustRoots: [root]) { (second) async throws in
        let done: ImportAnswer = try await second.client.send("POST", "/v1/import", body: exported)
        // Eight and the two parts of the purchase.
        #expect(done.registers == 10 && done.changed == 10)
        let again: ImportAnswer = try await second.client.send("POST", "/v1/import", body: exported)
        #expect(again.registers == 10 && again.changed == 0)
        let theirs = try await second.daemon.status()
        #expect(theirs.entitlements == mine.entitlements && theirs.lines == mine.lines)
        #expect(theirs.group.members == 1)
        #expect(try await second.daemon.value("image").value == "owl")
      }
    }
  }

  @Test("registers of a kind unknown here come in as they are; damage is refused before anything is taken in")
  func strangeImports() async throws {
    try await ControlFixture.with { (fixture) async throws in
      func document(_ key: [UInt8], _ value: [UInt8]) -> JSONValue {
        let raw: JSONValue = [
          "key": .string(Data(key).base64EncodedString()), "stamp": "7",
          "value": .string(Data(value).base64EncodedString()),
        ]
        return ["format": "peersync-ledger", "registers": [["raw": raw, "future": true]], "version": 9]
      }
      let newer: ImportAnswer = try await fixture.client.send(
        "POST", "/v1/import", body: document([200, 1], [1]))
      #expect(newer.changed == 1)
      let bought = Fixtures.buy("1", Fixtures.owl, "2026-01-01")
      func item(_ stamp: UInt64) -> JSONValue {
        let (subject, stamp) = (StoreSubject(bought, device: nil), Stamp(rawValue: stamp))
        return document(subject.key(of: bought.encoded, stamp: stamp, .openSSL).encoded, bought.encoded)
      }
      let fitting: ImportAnswer = try await fixture.client.send("POST", "/v1/import", body: item(7))
      #expect(fitting.changed == 1)
      for wrong in [
        document([], [1]), document([1, 1], [1]), document([UInt8](repeating: 1, count: 600), []), item(8),
      ] {
        #expect(
          try await fixture.problem("POST", "/v1/import", wrong)?.detail
            == "registers[0].raw is not a register")
      }
      #expect(
        try await fixture.problem("POST", "/v1/import", ["registers": []] as JSONValue)?.code
          == .malformedBody)
    }
  }

  @Test(
    "full events tell the first state, then each change with what has changed; a reader resumes where it was")
  func events() async throws {
    try await ControlFixture.with { (fixture) async throws in
      var iterator = try fixture.client.events("full=true").makeAsyncIterator()
      let first = try #require(try await iterator.next())
      #expect(first.name == "changed")
      _ = try await fixture.daemon.purchase("3monthsOfRandom")
      let second = try #require(try await iterator.next())
      let change = try JSON.decode(ChangeAnswer.self, from: Array(second.data.utf8))
      #expect(change.changed == ["lines", "entitlements", "digest"])
      #expect(change.status.lines.first?.active == true)
      #expect(second.id != first.id)
      let now = try await fixture.daemon.status()
      var resumed = ChangeTracker(since: change.revision)
      #expect(resumed.take(change.status, revision: change.revision) == nil)
      #expect(resumed.take(now, revision: change.revision + 1) == nil)
      _ = try await fixture.daemon.grant("promotion", until: nil)
      let later = try await fixture.daemon.status()
      #expect(resumed.take(later, revision: change.revision + 2)?.changed == ["entitlements", "digest"])
      var missed = ChangeTracker(since: change.revision)
      #expect(missed.take(later, revision: change.revision + 2)?.changed.count == 12)
    }
  }

  @Test("a grant that ends by itself is told when it ends")
  func expiry() async throws {
    try await ControlFixture.with { (fixture) async throws in
      var changes = fixture.daemon.changes().makeAsyncIterator()
      _ = await changes.next()
      let soon = try await fixture.daemon.status().time.now.advanced(byMilliseconds: 300)
      _ = try await fixture.daemon.grant("promotion", until: soon)
      // Nothing else happens: a status from after the end comes only because the end itself was waited for.
      while let change = await changes.next(), change.status.time.now < soon {}
      let status = try await fixture.daemon.status()
      #expect(status.entitlements.contains { $0.id == "promotion" && !$0.active })
    }
  }

  @Test("only JSON bodies, only with the token; health, description and page are open")
  func access() async throws {
    try await ControlFixture.with { (fixture) async throws in
      let server = fixture.server
      for (path, status) in [
        ("/healthz", 200), ("/openapi.json", 200), ("/", 200), ("/v1/status", 401), ("/metrics", 401),
      ] {
        #expect(
          try await RawConnection.exchange(server, "GET", path).contains("HTTP/1.1 \(status) "), "\(path)")
      }
      let token = try DataDirectory(fixture.directory).readControlFile().token
      let headers = ["Authorization": "Bearer \(token)", "Content-Type": "text/plain"]
      let form = try await RawConnection.exchange(
        server, "POST", "/v1/purchases", headers: headers, body: "{}")
      #expect(form.contains("HTTP/1.1 415 "))
      let wrong = try await RawConnection.exchange(server, "DELETE", "/v1/status", headers: headers)
      #expect(wrong.contains("HTTP/1.1 405 ") && wrong.contains("\r\nAllow: GET, HEAD\r\n"), "\(wrong)")
      #expect(
        try await fixture.problem("POST", "/v1/grants/x")?.detail
          == "/v1/grants/x takes PUT, DELETE, not POST")
      #expect(try await fixture.problem("GET", "/v1/nothing")?.code == .notFound)
      let page = try await RawConnection.exchange(server, "GET", "/")
      #expect(page.contains("Content-Security-Policy: default-src 'none'; script-src 'nonce-"))
      #expect(!page.contains("http://") || !page.contains("src=\"http"))
    }
  }
}
