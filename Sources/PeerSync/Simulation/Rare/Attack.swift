import PeerSyncCore

/// What a dishonest member may tell the others under its own name.
enum Attack: CaseIterable {
  /// A product in any version, of any type, or as odd bytes.
  case product
  /// A line that has no cover, or cover for a thousand years.
  case line
  /// An entitlement for ever, or taken from everybody.
  case grant
  /// A value of the app.
  case value
  /// More credits spent than there are.
  case row
  /// Credits taken over from members.
  case taking
  /// A thousand odd bytes under a key of any kind.
  case oddBytes

  /// What it writes.
  ///
  /// - Parameters:
  ///   - replica: under whose name
  ///   - others: the replicas of the members
  ///   - time: as clocks show it
  func writes(
    by replica: ReplicaID, among others: [ReplicaID], at time: Instant, using random: inout RandomState
  ) -> [LocalWrite] {
    let stamp = Stamp(time.advanced(byMilliseconds: Int64(random.chance(500_000)) - 120_000))
    let total = Stamp(rawValue: [3, 1_000, 1_000_000_000_000, 1 << 50][Int(random.chance(4))])
    let credit = World.credit
    func write(_ key: RegisterKey, _ value: [UInt8], _ stamp: Stamp) -> LocalWrite {
      LocalWrite(key: key.encoded, stamp: stamp, value: value)
    }
    switch self {
    case .product:
      let product = World.products[Int(random.chance(UInt64(World.products.count)))]
      return [write(.product(id: product.id), Self.odd(product, using: &random), stamp)]
    case .line:
      let end = random.chance(2) == 0 ? nil : time.adding(months: 12_000, days: 0)
      let line = random.chance(2) == 0 ? "a" : "b"
      return [write(.expiration(line: line), ExpirationRegister(expires: end, covers: []).encoded, stamp)]
    case .grant:
      let grant = Grant(present: random.chance(2) == 0)
      return [write(.grant(entitlement: "a", id: String(random.chance(3))), grant.encoded, stamp)]
    case .value: return [write(.value(key: "v\(random.chance(5))"), [1, 2, 3], stamp)]
    case .row: return [write(.creditRow(credit: credit, replica: replica), [], total)]
    case .taking:
      return others.map { write(.creditTaking(credit: credit, from: $0, by: replica), [], total) }
    case .oddBytes:
      let kind = RegisterKind.allCases[Int(random.chance(UInt64(RegisterKind.allCases.count)))]
      let bytes = (0..<1000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      return [LocalWrite(key: [kind.rawValue] + bytes.prefix(20), stamp: stamp, value: bytes)]
    }
  }

  private static func odd(_ product: Product, using random: inout RandomState) -> [UInt8] {
    var product = product
    product.type = ProductType.allCases[Int(random.chance(UInt64(ProductType.allCases.count)))]
    product.period = random.chance(2) == 0 ? nil : Period("P100Y")
    product.amount = random.chance(2) == 0 ? nil : Limits.creditAmount
    let version = [0, 7, UInt64(Limits.catalogueVersion), 1 << 40][Int(random.chance(4))]
    var value = product.encoded(version: version)
    switch random.chance(4) {
    case 0: value[0] = 255
    case 1: value = value.map { _ in UInt8(truncatingIfNeeded: random.next()) }
    default: break
    }
    return value
  }
}
