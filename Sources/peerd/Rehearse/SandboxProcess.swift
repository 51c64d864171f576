import Foundation
import PeerSync
import PeerSyncControl
import PeerSyncSandbox
import PeerSyncSandboxServer
import PeerSyncSimulation

/// The sandbox store of a story: a `peerd store` of this same program, whose clock stands still until the story sets it on.
final class SandboxProcess {
  /// Where devices reach it.
  let url: String
  /// SHA-256 of the root certificate of what it signs.
  let rootHash: ContentHash
  private let child: ChildProcess
  private let directory: String

  private struct Ready: Decodable {
    let http: String
    let root: String
  }

  /// Opens a store.
  ///
  /// - Parameters:
  ///   - directory: where its own one is made
  ///   - products: what it sells
  init(in directory: String, selling products: [SandboxProduct]) throws {
    self.directory = directory + "/sandbox-store"
    let catalogue = directory + "/sandbox-store.json"
    try Data(JSON.encode(Catalogue(products: products.map(Item.init)))).write(
      to: URL(fileURLWithPath: catalogue))
    (child, url, rootHash) = try Self.start(
      self.directory,
      [
        "--catalog", catalogue, "--time-rate", "manual", "--begin",
        Instant(clamping: World.wallStart).description,
      ])
  }

  /// Opens a store that is there already.
  ///
  /// - Parameter directory: as above
  init(in directory: String) throws {
    self.directory = directory + "/sandbox-store"
    (child, url, rootHash) = try Self.start(self.directory, [])
  }

  private static func start(
    _ directory: String, _ options: [String]
  ) throws -> (ChildProcess, url: String, rootHash: ContentHash) {
    let child = try ChildProcess(
      ["store", "--data", directory, "--http", "127.0.0.1:0", "--json"] + options)
    guard let ready = try? JSON.decode(Ready.self, from: child.ready) else {
      throw Failure(
        Phrase(
          "the story's store did not start; see: peerd store --data DIR --catalog FILE",
          "스토리의 스토어가 시작되지 않았습니다. 확인하려면: peerd store --data DIR --catalog FILE"))
    }
    return (child, ready.http, Cryptography.openSSL.hash(of: try TrustRoot.load(ready.root)))
  }

  /// A catalogue file, as far as a store reads it.
  private struct Catalogue: Encodable {
    let products: [Item]
  }

  private struct Item: Encodable {
    let id: String
    let type: String
    let period: String?
    let price: String
    let subscriptionGroup: String?
    let level: Int
    let familyShareable: Bool
    let introductoryOffer: Offer?
    let offers: [Offer]

    init(_ product: SandboxProduct) {
      id = product.id
      type = product.type.rawValue
      period = product.period?.description
      price = Price.text(product.price)
      subscriptionGroup = product.period == nil ? nil : product.group
      level = product.rank
      familyShareable = product.isFamilyShareable
      introductoryOffer = product.introductory.map(Offer.init)
      offers = product.offers.filter { $0.kind != .introductory }.map(Offer.init)
    }
  }

  private struct Offer: Encodable {
    let kind: String
    let id: String?
    let paymentMode: String?
    let subscriptionPeriod: String
    let numberOfPeriods: Int
    let displayPrice: String
    let eligibility: [String]
    let waitPeriod: String?

    init(_ offer: SandboxOffer) {
      kind = offer.kind.rawValue
      id = offer.id
      paymentMode = offer.paymentMode
      subscriptionPeriod = offer.period.description
      numberOfPeriods = offer.periods
      displayPrice = Price.text(offer.price)
      eligibility = offer.customers.map(\.rawValue)
      waitPeriod = offer.wait?.description
    }
  }

  func stop() { child.stop() }

  private func client() throws -> ControlClient { try ControlClient(directory: directory, isStore: true) }

  func obey(_ demand: SandboxDemand) async throws -> SandboxAnswer {
    try await client().send("POST", "/v1/demands", body: demand)
  }

  /// How it stands, with its newest purchases.
  func state() async throws -> SandboxState { try await client().send("GET", "/v1/state?last=500") }

  /// What it sells now.
  func products() async throws -> SandboxProductsAnswer { try await client().send("GET", "/v1/products") }

  /// All that a device of an account is to hear.
  func items(of account: String, on device: String) async throws -> StoreItems {
    let query = [("account", account), ("bundleId", Scenario.bundleId), ("device", device)]
      .map { "\($0)=\($1.asPathPart)" }.joined(separator: "&")
    return try await client().send("GET", "/device/v1/history?\(query)")
  }
}
