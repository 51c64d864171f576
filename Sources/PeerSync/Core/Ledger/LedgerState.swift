/// What some author has decided, with what orders it among the decisions of all.
struct Decision<Value: Sendable>: Sendable {
  let value: Value
  let rank: DecisionRank

  var stamp: Stamp { rank.stamp }

  /// Whether another one stands in its place. Equal ones say the same.
  func yields(to other: Decision) -> Bool { rank < other.rank }
}

/// What a signed item says, as far as one is chosen from several by it.
protocol StoreStatement: Sendable {
  /// Whether it counts in its environment at all.
  var isAccepted: Bool { get }
  /// Decides between two that were signed in one millisecond.
  var precedence: UInt8 { get }
  /// All that it says, but for who says it.
  var content: [UInt8] { get }
  var verification: Verification { get }
}

extension Transaction: StoreStatement {
  var content: [UInt8] { encoded }
}

extension RenewalInfo: StoreStatement {
  var precedence: UInt8 { 1 }
  var content: [UInt8] { payload }
}

/// An item that stands no more. Not a value: hardly any transaction has one, and a reference takes the least room in all others.
final class EarlierItem: Sendable {
  let stamp: Stamp
  let item: StoreItemID

  init(stamp: Stamp, item: StoreItemID) {
    self.stamp = stamp
    self.item = item
  }
}

/// The item that stands for a transaction, or for the renewal of a subscription, of all that are known of it.
struct Snapshot<Value: StoreStatement>: Sendable {
  let value: Value
  let stamp: Stamp
  /// Why it does not count; nil when it does, or when its signature was not looked at.
  var rejection: JWSRejection?
  /// The item that says it; nil: a fact that nobody signed.
  var item: StoreItemID?
  /// The first that was signed of all that count, where that is another one.
  private(set) var earlier: EarlierItem?

  /// The first that was signed of all that count: its author is the device that brought the news of it.
  var first: StoreItemID? { earlier?.item ?? item }

  /// Takes note of another item about the same, in whatever order they come.
  mutating func note(_ other: Snapshot) {
    guard let theirs = other.firstAccepted else { return }
    if let own = firstAccepted, (own.stamp, own.item) <= (theirs.stamp, theirs.item) { return }
    earlier = EarlierItem(stamp: theirs.stamp, item: theirs.item)
  }

  private var firstAccepted: (stamp: Stamp, item: StoreItemID)? {
    if let earlier { return (earlier.stamp, earlier.item) }
    return value.isAccepted ? item.map { (stamp, $0) } : nil
  }

  /// Whether another one stands in its place: what counts before what does not, then the greater stamp, then the revoked
  /// one. So what does not verify hides nothing, whatever it claims, and the order of arrival plays no part.
  func yields(to other: Snapshot) -> Bool {
    if rank != other.rank { return rank < other.rank }
    return tie.lexicographicallyPrecedes(other.tie)
  }

  /// Whether two that count were signed in one millisecond and say different things.
  func contradicts(_ other: Snapshot) -> Bool {
    value.isAccepted && other.value.isAccepted && stamp == other.stamp && value.content != other.value.content
  }

  /// Whether another one counts where this does not, or was signed later.
  func isOutdated(by other: Snapshot) -> Bool {
    (value.isAccepted ? 1 : 0, stamp) < (other.value.isAccepted ? 1 : 0, other.stamp)
  }

  private var rank: (Int, Stamp, UInt8) { (value.isAccepted ? 1 : 0, stamp, value.precedence) }

  /// Decides between what was signed in one millisecond: by all that it says, then by the codes of who vouches for it and of why
  /// it does not count, last by the name of the item. Words for people decide nothing.
  private var tie: [UInt8] {
    var writer = ByteWriter()
    writer.write(raw: value.content)
    writer.write(raw: Array("\(value.verification.rawValue) \(rejection?.code ?? "")".utf8))
    if let item { writer.write(item) }
    return writer.bytes
  }
}

/// Names a transaction among all environments and apps, by bytes.
struct TransactionKey: Hashable, Sendable {
  let environment: Environment
  let bundleId: Name
  let id: Name
  /// Set in the ``Environment/xcode`` environment alone.
  let device: DeviceID?

  init(environment: Environment, bundleId: Name, id: Name, device: DeviceID?) {
    self.environment = environment
    self.bundleId = bundleId
    self.id = id
    self.device = environment == .xcode ? device ?? DeviceID(high: 0, low: 0) : nil
  }

