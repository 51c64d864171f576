import PeerSync

// The table of the control API: what there is, what it takes and what it answers.
extension ControlAPI {
  package static let table = EndpointTable(reads + changes + group + service, schemas: OpenAPI.schemas)

  private static let reads: [Endpoint<ControlAPI>] = [
    .get(
      "/v1/status", id: "getStatus", "Everything the device knows now", answers: "Status",
      query: QueryParameter.reader, problems: [.invalidValue]
    ) { api, call in
      let (status, reader) = (try await api.daemon.status(), try await api.reader(of: call))
      return reader.map(status.told(to:)) ?? status
    },
    .get("/v1/entitlements", id: "getEntitlements", "The entitlements", answers: "Entitlements") { api, _ in
      EntitlementsAnswer(entitlements: try await api.daemon.status().entitlements)
    },
    .get(
      "/v1/entitlements/{id}", id: "getEntitlement", "One entitlement", answers: "Entitlement",
      problems: [.unknownEntitlement]
    ) { api, call in try await api.daemon.entitlement(call.name) },
    .get(
      "/v1/entitlements/{id}/why", id: "getWhy",
      "The proof of an entitlement: every purchase and how it counted", answers: "Why",
      problems: [.unknownEntitlement]
    ) { api, call in try await api.daemon.why(call.name) },
    .get("/v1/lines/{id}", id: "getLine", "The cover of one line", answers: "Line", problems: [.unknownLine])
    {
      api, call in try await api.daemon.line(call.name)
    },
    .get(
      "/v1/subscriptions", id: "getSubscriptions", "The auto-renewable subscriptions",
      answers: "Subscriptions", query: QueryParameter.reader, problems: [.invalidValue]
    ) { api, call in
      let (status, reader) = (try await api.daemon.status(), try await api.reader(of: call))
      return SubscriptionsAnswer(subscriptions: (reader.map(status.told(to:)) ?? status).subscriptions)
    },
    .get(
      "/v1/products", id: "getProducts", "The catalogue, with what buying each product now would do",
      answers: "Products"
    ) { api, _ in try await api.daemon.products() },
    .get(
      "/v1/transactions", id: "getTransactions",
      "The transactions known, oldest first, with the devices that bought them", answers: "Transactions",
      query: [
        QueryParameter("after", "the transactionId of the last one of the page before"), QueryParameter.limit,
      ],
      problems: [.unknownTransaction, .invalidValue]
    ) { api, call in
      try await api.daemon.transactions(after: call.head.parameter("after"), limit: call.limit)
    },
    .get(
      "/v1/history", id: "getHistory", "What has happened and who did it, the newest last",
      answers: "History",
      query: [
        QueryParameter("since", "a time: what happened before is left out", format: "date-time"),
        QueryParameter.limit,
      ] + QueryParameter.reader,
      problems: [.invalidValue]
    ) { api, call in
      let history = try await api.daemon.history(since: try call.time("since"), limit: call.limit)
      let reader = try await api.reader(of: call)
      return reader.map(history.told(to:)) ?? history
    },
    .get(
      "/v1/notifications", id: "getNotifications", "What the store has told this device, oldest first",
      answers: "Notifications"
    ) { api, _ in try api.daemon.notificationHistory() },
    .get("/v1/credits", id: "getCredits", "The credits", answers: "Credits") { api, _ in
      try await api.daemon.credits()
    },
    .get(
      "/v1/values/{key}", id: "getValue", "A value of the app", answers: "Value", problems: [.unknownValue]
    ) { api, call in try await api.daemon.value(call.name) },
    .get(
      "/v1/time", id: "getTime", "What time it is, and everything that somebody vouches for",
      answers: "TimeBounds"
    ) { api, _ in try await api.daemon.time() },
    .get("/v1/export", id: "exportLedger", "The whole ledger", answers: "Export") { api, _ in
      try await api.daemon.exportLedger()
    },
    .get(
      "/v1/events", id: "getEvents",
      "What happens as it happens, as server-sent events named by their type, whose data is an Event; resumable by Last-Event-ID. "
        + "The first is `ready`, and `reset` where something was missed: their data is a Position, that of `traffic` a Traffic. "
        + "With full they are named `changed`, and their data is a Change",
      sends: .events(["Event", "Position", "Traffic", "Change"]),
      query: [
        .flag("full", "the whole status at each change instead"),
        .flag("traffic", "tell of messages to and from peers as well"),
      ] + QueryParameter.reader, problems: [.invalidValue]
    ) { api, call in try await api.events(call) },
  ]

