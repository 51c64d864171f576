import PeerSync
import PeerSyncSandbox

/// What a sandbox store has signed: of each record the newest snapshot. It is signed once, so that whoever asks again gets
/// the same text.
struct SandboxSignatures {
  private var transactions: [UInt64: JWS] = [:]
  private var subscriptions: [UInt64: (signed: Instant, item: JWS)] = [:]
  private var notifications: [UInt64: JWS] = [:]
  private let signer: SandboxSigner

  /// Takes what was kept. All items share the bytes of their one header.
  init(_ signer: SandboxSigner, _ database: SandboxDatabase, _ sandboxStore: SandboxStore)
    throws(StorageError)
  {
    self.signer = signer
    func items(_ kind: SandboxDatabase.Kind) throws(StorageError) -> [(UInt64, JWS)] {
      try database.signatures(kind).map {
        ($0.number, JWS(header: signer.header, payload: $0.payload, signature: $0.signature))
      }
    }
    for (number, item) in try items(.transaction) { transactions[number] = item }
    for (number, item) in try items(.notification) { notifications[number] = item }
    let known = sandboxStore.subscriptions + sandboxStore.sharedSubscriptions
    let dates = Dictionary(known.map { ($0.original, $0.signed) }) { $1 }
    for (number, item) in try items(.subscription) {
      // Whoever shares a subscription no more is told what was signed last, which is older than whatever comes.
      subscriptions[number] = (dates[number] ?? .epoch, item)
    }
  }

  func transaction(_ id: UInt64) -> String? {
    transactions[id].map { String(decoding: $0.text, as: UTF8.self) }
  }
  func renewalInfo(_ original: UInt64) -> String? {
    subscriptions[original].map { String(decoding: $0.item.text, as: UTF8.self) }
  }
  func notification(_ number: UInt64) -> String? {
    notifications[number].map { String(decoding: $0.text, as: UTF8.self) }
  }

  /// Signs what has changed, and writes it beside the records. Within a transaction of the database.
  ///
  /// - Parameter sandboxStore: the store as it has become
  mutating func take(_ event: SandboxEvent, _ sandboxStore: SandboxStore, _ database: SandboxDatabase)
    throws(StorageError)
  {
    switch event {
    case .transaction(let snapshot):
      let item = try sign(snapshot.payload(storefront: sandboxStore.terms.storefront))
      transactions[snapshot.id] = item
      try database.write(.transaction, number: snapshot.id, snapshot)
      try database.write(.transaction, number: snapshot.id, signed: item)
    case .finished(let snapshot): try database.write(.transaction, number: snapshot.id, snapshot)
    case .subscription(let snapshot):
      try database.write(.subscription, number: snapshot.original, snapshot)
      try sign(snapshot, database)
    case .shared(let snapshot): try sign(snapshot, database)
    case .notification(let told):
      let item = try sign(
        told.payload(
          transaction: told.transaction.flatMap { transactions[$0]?.text },
          renewal: told.subscription.flatMap { subscriptions[$0]?.item.text }))
      notifications[told.number] = item
      try database.write(.notification, number: told.number, told)
      try database.write(.notification, number: told.number, signed: item)
    case .attempted(let told): try database.write(.notification, number: told.number, told)
    case .account(let account): try database.write(.account, name: account.id, account)
    case .request(let request): try database.write(.request, number: request.id, request)
    case .product(let product): try database.write(.product, name: product.id, product)
    }
  }

  private mutating func sign(_ snapshot: SandboxSubscription, _ database: SandboxDatabase)
    throws(StorageError)
  {
    // What nobody signs may have changed alone.
    guard subscriptions[snapshot.original]?.signed != snapshot.signed else { return }
    let item = try sign(snapshot.payload)
    subscriptions[snapshot.original] = (snapshot.signed, item)
    try database.write(.subscription, number: snapshot.original, signed: item)
  }

  /// Forgets the notifications up to a number.
  mutating func forgetNotifications(upTo number: UInt64) {
    notifications = notifications.filter { $0.key > number }
  }

  private func sign(_ payload: [UInt8]) throws(StorageError) -> JWS {
    do { return try signer.sign(payload) } catch {
      throw .failed(path: "the store's key", message: StorageReason(Phrase(error)))
    }
  }
}
