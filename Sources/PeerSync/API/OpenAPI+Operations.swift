// The operations of the description: one for each route.
extension OpenAPI {
  static let operations: [Operation] = views + changes + service

  private static let views: [Operation] = [
    Operation(
      method: "GET", path: "/v1/status", id: "getStatus", summary: "Everything the device knows now",
      answer: .schema("Status")),
    Operation(
      method: "GET", path: "/v1/entitlements", id: "getEntitlements", summary: "The entitlements",
      answer: .schema("Entitlements")),
    Operation(
      method: "GET", path: "/v1/entitlements/{id}", id: "getEntitlement", summary: "One entitlement",
      answer: .schema("Entitlement"), problems: [.unknownEntitlement]),
    Operation(
      method: "GET", path: "/v1/entitlements/{id}/why", id: "getWhy",
      summary: "The proof of an entitlement: every purchase and how it counted", answer: .schema("Why"),
      problems: [.unknownEntitlement]),
    Operation(
      method: "GET", path: "/v1/lines/{id}", id: "getLine", summary: "The cover of one line",
      answer: .schema("Line"), problems: [.unknownLine]),
    Operation(
      method: "GET", path: "/v1/subscriptions", id: "getSubscriptions",
      summary: "The auto-renewable subscriptions", answer: .schema("Subscriptions")),
    Operation(
      method: "GET", path: "/v1/products", id: "getProducts",
      summary: "The catalogue, with what buying each product now would do", answer: .schema("Products")),
    Operation(
      method: "GET", path: "/v1/transactions", id: "getTransactions",
      summary: "Every transaction known, oldest first", answer: .schema("Transactions")),
    Operation(
      method: "GET", path: "/v1/notifications", id: "getNotifications",
      summary: "What the store has told this device, oldest first", answer: .schema("Notifications")),
    Operation(
      method: "GET", path: "/v1/credits", id: "getCredits", summary: "The credits", answer: .schema("Credits")
    ),
    Operation(
      method: "GET", path: "/v1/values/{key}", id: "getValue", summary: "A value of the app",
      answer: .schema("Value"), problems: [.unknownValue]),
    Operation(
      method: "GET", path: "/v1/devices", id: "getDevices", summary: "The group's devices",
      answer: .schema("Devices")),
    Operation(
      method: "GET", path: "/v1/export", id: "exportLedger", summary: "The whole ledger",
      answer: .schema("Export")),
    Operation(
      method: "GET", path: "/v1/events", id: "getEvents",
      summary:
        "Changes as they happen, as server-sent events named `changed` whose data is a Change; resumable by "
        + "Last-Event-ID", answer: .events("Change")),
  ]

