import PeerSync

extension Address: Generated {
  static func generate(_ random: inout SeededGenerator) -> Address {
    let host = random.pick([
      "127.0.0.1", "::1", "phone.local", "fe80::1%eth0", String(repeating: "h", count: 253),
    ])
    return Address(host: host, port: UInt16.random(in: 0...65535, using: &random))
  }
}

extension AddressEntry: Generated {
  static func generate(_ random: inout SeededGenerator) -> AddressEntry {
    AddressEntry(device: .generate(&random), address: .generate(&random), stamp: .generate(&random))
  }
}

extension Environment: Generated {
  static func generate(_ random: inout SeededGenerator) -> Environment { random.pick(allCases) }
}

extension SeededGenerator {
  /// A range of versions that this program still understands in full.
  fileprivate mutating func versions() -> ClosedRange<UInt16> {
    let highest = UInt16.random(in: 1...60000, using: &self)
    return UInt16.random(in: 1...highest, using: &self)...highest
  }

  fileprivate mutating func shortName() -> String {
    chance(1, of: 10) ? String(repeating: "n", count: Limits.textBytes) : text(atMost: Limits.textBytes)
  }
}

extension Hello: Generated {
  static func generate(_ random: inout SeededGenerator) -> Hello {
    let device = DeviceID.generate(&random)
    let entry = AddressEntry(device: device, address: .generate(&random), stamp: .generate(&random))
    return Hello(
      versions: random.versions(), group: .generate(&random), device: device, replica: .generate(&random),
      environment: .generate(&random), bundleId: random.shortName(), name: random.shortName(),
      listening: random.chance(1, of: 3) ? nil : entry)
  }
}

extension JoinRequest: Generated {
  static func generate(_ random: inout SeededGenerator) -> JoinRequest {
    JoinRequest(
      versions: random.versions(), code: random.shortName(), device: .generate(&random),
      environment: .generate(&random), bundleId: random.shortName(), name: random.shortName())
  }
}

extension KeyRange: Generated {
  static func generate(_ random: inout SeededGenerator) -> KeyRange {
    let depth = random.pick([0, 1, 8, 63, 64, random.below(65)])
    return KeyRange(depth: UInt8(depth), prefix: random.next() & ~(UInt64.max >> UInt64(depth)))
  }
}

extension RangeDigest: Generated {
  static func generate(_ random: inout SeededGenerator) -> RangeDigest {
    RangeDigest(range: .generate(&random), count: random.number(), digest: .generate(&random))
  }
}

extension Message {
  /// A message of a type.
  static func generate(_ type: MessageType, _ random: inout SeededGenerator) -> Message {
    switch type {
    case .hello: .hello(.generate(&random))
    case .welcome: .welcome
    case .summary:
      .summary(
        Summary(isProbe: random.chance(1, of: 2), vectorHash: random.number(), digest: .generate(&random)))
    case .vector: .vector(.generate(&random))
    case .commit: .commit(.generate(&random))
    case .delta:
      .delta(DeltaChunk(delta: random.number(), index: random.number(), commits: .generate(&random)))
    case .deltaEnd:
      .deltaEnd(
        DeltaEnd(
          delta: random.number(), chunks: random.number(), baseHash: random.number(),
          claims: VersionVector.generate(&random).entries))
    case .ranges: .ranges(random.array(upTo: 5))
    case .items:
      .items(
        RangeItems(
          range: .generate(&random), wantsReply: random.chance(1, of: 2), commits: .generate(&random))
      )
    case .addresses: .addresses(random.array(upTo: 5))
    case .join: .join(.generate(&random))
    case .admitted: .admitted(.generate(&random))
    case .close: .close(random.pick(CloseReason.allCases))
    case .forks: .forks(random.array(upTo: 3))
    }
  }
}

extension Message: Generated {
  static func generate(_ random: inout SeededGenerator) -> Message {
    generate(random.pick(MessageType.allCases), &random)
  }
}
