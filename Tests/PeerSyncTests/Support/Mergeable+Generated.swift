import PeerSyncCore

extension UInt64: Generated {
  static func generate(_ random: inout SeededGenerator) -> UInt64 {
    random.chance(1, of: 4) ? random.number() : UInt64(random.below(3))
  }
}

extension Maximum: Generated {
  static func generate(_ random: inout SeededGenerator) -> Maximum { Maximum(.generate(&random)) }
}

extension GrowOnlyMap: Generated where Key: Generated, Value: Generated {
  static func generate(_ random: inout SeededGenerator) -> GrowOnlyMap {
    var map = GrowOnlyMap()
    for _ in 0..<random.below(6) { map.merge(.generate(&random), at: .generate(&random)) }
    return map
  }
}

extension BoundedCounter: Generated {
  static func generate(_ random: inout SeededGenerator) -> BoundedCounter {
    var counter = BoundedCounter()
    for _ in 0..<random.below(8) {
      let (device, other) = (ReplicaID.generate(&random), ReplicaID.generate(&random))
      let amount = UInt64.generate(&random)
      switch random.below(3) {
      case 0: try? counter.buy(amount, on: device)
      case 1: try? counter.spend(amount, on: device)
      default: try? counter.move(amount, from: device, to: other)
      }
    }
    return counter
  }
}
