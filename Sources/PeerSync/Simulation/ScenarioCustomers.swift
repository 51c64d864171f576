import PeerSyncCore
import PeerSyncSandbox

/// What a story calls the things of its sandbox store: whose account each device uses, and what was bought under which name.
///
/// The store itself knows numbers only.
struct ScenarioCustomers: Sendable {
  /// A purchase of the story, or one that waits for approval.
  private struct Purchase {
    /// Nil: the story does not name it.
    let name: String?
    let product: String
    let account: String
    /// Whether the store renews it: then the newest period is meant.
    let isRenewed: Bool
    var transaction: UInt64?
    var request: UInt64?
  }

  private var accounts: [String: String] = [:]
  private var purchases: [Purchase] = []

  // MARK: Accounts

  /// The account of a device: unless told otherwise all share one.
  func account(of device: String) -> String { accounts[device] ?? SandboxDemand.somebody }

  /// Has a device buy with an account from now on.
  mutating func use(_ account: String, on device: String) { accounts[device] = account }

  /// A copy of a device goes on buying with the same account.
  mutating func copy(_ device: String, as copy: String) { accounts[copy] = accounts[device] }

  /// The account that is meant where one has to be; `all` names the devices.
  private func account(_ name: String?, among all: [String]) throws(ScenarioProblem) -> String {
    guard let name else {
      let used = Set(all.map(account(of:)))
      guard used.count <= 1 else {
        throw ScenarioProblem(
          "several accounts are in use: add `of ACCOUNT`", "계정이 여럿입니다. `of ACCOUNT` 부분을 덧붙이세요")
      }
      return used.first ?? SandboxDemand.somebody
    }
    guard name == SandboxDemand.somebody || accounts.values.contains(name) else {
      throw ScenarioProblem(
        "no account `\(name)`: `account` names it", "‘\(name)’ 계정이 없습니다. `account` 줄로 정하세요")
    }
    return name
  }

  // MARK: Purchases

  /// Whether something was bought under a name.
  func knows(_ name: String) -> Bool { purchases.contains { $0.name == name } }

  /// Notes what came of a purchase.
  ///
  /// - Parameter product: the product as the story states it, if it does
  mutating func note(
    _ result: SandboxResult, of order: ScenarioOrder, for product: Product?, on device: String
  ) {
    guard result.transaction != nil || result.request != nil else { return }
    purchases.append(
      Purchase(
        name: order.name, product: order.product, account: account(of: device),
        isRenewed: product?.type == .autoRenewableSubscription, transaction: result.transaction,
        request: result.request))
  }

  /// The store's id of what was bought under a name.
  func transaction(_ name: String) -> UInt64? { purchases.first { $0.name == name }?.transaction }

  private func purchase(_ name: String) throws(ScenarioProblem) -> Purchase {
    guard let purchase = purchases.first(where: { $0.name == name }) else {
      throw ScenarioProblem(
        "no purchase `\(name)`: `buys … in the store as` names it",
        "‘\(name)’ 구입이 없습니다. `buys … in the store as` 줄로 정하세요")
    }
    return purchase
  }

  /// What was bought under names, in the order in which it was.
  var named: [NamedPurchase] {
    purchases.compactMap { purchase in
      purchase.name.map {
        NamedPurchase(
          name: $0, product: purchase.product, isRenewed: purchase.isRenewed,
          transaction: purchase.transaction,
          request: purchase.request)
      }
    }
  }

  // MARK: Demands

  /// A demand with numbers of the store in the place of the story's names.
  ///
  /// - Parameter devices: all devices of the story
  func resolve(_ demand: SandboxDemand, among devices: [String]) throws(ScenarioProblem) -> SandboxDemand {
    var resolved = demand
    switch demand.verb {
    case .refund, .reverseRefund, .declineRefund, .requestConsumption, .turnOff, .turnOn, .agree, .refuse:
      let name = demand.subject ?? ""
      let purchase = try purchase(name)
      guard let id = purchase.transaction else {
        throw ScenarioProblem("`\(name)` was not bought yet", "‘\(name)’ 상품은 아직 구입하지 않았습니다")
      }
      // Of a subscription the newest period is meant.
      if purchase.isRenewed {
        (resolved.subject, resolved.account) = (purchase.product, purchase.account)
      } else {
        resolved.subject = String(id)
      }
    case .approve, .decline: resolved.subject = try waiting(demand.subject).map { String($0) }
    case .failBilling, .fixBilling: resolved.subject = try account(demand.subject, among: devices)
    case .redeem: resolved.account = try account(demand.account, among: devices)
    case .purchases:
      if let name = demand.account { resolved.account = try account(name, among: devices) }
    case .share: resolved.value = try account(demand.value, among: devices)
    case .unshare: resolved.subject = try account(demand.subject, among: devices)
    case .advance, .buy, .raisePrice, .expireCard, .grace, .withdraw, .offer, .testNotification: break
    }
    return resolved
  }

  /// The number under which a purchase waits; without a name the oldest that does.
  private func waiting(_ name: String?) throws(ScenarioProblem) -> UInt64? {
    guard let name else { return purchases.first { $0.request != nil }?.request }
    guard let request = try purchase(name).request else {
      throw ScenarioProblem("`\(name)` does not wait for approval", "‘\(name)’ 구입은 승인을 기다리지 않습니다")
    }
    return request
  }

  /// Notes what came of a demand.
  mutating func settle(_ resolved: SandboxDemand, _ result: SandboxResult) {
    guard resolved.verb == .approve || resolved.verb == .decline, let number = resolved.subject,
      let index = purchases.firstIndex(where: { $0.request.map { String($0) } == number })
    else { return }
    (purchases[index].request, purchases[index].transaction) = (nil, result.transaction)
  }
}

/// What a story calls something that was bought in its sandbox store.
package struct NamedPurchase: Sendable {
  package let name: String
  package let product: String
  /// Whether the store renews it: then the newest period is meant.
  package let isRenewed: Bool
  /// The store's id; nil: it was not bought yet, or was declined.
  package let transaction: UInt64?
  /// The number under which it waits for approval; nil: it does not.
  package let request: UInt64?
}

extension SandboxResult {
  fileprivate var transaction: UInt64? { if case .purchased(let id) = self { id } else { nil } }

  fileprivate var request: UInt64? { if case .pending(let number) = self { number } else { nil } }
}
