import PeerSyncCore

/// What people do in a world that has the rare faults for it.
struct People {
  private let world: World

  init(of world: World) { self.world = world }

  private func count(_ fault: RareFault) { world.counts.rare[fault, default: 0] += 1 }

  private func somebody() -> Int { Int(world.chance(UInt64(world.originals.count))) }

  /// Someone starts an app whose catalogue says otherwise what a product is, in this version or a later one.
  func changeCatalogue() {
    count(.catalogues)
    var product = World.products[Int(world.chance(UInt64(World.products.count)))]
    if let amount = product.amount {
      product.amount = amount + Int(world.chance(4))
    } else if product.period != nil {
      product.period = Period(months: Int(world.chance(4)), days: 1 + Int(world.chance(30)))
    }
    if world.chance(3) == 0 { product.entitlements = ["a", "b"] }
    // In half of the cases it counts for what is bought from about now on.
    if world.chance(2) == 0 {
      product.from = world.trueTime.advanced(byMilliseconds: (Int64(world.chance(5)) - 2) * 3_600_000)
    }
    world.sales.raise(product)
    world.request(.addProducts([product], version: world.chance(4)), of: somebody())
  }

  /// Someone has a device take over what nobody can use any more.
  func reclaim() {
    count(.reclaims)
    world.request(.reclaim(credit: World.credit), of: somebody())
  }

  /// Someone exports the ledger of one device and imports it on another of the group, in pieces.
  func takeExport() {
    let (source, target) = (somebody(), somebody())
    guard source != target, let from = world.devices[source].engine, let to = world.devices[target].engine,
      from.group.id == to.group.id, from.group.isMember(to.identity.key), to.group.isMember(from.identity.key)
    else { return }
    count(.imports)
    var rest = from.replica.sortedWrites().filter {
      $0.key.first != RegisterKind.credit.rawValue && !world.rare.forged.contains($0.dot.replica)
    }[...]
    while !rest.isEmpty {
      let piece = rest.prefix(100).map { LocalWrite(key: $0.key, stamp: $0.stamp, value: $0.value) }
      world.request(.write(piece), of: target)
      rest = rest.dropFirst(100)
    }
  }
}
