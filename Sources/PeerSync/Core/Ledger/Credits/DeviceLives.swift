/// Which holders of credits are lives of one device: what one of them lacks the others pay first.
package struct DeviceLives: Hashable, Sendable {
  /// The first life of the device, in the order of the holders, by each of the others.
  private var firsts: [CreditHolder: CreditHolder] = [:]

  /// Each holder is a device of its own.
  package init() {}

  /// - Parameter keys: the keys of the devices, by their lives
  package init(_ keys: [CreditHolder: PublicKey]) {
    var lives: [PublicKey: CreditHolder] = [:]
    for (holder, key) in keys { lives[key] = min(lives[key] ?? holder, holder) }
    for (holder, key) in keys {
      if let first = lives[key], first != holder { firsts[holder] = first }
    }
  }

  /// The holder that stands for the device of a holder.
  func device(of holder: CreditHolder) -> CreditHolder { firsts[holder] ?? holder }
}
