import PeerSync

// The schemas of the description: what requests and answers look like.
extension OpenAPI {
  static let schemas: [String: JSONValue] = [answers, subscriptions, proofs, requests, events].reduce([:]) {
    $0.merging($1) { $1 }
  }

  static let text: JSONValue = ["type": "string"]
  static let flag: JSONValue = ["type": "boolean"]
  static let count: JSONValue = ["type": "integer", "minimum": 0]
  static let time: JSONValue = [
    "type": "string", "format": "date-time", "examples": ["2026-01-31T00:00:00.000Z"],
  ]

  static func list(_ item: JSONValue) -> JSONValue { ["type": "array", "items": item] }
  static func list(_ name: String) -> JSONValue { list(reference(name)) }
  static func orNull(_ schema: JSONValue) -> JSONValue {
    ["anyOf": [schema, ["type": "null"]]]
  }
  static func choice(_ values: [String]) -> JSONValue {
    ["type": "string", "enum": .array(values.map(JSONValue.string))]
  }

  /// An object whose members are all there, but for those named as optional.
  static func object(
    _ members: [String: JSONValue], optional: Set<String> = []
  ) -> JSONValue {
    let required = members.keys.filter { !optional.contains($0) }.sorted().map(JSONValue.string)
    return ["type": "object", "properties": JSONValue(members), "required": .array(required)]
  }

