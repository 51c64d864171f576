import PeerSync

// The schemas of what requests may say: just these fields, and what is refused beyond them.
extension OpenAPI {
  static let requests: [String: JSONValue] = [
    "Purchase": closed(
      [
        "productId": text, "quantity": number(1...Int64(Limits.quantity), unless: 1),
        "at": date("from 1970 on; now unless said"), "offer": text,
      ], optional: ["quantity", "at", "offer"]),
    "Catalogue": closed(
      [
        "version": [:],
        "products": list(
          closed(
            [
              "id": text, "type": [:], "line": [:], "period": [:], "entitlements": [:], "credit": [:],
              "amount": [:], "displayName": [:], "description": [:], "price": [:], "currency": [:],
              "subscriptionGroup": [:], "level": [:], "from": [:], "familyShareable": [:],
              "introductoryOffer": [:],
              "offers": [:],
            ],
            optional: [
              "type", "line", "period", "entitlements", "credit", "amount", "displayName", "description",
              "price", "currency", "subscriptionGroup", "level", "from", "familyShareable",
              "introductoryOffer",
              "offers",
            ], isNullable: false)),
      ], optional: ["version"], isNullable: false),
    "Refund": closed(["transactionId": text]),
    "Spend": closed(
      ["amount": number(1...Limits.creditTotal, unless: 1), "id": name], optional: ["amount", "id"]),
    "Reclaim": closed(["from": choice(["lost"])], optional: ["from"]),
    "Ingest": closed(["items": list(text)]),
    "SetExpiration": closed(["expires": orNull(date("null: no cover"))]),
    "SetGrant": closed(["until": date("null: it never ends")], optional: ["until"]),
    "SetValue": closed(["value": bytes(text, atMost: Limits.valueBytes)]),
    "Join": closed([
      "url": pattern(
        "^([Pp][Ee][Ee][Rr][Ss][Yy][Nn][Cc]://[^/]+/[^/]+|[-0-9A-Za-z ]+)$",
        "an invitation, or its code alone")
    ]),
    "Remove": closed(
      [
        "recoveryKey": pattern("^[-0-9A-Za-z ]+$", "what was shown when the device was made"), "all": flag,
        "since": date("what was decided since then is taken back; not beside `all`"),
        "disown": list(text),
      ], optional: ["recoveryKey", "all", "since", "disown"]),
    "AcceptTime": closed(["accept": flag], optional: ["accept"]),
    "SetNetwork": closed(["online": flag]),
    "Rename": closed(["name": deviceName]),
    "ImportLedger": closed(
      [
        "format": choice([ExportFormat.name]), "version": later, "exported": [:], "digest": [:],
        "device": closedAnything(["id", "name", "environment", "bundleId"]),
        "warnings": [:], "registers": list(register),
      ], optional: ["version", "exported", "digest", "device", "warnings"], isNullable: false),
  ]

  private static let later: JSONValue = [
    "description": .string(
      "from \(ExportFormat.version + 1) on the document may have fields that are not described here")
  ]

  /// Only its raw bytes are looked at.
  private static let register = closed(
    [
      "raw": closed([
        "key": base64(atMost: Limits.keyBytes),
        "stamp": pattern("^[+]?[0-9]+$", "at most \(UInt64.max)"), "value": base64(atMost: Limits.valueBytes),
      ]), "kind": [:], "written": [:], "author": [:], "fact": [:],
    ], optional: ["kind", "written", "author", "fact"], isNullable: false)

  /// An object with no other fields. What may be left out may be null.
  private static func closed(
    _ members: [String: JSONValue], optional: Set<String> = [], isNullable: Bool = true
  ) -> JSONValue {
    var described = members
    for name in optional where isNullable { described[name] = described[name].map(orNull) }
    return adding(["additionalProperties": false], to: object(described, optional: optional))
  }

  /// Fields that are there for people, and are not looked at.
  private static func closedAnything(_ names: [String]) -> JSONValue {
    [
      "properties": JSONValue(Dictionary(names.map { ($0, [:]) }) { $1 }), "additionalProperties": false,
    ]
  }

  private static func adding(_ keywords: [String: JSONValue], to schema: JSONValue) -> JSONValue {
    JSONValue((schema.dictionary ?? [:]).merging(keywords) { $1 })
  }

  private static func number(_ range: ClosedRange<Int64>, unless usual: Int64) -> JSONValue {
    [
      "type": "integer", "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound),
      "default": .integer(usual),
    ]
  }

  private static func bytes(_ schema: JSONValue, atMost count: Int) -> JSONValue {
    adding(bytes(atMost: count), to: schema)
  }

  /// A name that somebody gives.
  private static let name = adding(["minLength": 1], to: bytes(text, atMost: Limits.textBytes))

  private static let deviceName = adding(["not": ["pattern": "[\\u0000-\\u001F\\u007F-\\u009F]"]], to: name)

  /// A day is its midnight in UTC.
  private static func date(_ meaning: String) -> JSONValue {
    [
      "type": "string", "anyOf": [["format": "date-time"], ["format": "date"]],
      "description": .string("\(meaning); years 0001 to 9999, no leap seconds, capital T and Z"),
      "examples": ["2026-01-31T00:00:00.000Z", "2026-01-31"],
    ]
  }

  private static func pattern(_ pattern: String, _ meaning: String) -> JSONValue {
    ["type": "string", "pattern": .string(pattern), "description": .string(meaning)]
  }

  private static func base64(atMost count: Int) -> JSONValue {
    [
      "type": "string", "contentEncoding": "base64",
      "description": .string("at most \(count) bytes, encoded"),
      "maxLength": .integer(Int64((count + 2) / 3 * 4)),
    ]
  }
}