  private static let changes: [Endpoint<ControlAPI>] = [
    Endpoint(
      "POST", "/v1/purchases", id: "buy", "Buy a product from the sandbox store",
      takes: .json(PurchaseBody.self, "Purchase"), answers: "PurchaseResult",
      problems: [
        .unknownProduct, .invalidValue, .realStore, .ledgerFull, .tooLarge, .storeUnreachable, .storeRefused,
        .purchaseCancelled, .purchaseFailed,
      ]
    ) { api, call in
      try await api.daemon.purchase(
        call.body.productId, quantity: call.body.quantity ?? 1, at: call.body.at, offer: call.body.offer)
    },
    Endpoint(
      "POST", "/v1/restore", id: "restore",
      "Restore purchases: from the store what it restores, from peers the rest", takes: .nothing,
      answers: "RestoreAnswer", problems: [.storeUnreachable, .invalidValue, .ledgerFull, .tooLarge]
    ) { api, _ in try await api.daemon.restore() },
    Endpoint(
      "POST", "/v1/products", id: "putProducts",
      "Write products of a catalogue file, so that they count whatever others have written of them",
      takes: .document("Catalogue", limit: Limits.catalogueBytes, unless: { _ in false }),
      answers: "ProductsWritten", problems: [.invalidValue, .cloned, .ledgerFull]
    ) { api, call in try await api.daemon.put(call.body) },
    Endpoint(
      "POST", "/v1/refunds", id: "refund", "Refund a purchase in the sandbox store",
      takes: .json(RefundBody.self, "Refund"), answers: "TransactionResult",
      problems: [
        .unknownTransaction, .realStore, .storeUnreachable, .storeRefused, .invalidValue, .ledgerFull,
        .tooLarge,
      ]
    ) { api, call in try await api.daemon.refund(call.body.transactionId) },
    Endpoint(
      "POST", "/v1/credits/{id}/spends", id: "spend",
      "Spend credits: at once from this device's own rights, or after asking peers for theirs",
      takes: .optional(SpendBody.self, "Spend"), answers: "SpendResult", nameBytes: Limits.textBytes,
      problems: [
        .unknownCredit, .invalidValue, .tooLarge, .notEnough, .spentOtherwise, .busy, .removed, .cloned,
        .ledgerFull,
      ]
    ) { api, call in
      try await api.daemon.spend(call.name, amount: call.body?.amount ?? 1, id: call.body?.id)
    },
    Endpoint(
      "POST", "/v1/credits/{id}/reclaim", id: "reclaim",
      "Take over the rights that earlier incarnations of this device hold, or devices that were lost",
      takes: .optional(ReclaimBody.self, "Reclaim"), answers: "Credit",
      problems: [.unknownCredit, .invalidValue, .notComplete, .notCustodian, .removed, .cloned, .ledgerFull]
    ) { api, call in
      switch call.body?.from {
      case nil: try await api.daemon.reclaim(call.name)
      case "lost": try await api.daemon.reclaimLost(call.name)
      default: throw Problem(.invalidValue, Phrase("from is lost, or is left out", "from 값은 lost이거나 빼야 합니다"))
      }
    },
    Endpoint(
      "POST", "/v1/transactions", id: "ingest",
      "Take in items that a store has signed; good ones count even among bad ones",
      takes: .json(IngestBody.self, "Ingest"), answers: "IngestResults", problems: [.tooLarge, .ledgerFull]
    ) { api, call in try await api.daemon.ingest(call.body.items) },
    Endpoint(
      "PUT", "/v1/lines/{id}/expiration", id: "setExpiration",
      "Write an explicit date for a line; it stands in for the purchases known here",
      takes: .json(ExpirationBody.self, "SetExpiration"), answers: "Expiration",
      problems: [.unknownLine, .tooLarge, .cloned, .ledgerFull]
    ) { api, call in try await api.daemon.setExpiration(of: call.name, to: call.body.expires) },
    Endpoint(
      "PUT", "/v1/grants/{entitlement}", id: "grant", "Grant an entitlement that no purchase explains",
      takes: .optional(GrantBody.self, "SetGrant"), answers: "Grant", nameBytes: Limits.textBytes,
      problems: [.tooLarge, .cloned, .ledgerFull]
    ) { api, call in try await api.daemon.grant(call.name, until: call.body?.until) },
    Endpoint(
      "DELETE", "/v1/grants/{entitlement}", id: "revoke",
      "Take every grant of an entitlement back; purchases are untouched", takes: .nothing, answers: "Grant",
      problems: [.unknownEntitlement, .cloned, .ledgerFull]
    ) { api, call in try await api.daemon.revoke(call.name) },
    Endpoint(
      "PUT", "/v1/values/{key}", id: "setValue", "Write a value of the app for all devices",
      takes: .json(ValueBody.self, "SetValue"), answers: "Value", nameBytes: Limits.textBytes,
      problems: [.tooLarge, .cloned, .ledgerFull]
    ) { api, call in try await api.daemon.setValue(call.name, to: call.body.value) },
    Endpoint(
      "POST", "/v1/import", id: "importLedger",
      "Take an exported ledger in; doing it again changes nothing",
      // Of an export only the raw bytes of registers count: a later version may say more.
      takes: .document(
        "ImportLedger", limit: HTTPLimits.importBytes, unless: ExportFormat.isOfLaterVersion),
      answers: "Import", problems: [.tooFarAhead, .cloned, .ledgerFull]
    ) { api, call in try await api.daemon.importLedger(call.body) },
  ]

