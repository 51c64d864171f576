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

/// The item that stands for a transaction, or for the renewal of a subscription, of all that are known of it. It never changes and is
/// shared: a transaction has twenty fields, and whoever is handed one takes a reference.
final class Snapshot<Value: StoreStatement>: Sendable {
  let value: Value
  let stamp: Stamp
  /// Why it does not count; nil when it does, or when its signature was not looked at.
  let rejection: JWSRejection?
  /// The item that says it; nil: a fact that nobody signed.
  let item: StoreItemID?

  init(value: Value, stamp: Stamp, rejection: JWSRejection? = nil, item: StoreItemID? = nil) {
    (self.value, self.stamp, self.rejection, self.item) = (value, stamp, rejection, item)
  }

  /// Whether another one stands in its place: what counts before what does not, then the greater stamp, then the revoked
  /// one. So what does not verify hides nothing, whatever it claims, and the order of arrival plays no part.
  func yields(to other: Snapshot) -> Bool {
    if rank != other.rank { return rank < other.rank }
    return tie.precedes(other.tie)
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
