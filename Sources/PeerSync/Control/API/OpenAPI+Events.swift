import PeerSync

// What has happened, as the description has it.
extension OpenAPI {
  static let events: [String: JSONValue] = [
    "Named": object(["id": text, "name": text, "firstName": text], optional: ["firstName"]),
    "Event": object(
      [
        "time": orNull(time), "type": choice(EventAnswer.Kind.allCases.map(\.rawValue)),
        "device": orNull(reference("Named")), "learned": flag, "transactionId": text,
        "product": reference("Named"), "quantity": count, "entitlements": list("Entitlement"),
        "subscription": reference("Subscription"), "credit": text, "amount": count, "id": text,
        "entitlement": text, "line": text, "expires": time, "key": text, "value": text, "change": text,
        "subject": reference("Named"), "text": text,
      ],
      optional: [
        "learned", "transactionId", "product", "quantity", "entitlements", "subscription", "credit", "amount",
        "id", "entitlement", "line", "expires", "key", "value", "change", "subject", "text",
      ]),
    "Position": object(["type": choice(["ready", "reset"]), "revision": count, "remedy": orNull(text)]),
    "Traffic": object([
      "type": choice(["traffic"]), "kind": text, "direction": choice(["in", "out"]),
      "peer": orNull(reference("Named")), "commits": count,
      "purchases": list(
        object([
          "commit": text, "transactions": list(text), "revoked": list(text),
          "device": orNull(reference("Named")), "news": orNull(flag),
        ])),
    ]),
    "History": object(["events": list("Event"), "sentences": list(text)], optional: ["sentences"]),
  ]
}