  private static let group: [Endpoint<ControlAPI>] = [
    .get("/v1/devices", id: "getDevices", "The group's devices", answers: "Devices") { api, _ in
      try await api.daemon.devices()
    },
    Endpoint(
      "PUT", "/v1/device", id: "renameDevice",
      "Call this device something else, on every device of the group",
      takes: .json(RenameBody.self, "Rename"), answers: "Devices",
      problems: [.invalidValue, .cloned, .ledgerFull]
    ) { api, call in try await api.daemon.rename(to: call.body.name) },
    Endpoint(
      "DELETE", "/v1/devices/{id}", id: "removeDevice", "Remove a device from the group, for good",
      takes: .optional(RemoveBody.self, "Remove"), answers: "Devices",
      problems: [.unknownDevice, .invalidValue, .noEffect, .notComplete, .removed]
    ) { api, call in
      try await api.daemon.remove(
        call.name, recoveryKey: call.body?.recoveryKey,
        takingBack: call.body?.takingBack ?? .nothing, disowning: call.body?.disown ?? [])
    },
    Endpoint(
      "POST", "/v1/devices/{id}/preview", id: "previewRemoval",
      "What a removal of the device would take back; nothing is removed, and it is refused as the removal would be",
      takes: .optional(RemoveBody.self, "Remove"), answers: "TakenBack",
      problems: [.unknownDevice, .invalidValue, .noEffect, .notComplete, .removed]
    ) { api, call in
      try await api.daemon.takenBack(
        of: call.name, recoveryKey: call.body?.recoveryKey, call.body?.takingBack ?? .nothing,
        disowning: call.body?.disown ?? [])
    },
    Endpoint(
      "POST", "/v1/invitations", id: "invite", "Open a one-time invitation", takes: .nothing,
      answers: "Invitation", problems: [.notListening, .offline, .removed, .cloned]
    ) { api, _ in try await api.daemon.invite() },
    Endpoint(
      "POST", "/v1/membership", id: "join", "Join the group of the device that made an invitation",
      takes: .json(JoinBody.self, "Join"), answers: "Membership",
      problems: [.invalidValue, .removed, .cloned, .unreachable, .notAdmitted, .offline, .busy]
    ) { api, call in try await api.daemon.join(call.body.url) },
    Endpoint(
      "POST", "/v1/time", id: "acceptTime",
      "Have this device's clock count, for a person says that it is right: what peers vouched for is dropped",
      takes: .optional(AcceptTimeBody.self, "AcceptTime"), answers: "TimeBounds",
      problems: [.invalidValue, .acceptForbidden]
    ) { api, call in
      guard call.body?.accept ?? true else {
        throw Problem(
          .invalidValue,
          Phrase(
            "accept is true or left out: what peers vouch for stays by itself",
            "accept 값은 true이거나 빼야 합니다. 다른 기기가 보증한 시각은 그대로 두면 남습니다"))
      }
      return try await api.daemon.acceptTime()
    },
    Endpoint(
      "PUT", "/v1/network", id: "setNetwork", "Cut the device off from its peers, or let it back",
      takes: .json(NetworkBody.self, "SetNetwork"), answers: "Network"
    ) { api, call in try await api.daemon.setOnline(call.body.online) },
    Endpoint(
      "POST", "/v1/dial-back", id: "dialBack",
      "Have a peer dial this device wherever it says that it listens: which of its addresses are reached",
      takes: .nothing, answers: "DialBack"
    ) { api, _ in try await api.daemon.dialBack() },
  ]

