import PeerSyncCore
import PeerSyncSandbox

/// A sandbox store in a random world: people buy there, it renews, bills in vain and takes back, and devices hear of it when they
/// happen to. All of them have one account, and a month takes five minutes.
struct RandomStore {
  private static let account = "everybody@example.com"
  private var store: SandboxStore
  /// How far each device has heard of it.
  private var heard: [Int: UInt64] = [:]
  /// How many of its transactions the world knows of.
  private var noted = 0

  private init(at time: Instant) {
    store = SandboxStore(terms: SandboxTerms(seed: 1, scale: .sandbox), at: time)
    let products = (World.products + Sales.plans).map { product in
      SandboxProduct(
        id: product.id, type: product.type ?? .consumable, period: product.period, price: 990,
        group: product.subscriptionGroup, rank: product.level ?? 1)
    }
    try? store.stock(products)
  }

  /// Time passes in the store, something is asked of it, and some devices hear what is new.
  static func trade(in world: World) {
    world.counts.rare[.store, default: 0] += 1
    var store = world.rare.store ?? RandomStore(at: world.trueTime)
    store.trade(world)
    for device in world.devices.indices where world.chance(2) == 0 { store.tell(device, world) }
    world.rare.store = store
  }

  private mutating func trade(_ world: World) {
    try? store.advance(to: world.trueTime)
    guard let command = command(world) else { return }
    _ = try? store.handle(command, now: store.time)
    // What is bought by then may be spent.
    for sold in store.transactions.dropFirst(noted) { world.sales.note(Transaction(sold)) }
    noted = store.transactions.count
    _ = store.takeEvents()
  }

  private func command(_ world: World) -> SandboxCommand? {
    let sold = store.transactions
    let picked = sold.isEmpty ? nil : sold[Int(world.chance(UInt64(sold.count)))].id
    switch world.chance(12) {
    case 0: return picked.map { .refund(transaction: $0, percentage: nil) }
    case 1: return picked.map { .refund(transaction: $0, percentage: 1 + Int(world.chance(100_000))) }
    case 2: return picked.map { .reverseRefund(transaction: $0) }
    case 3: return picked.map { .setRenewal(transaction: $0, isOn: world.chance(2) == 0) }
    case 4: return .setBilling(account: Self.account, isFailing: world.chance(2) == 0)
    case 5: return .setGrace(world.chance(2) == 0)
    default: return order(world)
    }
  }

  private func order(_ world: World) -> SandboxCommand? {
    let device = Int(world.chance(UInt64(world.devices.count)))
    let products = World.products + Sales.plans
    let product = products[Int(world.chance(UInt64(products.count)))].id
    guard let token = world.read(device, { $0.holder.accountToken }) else { return nil }
    return .buy(
      SandboxOrder(
        account: Self.account, bundleId: World.bundleId, productId: product,
        device: world.device(device).description, token: token))
  }

  private mutating func tell(_ device: Int, _ world: World) {
    guard world.isRunning(device) else { return }
    let customer = SandboxCustomer(
      account: Self.account, bundleId: World.bundleId, device: world.device(device).description)
    let news = store.changes(since: heard[device, default: 0], for: customer)
    let payloads =
      news.transactions.map { $0.payload(storefront: store.terms.storefront) }
      + news.subscriptions.map(\.payload)
    for payload in payloads { world.deliver(SimulatedStore.sign(payload), to: device) }
    heard[device] = news.revision
  }
}
