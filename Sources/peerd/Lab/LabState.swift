import PeerSync
import PeerSyncSandboxServer
import PeerSyncSimulation

/// All that the laboratory's page shows, at one instant.
struct LabState: Encodable, Sendable {
  /// What is being done; nil: nothing.
  var busy: String?
  /// Why the last step was not done.
  var problem: String?
  /// What has been done, one line of a story each.
  var story: [String] = []
  /// The products that the story states.
  var products: [Item] = []
  /// What was bought in the store, by the names that the story gives it.
  var purchases: [Purchase] = []
  /// How the store stands, its clock included; nil: there is none.
  var store: SandboxState?
  var devices: [Device] = []
  /// The commits of purchases that have crossed from one device to another, the newest last.
  var crossings: [Crossing] = []
  var links: [Link] = []

  /// A product to buy.
  struct Item: Encodable, Sendable {
    let id: String
    let type: String?
    let line: String?
    let credit: String?
    let period: String?
    let entitlements: [String]
    /// What the store asks for it now; nil: it does not sell it.
    let price: String?
    /// Whether the store has it withdrawn from sale.
    let isWithdrawn: Bool
  }

  /// Something bought.
  struct Purchase: Encodable, Sendable {
    let name: String
    let product: String
    /// Who bought it.
    let device: String
    let standing: Standing
    /// The store's id, of a subscription that of the newest period; nil: it was not bought.
    let transactionId: String?
    /// What the story calls the purchase that stood already, where nothing was sold; nil: something was.
    let standsAs: String?

    /// What has become of it.
    enum Standing: String, Encodable, Sendable {
      case bought
      /// It waits for approval.
      case waiting
      case declined
      case refunded
    }
  }

  /// A commit that has come from one device to another, with what it brings.
  struct Crossing: Encodable, Sendable {
    /// Counts them.
    let number: Int
    let from: String
    let to: String
    /// Who wrote it, and each device that the store tells of a purchase does; nil: that is not known.
    let by: String?
    /// The commit's name.
    let commit: String
    /// The store's ids.
    let transactions: [String]
    /// Those of them that it takes back.
    let revoked: [String]
    /// Whether the device that it came to did not know all of that.
    let isNews: Bool
  }

  /// A device as the page shows it.
  struct Device: Encodable, Sendable {
    let name: String
    let isRunning: Bool
    /// By how many milliseconds its clock was set off.
    let clockOffset: Int64
    /// By how many milliseconds it is ahead now: it may have followed the store's clock since. Nil while it says nothing.
    var clockAhead: Int64?
    /// Whether a copy of its directory waits to be put back.
    let hasBackup: Bool
    /// Whose purchases it makes.
    let account: String
    /// What it says of itself; nil until it has said something since it was started.
    var status: StatusAnswer?
    /// Whether it was removed from its group, and knows it.
    var isRemoved = false
    /// What it warns of, but for the clock that the laboratory has set.
    var warnings: [String] = []
  }

  /// A link between two devices.
  struct Link: Encodable, Sendable {
    let left: String
    let right: String
    /// open, cut, stalled or delayed.
    let condition: String
  }
}

extension LabState {
  /// The same with sentences.
  func told(to reader: Reader) -> LabState {
    var told = self
    for index in devices.indices {
      told.devices[index].status = devices[index].status?.told(to: reader)
      told.devices[index].warnings = devices[index].warnings(in: reader.language)
    }
    return told
  }
}

extension LabState.Item {
  /// - Parameters:
  ///   - product: as the story states it
  ///   - sold: as the store sells it
  init(_ product: Product, sold: SandboxProductAnswer?) {
    self.init(
      id: product.id, type: product.type?.rawValue, line: product.line, credit: product.credit,
      period: product.period?.description, entitlements: product.entitlements ?? [], price: sold?.price,
      isWithdrawn: sold.map { !$0.forSale } ?? false)
  }
}

extension LabState.Device {
  /// Takes in what it says of itself.
  mutating func take(_ answer: StatusAnswer?) {
    status = answer
    isRemoved = answer?.warnings.contains(StatusAnswer.wasRemoved) ?? false
    warnings = warnings(in: .english)
  }

  fileprivate func warnings(in language: SentenceLanguage) -> [String] {
    (status?.told ?? []).filter { !$0.text(in: .english).hasPrefix(StatusAnswer.clockIsSet) }
      .map { $0.text(in: language) }
  }
}

extension Relay.Condition {
  /// The word for it on the page.
  var word: String {
    switch self {
    case .open: "open"
    case .cut: "cut"
    case .stalled: "stalled"
    case .delayed: "delayed"
    }
  }
}

extension LabState.Purchase {
  /// What has become of something that a story has bought.
  ///
  /// - Parameter earlier: what it had bought before
  init(
    _ named: NamedPurchase, after earlier: some Sequence<NamedPurchase>, by device: String,
    in store: SandboxState?
  ) {
    let id = named.transaction.map { String($0) }
    let original = store.flatMap { store in named.transaction.map { store.original(of: $0) } }
    let sold = store?.purchases.last {
      named.isRenewed ? $0.originalTransactionId == original : $0.transactionId == id
    }
    let standing: Standing =
      switch (named.request, id) {
      case (_?, _): .waiting
      case (nil, nil): .declined
      case (nil, _?): sold?.revocationDate == nil ? .bought : .refunded
      }
    self.init(
      name: named.name, product: named.product, device: device, standing: standing,
      transactionId: sold?.transactionId ?? id, standsAs: store?.first(of: named, among: earlier)?.name)
  }
}

extension SandboxState {
  /// The earlier purchase that a later one has come to, where the store sold nothing: what was owned or subscribed already. Of a
  /// subscription it may have come to a renewal.
  fileprivate func first(
    of later: NamedPurchase, among earlier: some Sequence<NamedPurchase>
  ) -> NamedPurchase? {
    guard let id = later.transaction else { return nil }
    let isRenewal = purchases.contains { $0.transactionId == String(id) && $0.reason == "RENEWAL" }
    return earlier.first { before in
      guard let first = before.transaction else { return false }
      return first == id || isRenewal && original(of: first) == original(of: id)
    }
  }

  fileprivate func original(of id: UInt64) -> String {
    let id = String(id)
    return purchases.first { $0.transactionId == id }?.originalTransactionId ?? id
  }
}