  private static let changes: [Operation] = [
    Operation(
      method: "POST", path: "/v1/purchases", id: "buy", summary: "Buy a product from the sandbox store",
      body: "Purchase", answer: .schema("PurchaseResult"),
      problems: [
        .unknownProduct, .invalidValue, .realStore, .ledgerFull, .tooLarge, .storeUnreachable, .storeRefused,
        .purchaseCancelled, .purchaseFailed,
      ]),
    Operation(
      method: "POST", path: "/v1/restore", id: "restore",
      summary: "Restore purchases: from the store what it restores, from peers the rest",
      answer: .schema("RestoreAnswer"),
      problems: [.storeUnreachable, .invalidValue, .ledgerFull, .tooLarge]),
    Operation(
      method: "POST", path: "/v1/refunds", id: "refund", summary: "Refund a purchase in the sandbox store",
      body: "Refund", answer: .schema("TransactionResult"),
      problems: [
        .unknownTransaction, .realStore, .storeUnreachable, .storeRefused, .invalidValue, .ledgerFull,
        .tooLarge,
      ]),
    Operation(
      method: "POST", path: "/v1/credits/{id}/spends", id: "spend",
      summary: "Spend credits: at once from this device's own rights, or after asking peers for theirs",
      body: "Spend", isBodyOptional: true, pathBytes: Limits.textBytes, answer: .schema("SpendResult"),
      problems: [
        .unknownCredit, .invalidValue, .tooLarge, .notEnough, .spentOtherwise, .busy, .removed, .cloned,
        .ledgerFull,
      ]),
    Operation(
      method: "POST", path: "/v1/credits/{id}/reclaim", id: "reclaim",
      summary: "Take over the rights that earlier incarnations of this device hold",
      answer: .schema("Credit"), problems: [.unknownCredit, .notComplete, .removed, .cloned, .ledgerFull]),
    Operation(
      method: "POST", path: "/v1/transactions", id: "ingest",
      summary: "Take in items that a store has signed; good ones count even among bad ones", body: "Ingest",
      answer: .schema("IngestResults"), problems: [.tooLarge, .ledgerFull]),
    Operation(
      method: "PUT", path: "/v1/lines/{id}/expiration", id: "setExpiration",
      summary: "Write an explicit date for a line; it stands in for the purchases known here",
      body: "SetExpiration", answer: .schema("Expiration"),
      problems: [.unknownLine, .tooLarge, .cloned, .ledgerFull]),
    Operation(
      method: "PUT", path: "/v1/grants/{entitlement}", id: "grant",
      summary: "Grant an entitlement that no purchase explains", body: "SetGrant", isBodyOptional: true,
      pathBytes: Limits.textBytes, answer: .schema("Grant"), problems: [.tooLarge, .cloned, .ledgerFull]),
    Operation(
      method: "DELETE", path: "/v1/grants/{entitlement}", id: "revoke",
      summary: "Take every grant of an entitlement back; purchases are untouched", answer: .schema("Grant"),
      problems: [.unknownEntitlement, .cloned, .ledgerFull]),
    Operation(
      method: "PUT", path: "/v1/values/{key}", id: "setValue",
      summary: "Write a value of the app for all devices",
      body: "SetValue", pathBytes: Limits.textBytes, answer: .schema("Value"),
      problems: [.tooLarge, .cloned, .ledgerFull]),
    Operation(
      method: "POST", path: "/v1/invitations", id: "invite", summary: "Open a one-time invitation",
      answer: .schema("Invitation"), problems: [.notListening, .offline, .removed, .cloned]),
    Operation(
      method: "POST", path: "/v1/membership", id: "join",
      summary: "Join the group of the device that made an invitation", body: "Join",
      answer: .schema("Membership"),
      problems: [.invalidValue, .removed, .cloned, .unreachable, .notAdmitted, .offline, .busy]),
    Operation(
      method: "DELETE", path: "/v1/devices/{id}", id: "removeDevice",
      summary: "Remove a device from the group, for good", body: "Remove",
      isBodyOptional: true, answer: .schema("Devices"),
      problems: [.unknownDevice, .invalidValue, .noEffect, .notComplete, .removed]),
    Operation(
      method: "PUT", path: "/v1/network", id: "setNetwork",
      summary: "Cut the device off from its peers, or let it back", body: "SetNetwork",
      answer: .schema("Network")),
    Operation(
      method: "POST", path: "/v1/import", id: "importLedger",
      summary: "Take an exported ledger in; doing it again changes nothing", body: "ImportLedger",
      answer: .schema("Import"), problems: [.tooFarAhead, .cloned, .ledgerFull]),
  ]

  private static let service: [Operation] = [
    Operation(
      method: "GET", path: "/metrics", id: "getMetrics", summary: "Numbers for monitoring (Prometheus)",
      answer: .media("text/plain")),
    Operation(
      method: "GET", path: "/healthz", id: "getHealth", summary: "Whether the daemon works",
      answer: .schema("Health"), problems: [.failed], isOpen: true),
    Operation(
      method: "GET", path: "/openapi.json", id: "getDescription", summary: "This description",
      answer: .media("application/json"), isOpen: true),
    Operation(
      method: "GET", path: "/", id: "getDashboard", summary: "A page that shows the device live",
      answer: .media("text/html"), isOpen: true),
  ]
}
