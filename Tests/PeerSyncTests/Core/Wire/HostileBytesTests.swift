import PeerSyncCore
import Testing

/// Whatever comes, the decoder throws or understands, and what it understands it would have written the same way.
@Suite struct HostileBytesTests {
  @Test(arguments: Golden.messages.map(\.message)) func shortBodies(message: Message) {
    let body = Array(Frame.encode(message).dropFirst(Frame.headerBytes))
    for length in 0..<body.count {
      check(frame(message.type.rawValue, Array(body[..<length])), isNot: message)
    }
  }

  @Test(arguments: Golden.messages.map(\.message)) func bytesTooMany(message: Message) {
    let body = Array(Frame.encode(message).dropFirst(Frame.headerBytes))
    for extra in UInt8.min...UInt8.max {
      check(frame(message.type.rawValue, body + [extra]), isNot: message)
    }
    #expect(throws: WireError.self) { try decodeAll(frame(message.type.rawValue, body + [0])) }
  }

  @Test(arguments: Golden.messages.map(\.message)) func everyByteChanged(message: Message) {
    let bytes = Frame.encode(message)
    for index in bytes.indices {
      for flip in UInt8(1)...255 {
        var mutated = bytes
        mutated[index] ^= flip
        check(mutated, isNot: message)
      }
    }
  }

  @Test(arguments: MessageType.allCases) func bytesOfChance(type: MessageType) {
    var random = SeededGenerator(seed: UInt64(type.rawValue))
    for _ in 0..<2_000 {
      var body = random.bytes(random.below(60))
      if random.chance(1, of: 2) { body = body.map { $0 & 3 } }
      check(frame(type.rawValue, body), isNot: nil)
    }
  }

  private func check(_ bytes: [UInt8], isNot original: Message?) {
    guard let messages = try? decodeAll(bytes), let message = messages.first else { return }
    #expect(message != original)
    if isFromTheFuture(message) { return }
    #expect(messages.flatMap(Frame.encode).elementsEqual(bytes.prefix(messages.flatMap(Frame.encode).count)))
  }

  /// A newer peer's opening message may hold more than was understood.
  private func isFromTheFuture(_ message: Message) -> Bool {
    let highest = ProtocolVersion.supported.upperBound
    return switch message {
    case .hello(let hello): hello.versions.upperBound > highest
    case .join(let request): request.versions.upperBound > highest
    default: false
    }
  }

  // MARK: Absurd counts

  @Test(arguments: [MessageType.vector, .ranges, .addresses]) func absurdCounts(type: MessageType) {
    for count in [UInt64(Limits.replicas) + 1, 1 << 32, 1 << 63, .max] {
      var writer = ByteWriter()
      writer.write(varint: count)
      #expect(throws: WireError.beyondLimit) { try decodeAll(frame(type.rawValue, writer.bytes)) }
    }
    #expect(throws: WireError.truncated) { try decodeAll(frame(type.rawValue, [0x80, 0x03])) }
  }

  @Test func unsortedAndRepeatedEntries() {
    let fingerprint = [UInt8](repeating: 9, count: 8)
    let one = [UInt8](repeating: 1, count: 16) + [5] + fingerprint
    let two = [UInt8](repeating: 2, count: 16) + [5] + fingerprint
    func vector(_ entries: [[UInt8]]) -> [UInt8] {
      frame(MessageType.vector.rawValue, [UInt8(entries.count)] + entries.joined())
    }
    #expect(throws: Never.self) { try decodeAll(vector([one, two])) }
    #expect(throws: WireError.malformed) { try decodeAll(vector([two, one])) }
    #expect(throws: WireError.malformed) { try decodeAll(vector([one, one])) }
    let zero = Array(one.prefix(16)) + [0] + fingerprint
    #expect(throws: WireError.malformed) { try decodeAll(vector([zero])) }
  }
}
