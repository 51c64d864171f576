import PeerSyncCore

extension RandomState {
  /// A number below a bound; 0 draws nothing.
  mutating func chance(_ bound: UInt64) -> UInt64 { bound == 0 ? 0 : next() % bound }
}
