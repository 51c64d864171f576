import PeerSyncCore
import Testing

@Suite struct StorePayloadTests {
  private let transaction = """
    "transactionId":"1","originalTransactionId":"1","bundleId":"b","productId":"p","purchaseDate":1,\
    "signedDate":2,"environment":"Sandbox"
    """
  private let renewal = """
    "originalTransactionId":"1","autoRenewProductId":"p","autoRenewStatus":1,"signedDate":2,\
    "environment":"Sandbox"
    """
  private let notification = """
    "notificationType":"TEST","notificationUUID":"u","signedDate":2,\
    "data":{"bundleId":"b","environment":"Sandbox"}
    """

  private func rejection(_ members: String) -> JWSRejection? {
    do throws(JWSRejection) {
      _ = try StorePayload(Array("{\(members)}".utf8))
      return nil
    } catch {
      return error
    }
  }

  @Test func theThreeKindsDoNotPassForOneAnother() throws {
    #expect(try StorePayload(Array("{\(transaction)}".utf8)).kind == .transaction)
    #expect(try StorePayload(Array("{\(renewal)}".utf8)).kind == .renewalInfo)
    #expect(try StorePayload(Array("{\(notification)}".utf8)).kind == .notification)
    for mix in [
      "\(transaction),\"autoRenewStatus\":1", "\(renewal),\"transactionId\":\"1\"",
      "\(transaction),\"notificationType\":\"TEST\"", "\(notification),\"autoRenewStatus\":1",
      "\"signedDate\":1",
    ] {
      #expect(rejection(mix) == .unknownKind)
    }
  }

  @Test("C41: what verifies the device that bought something says nothing to others, whatever it is")
  func deviceVerification() throws {
    let plain = try StorePayload(Array("{\(transaction)}".utf8))
    for value in ["\"right\"", "\"wrong\"", "\"\"", "7", "null"] {
      let payload = "{\(transaction),\"deviceVerification\":\(value),\"deviceVerificationNonce\":\(value)}"
      #expect(try StorePayload(Array(payload.utf8)) == plain)
    }
  }

  @Test func requiredFieldsAreRequired() {
    for name in [
      "transactionId", "originalTransactionId", "bundleId", "productId", "purchaseDate", "signedDate",
      "environment",
    ] {
      #expect(rejection(transaction.replacing("\"\(name)\"", with: "\"x\(name)\"")) == .missing(name))
    }
  }

  @Test func numbersAreNumbersInRange() {
    for (value, isGood) in [
      ("1", true), ("1000", true), ("0", false), ("1001", false), ("-1", false), ("\"1\"", false),
      ("1.0", false), ("1e2", false), ("null", false), ("99999999999999999999", false), ("true", false),
    ] {
      let result = rejection(transaction + ",\"quantity\":\(value)")
      #expect(result == (isGood ? nil : .wrong("quantity")), "\(value)")
    }
    #expect(
      rejection(transaction.replacing("\"signedDate\":2", with: "\"signedDate\":\"2\""))
        == .wrong("signedDate"))
    #expect(
      rejection(transaction.replacing("\"signedDate\":2", with: "\"signedDate\":-2")) == .wrong("signedDate"))
    #expect(
      rejection(transaction.replacing("\"signedDate\":2", with: "\"signedDate\":253402300800000"))
        == .wrong("signedDate"))
  }

  @Test func theTextIsStrictJSON() {
    #expect(
      rejection(transaction + ",\"a\":1,\"\\u0061\":2")?.isJSON == true, "one name twice, written differently"
    )
    #expect(rejection(transaction + ",\"a\":{\"b\":1,\"b\":1}")?.isJSON == true)
    #expect(rejection(transaction + ",")?.isJSON == true)
    #expect(rejection(transaction + ",\"future\":[{\"x\":null}]") == nil, "unknown fields are tolerated")
  }

  @Test func whatIsWrittenIsRead() throws {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<500 {
      var transaction = random.transaction()
      transaction.verification = .unverified
      transaction.signedDate = max(transaction.signedDate, .epoch)
      transaction.purchaseDate = max(transaction.purchaseDate, .epoch)
      transaction.expiresDate = transaction.expiresDate.map { max($0, .epoch) }
      transaction.revocationDate = transaction.revocationDate.map { max($0, .epoch) }
      transaction.price = transaction.price.map { max($0, 0) }
      guard !transaction.transactionId.isEmpty, !transaction.originalTransactionId.isEmpty,
        !transaction.productId.isEmpty, !transaction.bundleId.isEmpty
      else { continue }
      #expect(try StorePayload(transaction.payload) == .transaction(transaction))
    }
  }

  @Test func whatIsWrittenOfARenewalIsRead() throws {
    var random = SeededGenerator(seed: 2)
    for _ in 0..<500 {
      let info = random.renewalInfo()
      #expect(try StorePayload(info.payload) == .renewalInfo(info))
    }
  }

  @Test func numbersOfARenewalAreInRange() {
    for (name, good, bad) in [
      ("expirationIntent", "5", "256"), ("priceIncreaseStatus", "0", "-1"), ("offerType", "255", "\"1\""),
      ("renewalPrice", "0", "-1"), ("renewalDate", "0", "253402300800000"),
      ("gracePeriodExpiresDate", "1", "1.5"), ("isInBillingRetryPeriod", "true", "1"),
    ] {
      #expect(rejection("\(renewal),\"\(name)\":\(good)") == nil)
      #expect(rejection("\(renewal),\"\(name)\":\(bad)") == .wrong(name))
    }
  }
}
