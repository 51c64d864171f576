import PeerSync
import PeerSyncSimulation

/// The store of a story that real processes play: what it has sold, signed with certificates that the devices trust.
struct StoryStore {
  /// The file of its root certificate.
  let root: String
  private var sold = ScenarioStore()
  private let signer: SandboxSigner
  /// Signs what nobody is to believe.
  private let stranger: SandboxSigner

  /// - Parameter directory: where its files go
  init(in directory: String) throws {
    signer = try SandboxSigner.open(directory + "/store")
    stranger = try SandboxSigner.generate()
    root = directory + "/store/root.pem"
  }

  // MARK: Selling

  private func key(_ name: String, _ device: Int?) -> ScenarioStore.Key {
    ScenarioStore.Key(name: Name(name), device: device)
  }

  /// - Parameters:
  ///   - device: the device, where each counts its own ids
  ///   - holder: who may spend the credits that are bought
  mutating func sell(
    _ purchase: ScenarioPurchase, _ device: Int?, _ environment: Environment, to holder: CreditHolder
  ) -> Transaction {
    sold.sell(
      purchase, as: key(purchase.name, device), in: purchase.environment ?? environment, to: holder)
  }

  mutating func add(_ snapshot: Transaction, _ name: String, _ device: Int?) {
    sold.add(snapshot, to: key(name, device))
  }

  func snapshots(of name: String, _ device: Int?) -> [Transaction] { sold[key(name, device)] ?? [] }

  // MARK: Signing

  /// - Parameter device: as when it was sold
  func text(of transaction: Transaction, _ device: Int?) throws -> String {
    try text(
      transaction.payload(verification: sold.verification(of: key(transaction.transactionId, device))),
      isForged: transaction.verification == .unverified)
  }

  /// What the store tells of a subscription: a renewal info by itself, or a notification.
  func text(of news: ScenarioNews, about transaction: Transaction) throws -> String {
    let info = news.renewal.map { RenewalInfo(news, $0, transaction) }
    guard let type = news.type else {
      return try info.map { try text($0.payload, isForged: news.isUnverified) } ?? ""
    }
    return try text(
      StoreNews.notification(type, transaction, info, signed: news.date, sign: sign), isForged: false)
  }

  private func text(_ payload: [UInt8], isForged: Bool) throws -> String {
    String(decoding: try sign(payload, isForged: isForged).text, as: UTF8.self)
  }

  private func sign(_ payload: [UInt8], isForged: Bool) throws -> JWS {
    try (isForged ? stranger : signer).sign(payload)
  }

  // MARK: Looking

  /// What the registers of a device answer.
  ///
  /// - Parameters:
  ///   - document: what `GET /v1/export` said
  ///   - isFenced: whether the device has another copy
  ///   - root: of the sandbox store, if the story has one
  func seen(
    _ answer: ScenarioAnswer, in document: JSONValue, at now: Instant, isFenced: Bool,
    trusting root: ContentHash?
  ) throws -> String {
    let roots = Set([signer.rootHash, root].compactMap(\.self))
    var ledger = try Ledger(exported: document, trusting: roots)
    let time = TimeReading(wall: now, evidence: nil)
    return answer.seen(in: &ledger, by: .nobody, at: time, isFenced: isFenced)
  }
}