  private static let answers: [String: JSONValue] = [
    "Problem": object(
      [
        "type": text, "title": text, "status": count, "detail": text, "detailInKorean": text,
        "code": choice(Problem.Code.allCases.map(\.rawValue)),
        "reason": choice(Problem.Reason.allCases.map(\.rawValue)),
      ], optional: ["detailInKorean", "reason"]),
    "Status": object(
      [
        "device": object([
          "id": text, "name": text, "replica": text, "accountToken": text, "environment": environment,
          "bundleId": text,
        ]),
        "group": reference("Group"), "online": flag, "listen": orNull(text),
        "time": reference("Time"),
        "peers": list("Peer"),
        "lines": list("Line"), "subscriptions": list("Subscription"), "entitlements": list("Entitlement"),
        "purchased": list(text), "credits": list("Credit"), "digest": text, "warnings": list(text),
        "warningsInKorean": list(text),
      ], optional: ["warningsInKorean"]),
    "Group": object(["id": text, "members": count]),
    "Peer": object([
      "device": text, "name": text, "address": orNull(text), "connected": flag,
      "dialledBy": orNull(choice(["this", "peer"])), "inSync": flag, "lastSeen": orNull(time),
      "clockSkew": orNull(["type": "integer"]), "program": orNull(text),
    ]),
    "Time": object([
      "now": time, "source": choice(["clock", "store", "peer"]), "wall": time,
      "vouchedBy": orNull(reference("Voucher")), "accepted": orNull(time),
    ]),
    "TimeBounds": object([
      "now": time, "source": choice(["clock", "store", "peer"]), "wall": time, "accepted": orNull(time),
      "mayAccept": flag, "bounds": list("Bound"),
    ]),
    "Bound": object([
      "source": choice(["store", "peer"]), "device": orNull(text), "name": orNull(text), "time": time,
      "vouched": time,
    ]),
    "Voucher": object([
      "source": choice(["store", "peer"]), "time": time, "signed": orNull(time), "device": orNull(text),
      "name": orNull(text),
    ]),
    "Line": object([
      "id": text, "active": flag, "expires": orNull(time), "daysRemaining": count, "runs": list("Run"),
    ]),
    "Run": object(["start": time, "end": time, "transactions": list(text)]),
    "Entitlement": object([
      "id": text, "active": flag, "expires": orNull(time), "presentEnd": orNull(time), "because": text,
      "reasons": list("Reason"),
    ]),
    "Reason": object([
      "kind": choice(Reason.Kind.allCases.map(\.rawValue)), "id": orNull(text), "left": orNull(count),
    ]),
    "Entitlements": object(["entitlements": list("Entitlement")]),
    "Credit": object([
      "id": text, "balance": count, "available": count, "debt": count, "holders": list("CreditHolder"),
      "fromLost": list(
        object(["amount": count, "by": text, "counts": flag, "named": flag], optional: ["named"])),
    ]),
    "CreditHolder": object([
      "kind": choice(["this", "earlier", "member", "removed", "nobody", "unknown"]), "device": orNull(text),
      "name": orNull(text), "rights": ["type": "integer"],
    ]),
    "SpendResult": object(["id": text, "spent": count, "balance": count]),
    "Credits": object(["credits": list("Credit")]),
    "Transaction": object(
      [
        "transactionId": text, "originalTransactionId": text, "productId": text, "purchaseDate": time,
        "quantity": count, "signedDate": time, "environment": environment, "revocationDate": orNull(time),
        "expiresDate": orNull(time), "verification": choice(Verification.allCases.map(\.rawValue)),
        "reason": orNull(text), "reasonInKorean": text, "price": orNull(text), "currency": orNull(text),
        "device": reference("Named"),
      ], optional: ["reasonInKorean", "device"]),
    "IngestResults": object(["results": list("IngestResult")]),
    "IngestResult": object(
      [
        "line": count, "kind": orNull(choice(StorePayload.Kind.allCases.map(\.rawValue))), "accepted": flag,
        "transactionId": orNull(text), "reason": orNull(text), "reasonInKorean": text,
        "notification": orNull(reference("Notification")), "repeated": flag,
      ], optional: ["reasonInKorean"]),
    "Notification": object([
      "notificationUUID": text, "notificationType": text, "subtype": orNull(text), "known": flag,
      "effect": orNull(choice(NotificationType.Effect.allCases.map(\.rawValue))), "signedDate": time,
      "received": time, "transactionId": orNull(text), "originalTransactionId": orNull(text),
      "productId": orNull(text),
    ]),
    "Notifications": object(["notifications": list("Notification")]),
    "TransactionResult": object(
      ["transaction": reference("Transaction"), "changed": flag, "dated": text],
      optional: ["changed", "dated"]),
    "PurchaseResult": object([
      "outcome": choice(["purchased", "pending"]), "transaction": orNull(reference("Transaction")),
      "request": orNull(count), "bought": flag, "onThisDeviceOnly": flag,
    ]),
    "RestoreAnswer": object([
      "fromStore": count, "fromPeers": count, "transactions": list("RestoredTransaction"),
    ]),
    "RestoredTransaction": object([
      "transactionId": text, "productId": text, "from": choice(["store", "peers"]),
    ]),
    "Transactions": object(["transactions": list("Transaction"), "next": orNull(text)]),
    "Product": object([
      "id": text, "type": orNull(choice(ProductType.allCases.map(\.rawValue))), "displayName": orNull(text),
      "line": orNull(text), "period": orNull(text), "credit": orNull(text), "amount": orNull(count),
      "entitlements": list(text), "price": orNull(text), "currency": orNull(text),
      "action": choice(Offer.Action.allCases.map(\.rawValue)), "expiresIfBought": orNull(time),
      "from": orNull(time), "entries": list("ProductEntry"),
    ]),
    "ProductEntry": object([
      "from": orNull(time), "type": orNull(choice(ProductType.allCases.map(\.rawValue))),
      "line": orNull(text), "period": orNull(text), "credit": orNull(text), "amount": orNull(count),
      "entitlements": list(text),
    ]),
    "Products": object(["products": list("Product")]),
    "ProductsWritten": object(
      ["written": count, "warnings": list(text), "warningsInKorean": list(text)],
      optional: ["warningsInKorean"]),
    "Device": object([
      "id": text, "name": text, "self": flag, "address": orNull(text), "connected": flag, "inSync": flag,
      "lastSeen": orNull(time), "letInBy": orNull(text),
    ]),
    "RemovedDevice": object(["id": text, "name": text]),
    "Devices": object([
      "group": text, "devices": list("Device"), "removed": list("RemovedDevice"),
      "takenBack": orNull(reference("TakenBack")),
    ]),
    "TakenBack": object(
      [
        "count": count, "decisions": list("TakenDecision"), "replaced": count, "heldBack": flag,
        "membersAgain": list("MemberAgain"), "membersOut": list("RemovedDevice"),
      ], optional: ["heldBack", "membersAgain", "membersOut"]),
    "MemberAgain": object(["id": text, "name": text, "letIn": flag]),
    "TakenDecision": object(
      [
        "kind": choice(["expiration", "grant", "product", "value", "deviceName"]), "id": text,
        "said": text, "saidInKorean": text, "stands": orNull(text), "standsInKorean": text,
        "by": orNull(text),
      ], optional: ["saidInKorean", "standsInKorean"]),
    "Invitation": object([
      "url": orNull(text), "code": text, "announced": flag, "expires": time,
    ]),
    "Membership": object(["group": reference("Group")]),
    "Network": object(["online": flag]),
    "DialBack": object(["peer": orNull(text), "addresses": list("Dialled")]),
    "Dialled": object(["address": text, "reached": flag]),
    "Value": object(["key": text, "value": text]),
    "Import": object(["registers": count, "skipped": count, "changed": count]),
    "Change": object(["revision": count, "changed": list(text), "status": reference("Status")]),
    "Health": object(["status": text, "version": text]),
  ]

