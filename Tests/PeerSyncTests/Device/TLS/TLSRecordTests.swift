import PeerSync
import Testing

@Suite(.noHang) struct TLSRecordTests {
  @Test("a mebibyte each way arrives as it was sent, in records as large as they may be")
  func bulk() throws {
    let (left, right) = try establishedPair()
    var random = SeededGenerator(seed: 11)
    let bytes = (0..<1024 * 1024).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    let sealed = try left.seal(bytes)
    #expect(sealed.count < bytes.count + 65 * 22)
    var rest = sealed[...]
    while !rest.isEmpty {
      let piece = 1 + random.below(70_000)
      right.take(Array(rest.prefix(piece)))
      rest = rest.dropFirst(piece)
    }
    #expect(right.received == bytes)
    try right.send(bytes)
    shake(left, right)
    #expect(left.received == bytes)
  }

  @Test("what waits can be sent in any pieces")
  func partialSending() throws {
    let (left, right) = try establishedPair()
    let bytes = (0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    try left.send(bytes)
    var random = SeededGenerator(seed: 12)
    while left.channel.outgoingCount > 0 {
      let piece = left.channel.withOutgoing { Array($0.prefix(1 + random.below(9000))) }
      left.channel.removeOutgoing(piece.count)
      right.take(piece)
      if random.chance(1, of: 5) { try left.send([]) }
    }
    #expect(right.received == bytes)
  }

  @Test("one bit flipped, anywhere in a record, ends the session, and nothing of it gets through")
  func flippedBits() throws {
    let (message, next) = (Array("a purchase".utf8), [UInt8](repeating: 9, count: 70_000))
    let length = 5 + message.count + 1 + 16
    for bit in 0..<length * 8 {
      let (left, right) = try establishedPair()
      var sealed = try left.seal(message)
      #expect(sealed.count == length)
      sealed[bit / 8] ^= 1 << (bit % 8)
      right.take(sealed)
      // A length that was made longer swallows what follows.
      right.take(try left.seal(next))
      #expect(right.received.isEmpty, "bit \(bit)")
      let error = try #require(right.error, "bit \(bit)")
      #expect(throws: (any Error).self, "bit \(bit)") { try right.send(message) }
      // All but the type and the length in front are under the seal.
      if bit >= 40 { #expect(error == .damaged, "bit \(bit)") }
    }
  }

  @Test("a record repeated, left out or out of order ends the session")
  func replayedRecords() throws {
    for order in [[0, 0], [1], [1, 0], [0, 2], [0, 1, 1], [0, 1, 0]] {
      let (left, right) = try establishedPair()
      let records = try (UInt8(0)..<3).map { try left.seal([$0, $0]) }
      for number in order { right.take(records[number]) }
      #expect(right.error == .damaged, "\(order)")
      let inOrder = zip(order, 0...).prefix { $0 == $1 }.flatMap { [UInt8($0.0), UInt8($0.0)] }
      #expect(right.received == inOrder, "\(order)")
    }
  }

  @Test("a recorded session, told again to either side, changes nothing")
  func replayedSession() throws {
    let (phone, tablet) = try TLSDevice.pair()
    let code = try InvitationKey(stretching: #require(InvitationCode("ABCDEFGHJKMN")))
    for invitation in [nil, code] {
      let (dialled, accepted) = (try phone.dial(invitation), try tablet.accept(invitation))
      shake(dialled, accepted)
      try dialled.send(Array("buy".utf8))
      try accepted.send(Array("sell".utf8))
      shake(dialled, accepted)
      #expect(accepted.received == Array("buy".utf8) && dialled.received == Array("sell".utf8))
      let (again, redialled) = (try tablet.accept(invitation), try phone.dial(invitation))
      again.take(dialled.sent)
      redialled.take(accepted.sent)
      for end in [again, redialled] {
        #expect(end.established == nil && end.received.isEmpty && end.error != nil)
      }
    }
  }

  @Test("records of one session are nothing in another")
  func otherSession() throws {
    let (left, _) = try establishedPair()
    let (_, right) = try establishedPair()
    right.take(try left.seal([1]))
    #expect(right.error == .damaged && right.received.isEmpty)
    // Nor do they come back to their sender.
    let (own, _) = try establishedPair()
    own.take(try own.seal([1]))
    #expect(own.error == .damaged && own.received.isEmpty)
  }

  @Test("the end is told, and nothing counts behind it")
  func closing() throws {
    let (left, right) = try establishedPair()
    try left.send([1, 2])
    left.channel.close()
    #expect(throws: TLSError.notEstablished) { try left.send([3]) }
    carry(from: left, to: right)
    #expect(right.received == [1, 2] && right.channel.isEnded && right.error == nil)
    right.take([UInt8](repeating: 0, count: 100))
    #expect(right.received == [1, 2] && right.error == nil)
  }

  @Test("plain text within a session ends it")
  func plainText() throws {
    for text in ["GET / HTTP/1.1\r\n\r\n", "\u{17}\u{3}\u{3}\0\u{5}hello"] {
      let (_, right) = try establishedPair()
      right.take(Array(text.utf8))
      #expect(right.error == .damaged && right.received.isEmpty)
    }
  }

  /// An answer to each, for a peer that reads none of them, would fill the memory.
  @Test("who asks for new keys again and again is cut off")
  func newKeys() throws {
    let phone = try DeviceKey.generate()
    let end = TLSEnd(try TLSChannel(accepting: TLSContext(phone) { _ in true }))
    let client = try StrangeClient(.ed25519)
    shake(client, end)
    #expect(end.established != nil)
    for _ in 0..<1000 {
      client.askForKeys()
      end.take(client.outgoing())
    }
    #expect(end.error == .unexpected && end.channel.outgoingCount < 100)
  }
}