  private static let service: [Endpoint<ControlAPI>] = [
    .get(
      "/v1/qrcode", id: "getQRCode", "A text as a QR code: row by row, 1 is dark", answers: "QRCode",
      query: [QueryParameter("text", "such as the url of an invitation")], problems: [.invalidValue]
    ) { _, call in
      guard let text = call.head.parameter("text"), text.utf8.count <= Limits.textBytes,
        let code = QRCode(text)
      else {
        throw Problem(
          .invalidValue,
          Phrase("text has 1 to \(Limits.textBytes) bytes", "text 값은 1~\(Limits.textBytes)바이트입니다"))
      }
      return QRCodeAnswer(rows: code.rows)
    },
    .get("/metrics", id: "getMetrics", "Numbers for monitoring (Prometheus)", sends: .media("text/plain")) {
      api, _ in .text(try await api.daemon.metrics(), type: "text/plain; version=0.0.4; charset=utf-8")
    },
    .get(
      "/healthz", id: "getHealth", "Whether the daemon works", answers: "Health", problems: [.failed],
      isOpen: true
    ) { api, _ in
      // Throws when the disk has failed.
      let status = try await api.daemon.read { _, _ in "ok" }
      return HealthAnswer(status: status, version: Version.current)
    },
    .get(
      "/openapi.json", id: "getDescription", "This description", sends: .media("application/json"),
      isOpen: true
    ) { _, _ in .json(OpenAPI.document) },
    .get(
      "/", id: "getDashboard", "A page that shows the device live", sends: .media("text/html"), isOpen: true
    ) { api, _ in api.dashboard },
  ]
}

extension OpenAPI {
  /// The description of the control API, served at `GET /openapi.json`.
  package static let document = ControlAPI.table.openAPI(
    info: [
      "title": "PeerSync control API", "version": .string(Version.current),
      "description": """
      The local control API of one device's daemon. It listens on loopback only; the address and the bearer token are \
      in api.json in the device's data directory. Errors are RFC 9457 problems with a stable code.
      """,
      "license": ["name": "MIT", "identifier": "MIT"],
    ])
}