  private static let subscriptions: [String: JSONValue] = [
    "Subscription": object(
      [
        "originalTransactionId": text, "productId": text,
        "state": choice(SubscriptionState.allCases.map(\.rawValue)), "expires": orNull(time),
        "accessUntil": orNull(time), "willRenew": orNull(flag),
        "reason": orNull(choice(ExpiryReason.allCases.map(\.rawValue))), "nextProductId": orNull(text),
        "nextBillingDate": orNull(time), "renewalPrice": orNull(text), "currency": orNull(text),
        "priceConsent": orNull(choice(PriceConsent.allCases.map(\.rawValue))), "retryUntil": orNull(time),
        "nextChange": orNull(reference("ProductChange")), "lastChange": orNull(reference("ProductChange")),
        "offer": orNull(reference("StoreOffer")), "nextOffer": orNull(reference("StoreOffer")),
        "familyShared": flag, "revocation": orNull(reference("Revocation")), "daysOfPaidService": count,
        "renewalSigned": orNull(time), "sentences": list(text),
      ], optional: ["sentences"]),
    "QRCode": object(["rows": list(text)]),
    "Subscriptions": object(["subscriptions": list("Subscription")]),
    "ProductChange": object([
      "from": text, "to": text, "date": orNull(time),
      "kind": orNull(choice(ProductChange.Kind.allCases.map(\.rawValue))),
    ]),
    "StoreOffer": object([
      "kind": choice(StoreOffer.Kind.allCases.map(\.rawValue)), "id": orNull(text),
      "payment": orNull(choice(StoreOffer.Payment.allCases.map(\.rawValue))),
    ]),
    "Revocation": object(["date": time, "type": choice(RevocationType.allCases.map(\.rawValue))]),
  ]

  private static let environment = choice(Environment.allCases.map(\.rawValue))

  private static let proofs: [String: JSONValue] = [
    "Why": object([
      "entitlement": reference("Entitlement"), "time": reference("Time"), "lines": list("LineProof"),
      "subscriptions": list("Subscription"), "purchases": list("TransactionProof"),
      "credits": list("Credit"), "grants": list("Grant"), "unknown": list("TransactionProof"),
    ]),
    "LineProof": object([
      "id": text, "expires": orNull(time), "register": orNull(reference("Expiration")),
      "writtenBy": orNull(reference("Named")), "steps": list("TransactionProof"), "runs": list("Run"),
    ]),
    "TransactionProof": object([
      "transaction": reference("Transaction"), "counted": text, "contribution": text, "end": orNull(time),
      "how": reference("HowCounted"), "entryFrom": orNull(time),
    ]),
    "HowCounted": object([
      "kind": choice(Counted.Kind.allCases.map(\.rawValue)), "amount": orNull(count), "until": orNull(time),
    ]),
    "Expiration": object([
      "line": text, "expires": orNull(time), "covers": list(text), "written": orNull(time),
    ]),
    "Grant": object(["entitlement": text, "id": text, "until": orNull(time), "stands": flag]),
    "Export": object([
      "format": choice(["peersync-ledger"]), "version": count, "exported": time, "digest": text,
      "device": object(["id": text, "name": text, "environment": environment, "bundleId": text]),
      "warnings": list(text),
      "registers": list(
        object(
          [
            "raw": object(["key": text, "stamp": text, "value": text]), "kind": text, "written": time,
            "author": text, "fact": [:],
          ], optional: ["kind", "fact"])),
    ]),
  ]
}
