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
