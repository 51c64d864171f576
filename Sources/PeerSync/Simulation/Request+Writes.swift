import PeerSyncCore

extension Request {
  /// What a device holds once it has done it, as far as it follows from the request alone: of what its clock stamps, the
  /// registers. Nil for a request that writes nothing.
  func writes(by identity: Identity) -> [LocalWrite]? {
    switch self {
    case .write(let writes): writes.map(\.asAcknowledged)
    case .addProducts(let products, let version): products.writes(version: version)
    case .putProducts(let products): products.writes(version: 0)
    case .setExpiration(let line, _): [LocalWrite(RegisterKey.expiration(line: line))]
    case .grant(let entitlement, let id, _): [LocalWrite(RegisterKey.grant(entitlement: entitlement, id: id))]
    case .setValue(let key, _): [LocalWrite(RegisterKey.value(key: key))]
    case .rename: [LocalWrite(RegisterKey.deviceName)]
    case .ingest(let items): items.flatMap { $0.writes(identity, .simulated) }
    // Which grants are taken back, and which products nobody knew, only the device knows.
    case .revoke, .adoptProducts: []
    // The store says what it was, when it signs.
    case .purchase, .refund: nil
    case .setOnline, .dialBack, .probe, .invite, .join, .joinAny: nil
    case .spend, .reclaim, .reclaimLost, .acceptTime, .remove: nil
    }
  }

  /// Whether it brings facts, and changes nothing when it comes again. What a clock stamps is another decision each time.
  var isRepeatable: Bool {
    switch self {
    case .write(let writes): writes.allSatisfy { $0.stamp != nil }
    case .addProducts, .ingest: true
    case .putProducts, .adoptProducts, .setExpiration, .grant, .revoke, .setValue, .rename: false
    case .purchase, .refund, .spend, .reclaim, .reclaimLost, .acceptTime, .remove: false
    case .setOnline, .dialBack, .probe, .invite, .join, .joinAny: false
    }
  }
}

extension LocalWrite {
  /// What there is of it for certain: of products another version may stand, whatever its stamp is, and what is stamped ahead of
  /// the clocks here is decided anew.
  fileprivate var asAcknowledged: LocalWrite {
    guard RegisterKind.isDecision(key) else { return self }
    return LocalWrite(key: key, value: value)
  }

  /// A register with any value.
  fileprivate init(_ key: RegisterKey) { self.init(key: key.encoded, value: []) }
}
