import PeerSyncCore

extension Address: Generated {
  static func generate(_ random: inout SeededGenerator) -> Address {
    let host = random.pick([
      "127.0.0.1", "::1", "phone.local", "fe80::1%eth0", String(repeating: "h", count: 253),
    ])
    return Address(host: host, port: UInt16.random(in: 0...65535, using: &random))
  }
}

extension KnownPeer.Listening: Generated {
  static func generate(_ random: inout SeededGenerator) -> KnownPeer.Listening {
    // None twice, and not too much: whoever reads them refuses that.
    var addresses: [Address] = [.generate(&random)]
    for more in random.array(upTo: 3) as [Address] where !addresses.contains(more) {
      let bytes = (addresses + [more]).reduce(0) { $0 + $1.description.utf8.count }
      if bytes <= Limits.deviceAddressBytes { addresses.append(more) }
    }
    return KnownPeer.Listening(device: .generate(&random), addresses: addresses, stamp: .generate(&random))
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

  fileprivate mutating func clock() -> Instant {
    Instant(clamping: pick([.min, -1, 0, .max, Int64.random(in: 0...2_000_000_000_000, using: &self)]))
  }

  fileprivate mutating func shortName() -> String {
    chance(1, of: 10) ? String(repeating: "n", count: Limits.textBytes) : text(atMost: Limits.textBytes)
  }
}

extension Bytes32: Generated {
  static func generate(_ random: inout SeededGenerator) -> Self {
    let word = random.number()
    return Self(words: (word, random.next(), random.next(), word))
  }
}

extension Signature: Generated {
  static func generate(_ random: inout SeededGenerator) -> Signature {
    guard let signature = Signature(random.bytes(byteCount)) else { fatalError("no signature") }
    return signature
  }
}

extension Hello: Generated {
  static func generate(_ random: inout SeededGenerator) -> Hello {
    Hello(
      versions: random.versions(), replica: .generate(&random), bootID: random.number(),
      environment: .generate(&random), bundleId: random.shortName(), name: random.shortName(),
      listening: random.chance(1, of: 3) ? nil : .generate(&random), program: random.shortName())
  }
}

extension DialledAddress: Generated {
  static func generate(_ random: inout SeededGenerator) -> DialledAddress {
    DialledAddress(address: .generate(&random), isReached: random.chance(1, of: 2))
  }
}

extension JoinRequest: Generated {
  static func generate(_ random: inout SeededGenerator) -> JoinRequest {
    JoinRequest(
      versions: random.versions(), key: .generate(&random), environment: .generate(&random),
      bundleId: random.shortName())
  }
}

extension MembershipRecord.Merge: Generated {
  static func generate(_ random: inout SeededGenerator) -> Self {
    Self(group: .generate(&random), host: .generate(&random), joiner: .generate(&random))
  }
}

extension MembershipRecord.Body: Generated {
  static func generate(_ random: inout SeededGenerator) -> Self {
    switch random.below(4) {
    case 0:
      .found(
        MembershipRecord.Founding(
          key: .generate(&random), recoveryKey: .generate(&random), name: random.shortName(),
          environment: .generate(&random), bundleId: random.shortName(),
          storeRoot: random.chance(1, of: 2) ? nil : .generate(&random)))
    case 1: .merge(.generate(&random))
    case 2:
      .remove(
        MembershipRecord.Removal(
          author: .generate(&random), isByRecoveryKey: random.chance(1, of: 2), target: .generate(&random),
          cuts: VersionVector.generate(&random).entries,
          counted: random.chance(1, of: 2) ? nil : VersionVector.generate(&random).entries))
    default:
      .other(
        kind: UInt8.random(in: 128...255, using: &random), author: .generate(&random),
        payload: random.bytes(random.below(40)))
    }
  }
}

extension MergeProposal: Generated {
  static func generate(_ random: inout SeededGenerator) -> MergeProposal {
    MergeProposal(parents: random.hashes().sorted(), merge: .generate(&random))
  }
}

extension MembershipRecord: Generated {
  /// Well-formed; the signatures are of nobody.
  static func generate(_ random: inout SeededGenerator) -> MembershipRecord {
    let body = Body.generate(&random)
    var signatures = [Signature.generate(&random)]
    if case .merge = body { signatures.append(.generate(&random)) }
    return MembershipRecord(parents: random.hashes().sorted(), body: body, signatures: signatures)
  }
}

extension RecordsPart: Generated {
  static func generate(_ random: inout SeededGenerator) -> RecordsPart {
    RecordsPart(records: random.array(upTo: 3), isLast: random.chance(1, of: 2))
  }
}

extension SeededGenerator {
  /// A few hashes, none twice.
  fileprivate mutating func hashes() -> Set<ContentHash> { Set(array(upTo: 4)) }
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
    case .welcome: .welcome(.generate(&random))
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
    case .recordHashes: .recordHashes(random.array(upTo: 5))
    case .records: .records(.generate(&random))
    case .introduction:
      .introduction(
        Introduction(key: .generate(&random), signature: .generate(&random), proposal: .generate(&random)))
    case .consent: .consent(Consent(signature: .generate(&random), countersignature: .generate(&random)))
    case .forks: .forks(random.array(upTo: 3))
    case .rightsWanted: .rightsWanted(.generate(&random))
    case .rightsGiven: .rightsGiven(.generate(&random))
    case .dialBack: .dialBack
    case .dialledBack: .dialledBack(random.array(upTo: Limits.deviceAddresses))
    case .time:
      .time(
        ClockReading(
          isAnswer: random.chance(1, of: 2), question: random.number(), wall: random.clock()))
    case .heldBack:
      .heldBack(
        HeldBack(
          wall: random.clock(), writes: random.number(), stamp: .generate(&random),
          latest: Array(VersionVector.generate(&random).entries.prefix(Limits.heldBackAuthors))))
    }
  }
}

extension RightsTotal: Generated {
  static func generate(_ random: inout SeededGenerator) -> RightsTotal {
    RightsTotal(
      credit: random.pick(["", "owls", "日本"]),
      total: random.pick([0, 1, 300, Limits.creditTotal - 1, Limits.creditTotal]))
  }
}

extension Message: Generated {
  static func generate(_ random: inout SeededGenerator) -> Message {
    generate(random.pick(MessageType.allCases), &random)
  }
}

extension Message {
  /// A welcome, where it does not matter which.
  static let someWelcome = Message.welcome(ContentHash(words: (1, 2, 3, 4)))
}