  init(_ transaction: Transaction, device: DeviceID?) {
    self.init(
      environment: transaction.environment, bundleId: Name(transaction.bundleId),
      id: Name(transaction.transactionId), device: device)
  }

  init(_ subject: StoreSubject) {
    self.init(
      environment: subject.environment, bundleId: subject.bundleId, id: subject.id, device: subject.device)
  }
}

/// Names the purchase that restored transactions and renewals point at. Where ids are counted on each device, originals
/// are told apart by device as well.
package struct OriginalKey: Hashable, Sendable {
  let id: Name
  let device: DeviceID?

  package init(id: Name, device: DeviceID?) {
    self.id = id
    self.device = device
  }
}

/// The purchases of one line, in order, and what they fold to.
struct LineState: Sendable {
  private(set) var purchases: [Purchase] = []
  private(set) var register: Decision<ExpirationRegister>?
  private var isSorted = true
  private var fold: Fold?

  /// Adds a purchase. Those that come in order, as almost all do, cost nothing more than the append.
  mutating func insert(_ purchase: Purchase) {
    if let last = purchases.last, !last.precedes(purchase) { isSorted = false }
    purchases.append(purchase)
    fold = nil
  }

  mutating func remove(_ purchase: Purchase) {
    sort()
    let index = purchases.partitionPoint { !$0.precedes(purchase) }
    guard index < purchases.count, !purchase.precedes(purchases[index]) else { return }
    purchases.remove(at: index)
    fold = nil
  }

  mutating func set(_ register: Decision<ExpirationRegister>?) {
    self.register = register
    fold = nil
  }

  /// The fold, computed when something has changed since it was last asked for.
  mutating func folded() -> Fold {
    if let fold { return fold }
    sort()
    let result = folding(purchases)
    fold = result
    return result
  }

  /// What the fold would be with one more purchase, which counts after all others of its instant.
  mutating func folded(with purchase: Purchase) -> Fold {
    sort()
    var purchases = purchases
    purchases.insert(purchase, at: purchases.partitionPoint { $0.date > purchase.date })
    return folding(purchases)
  }

  private func folding(_ purchases: [Purchase]) -> Fold {
    Fold(
      purchases, register: register?.value,
      writtenAt: Instant(clamping: Int64(register?.stamp.milliseconds ?? 0)))
  }

  private mutating func sort() {
    guard !isSorted else { return }
    purchases.sort { $0.precedes($1) }
    isSorted = true
  }
}

/// Transactions that are one purchase: the original and what restores or renews it.
struct TransactionGroup: Sendable {
  private(set) var members: [TransactionKey] = []

  mutating func insert(_ key: TransactionKey) { members.append(key) }

  mutating func remove(_ key: TransactionKey) {
    if let index = members.firstIndex(of: key) { members.remove(at: index) }
  }
}

/// Who has a non-consumable product: its purchases by their original [A4].
struct OwnershipState: Sendable {
  private var groups: [OriginalKey: TransactionGroup] = [:]
  private var owning: Set<OriginalKey> = []

  /// Whether any purchase of it stands.
  var isOwned: Bool { !owning.isEmpty }

  /// Changes the members of one purchase and decides it anew.
  mutating func update(
    _ original: OriginalKey, in transactions: [TransactionKey: Snapshot<Transaction>],
    _ change: (inout TransactionGroup) -> Void
  ) {
    change(&groups[original, default: TransactionGroup()])
    let members = (groups[original]?.members ?? []).compactMap { transactions[$0]?.value }
    if isOwned(members) { owning.insert(original) } else { owning.remove(original) }
    if members.isEmpty { groups[original] = nil }
  }

  /// A purchase stands when the newest snapshot among the original and its restored copies is not revoked: the refund of
  /// a purchase arrives under the original's id. Of snapshots signed at one instant the revoked one counts. What the family
  /// shares is decided by itself, so that its revocation leaves one's own purchase alone [C38].
  private func isOwned(_ members: [Transaction]) -> Bool {
    let accepted = members.filter(\.isAccepted)
    return Ownership.allCases.contains { ownership in
      let alike = accepted.filter { $0.ownership == ownership }
      guard let newest = alike.map(\.signedDate).max() else { return false }
      return alike.allSatisfy { $0.signedDate < newest || $0.refund == .none }
    }
  }
}
