import PeerSyncCore

extension RegisterMap {
  /// What stands under a key, whatever its stamp; nil when it was never written.
  func register(_ key: [UInt8]) -> (stamp: Stamp, value: [UInt8])? {
    standing(under: key, Counting(own: [], ceiling: Stamp(rawValue: .max))).map { ($0.stamp, $0.value) }
  }
}

extension Replica {
  /// See ``RegisterMap/register(_:)``.
  func register(_ key: [UInt8]) -> (stamp: Stamp, value: [UInt8])? { registers.register(key) }
}

extension RegisterKey {
  /// The kind of a later version: registers of all, which any device may write with any stamp.
  static let laterKind: UInt8 = 0x70
}
