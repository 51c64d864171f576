import PeerSyncCore

extension UInt64: Generated {
  static func generate(_ random: inout SeededGenerator) -> UInt64 {
    random.chance(1, of: 4) ? random.number() : UInt64(random.below(3))
  }
}

extension Register: Generated where Value: Generated {
  static func generate(_ random: inout SeededGenerator) -> Register {
    Register(.generate(&random), stamp: .generate(&random))
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

extension ElementSet: Generated where Element: Generated {
  static func generate(_ random: inout SeededGenerator) -> ElementSet {
    var set = ElementSet()
    for _ in 0..<random.below(6) {
      let element = Element.generate(&random)
      let stamp = Stamp.generate(&random)
      if random.chance(1, of: 2) {
        set.insert(element, stamp: stamp)
      } else {
        set.remove(element, stamp: stamp)
      }
    }
    return set
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
