import PeerSyncCore
import Testing

/// Every message of the bytes, or what is wrong with them.
func decodeAll(_ bytes: [UInt8]) throws(WireError) -> [Message] {
  var decoder = FrameDecoder()
  bytes.withUnsafeBytes { decoder.append($0) }
  var messages: [Message] = []
  while let message = try decoder.next() { messages.append(message) }
  return messages
}

/// A frame around a body that no encoder would write.
func frame(_ type: UInt8, _ body: [UInt8]) -> [UInt8] {
  var writer = ByteWriter()
  writer.write(length: UInt32(body.count))
  writer.write(byte: type)
  writer.write(raw: body)
  return writer.bytes
}

@Suite struct FrameTests {
  @Test(arguments: MessageType.allCases) func everyMessageComesBack(type: MessageType) throws {
    var random = SeededGenerator(seed: UInt64(type.rawValue))
    for _ in 0..<300 {
      let message = Message.generate(type, &random)
      #expect(try decodeAll(Frame.encode(message)) == [message])
    }
  }

  @Test func splitsDoNotMatter() throws {
    var random = SeededGenerator(seed: 7)
    let messages = (0..<200).map { _ in Message.generate(&random) }
    let bytes = messages.flatMap(Frame.encode)
    #expect(try decode(bytes) { _ in 1 } == messages)
    for _ in 0..<10 {
      let most = random.pick([3, 100, 70_000])
      #expect(try decode(bytes) { _ in 1 + random.below(most) } == messages)
    }
  }

  private func decode(_ bytes: [UInt8], piece: (Int) -> Int) throws -> [Message] {
    var decoder = FrameDecoder()
    var messages: [Message] = []
    var position = 0
    while position < bytes.count {
      let end = min(bytes.count, position + piece(position))
      bytes[position..<end].withUnsafeBytes { decoder.append($0) }
      while let message = try decoder.next() { messages.append(message) }
      position = end
    }
    #expect(decoder.heldBytes == 0)
    return messages
  }

  /// Up to the welcome all frames together are bounded, and judged by their headers; after it each by itself.
  @Test func littleComesBeforeTheWelcome() throws {
    let summary = Frame.encode(.summary(Summary(isProbe: true, vectorHash: 1, digest: Digest())))
    let welcome = Frame.encode(.someWelcome)
    func accepted(_ bytes: [UInt8], startup: Int) -> Bool {
      var decoder = FrameDecoder(startupBytes: startup)
      bytes.withUnsafeBytes { decoder.append($0) }
      do { while try decoder.next() != nil {} } catch {
        #expect(error == .beyondLimit)
        return false
      }
      return true
    }
    let room = 3 * summary.count
    #expect(accepted(summary + summary + summary, startup: room))
    #expect(!accepted(summary + summary + summary + summary.prefix(4), startup: room))
    #expect(!accepted(summary + summary + summary + welcome, startup: room + welcome.count - 1))
    #expect(accepted(summary + welcome + summary + summary + summary + summary, startup: room))
    #expect(accepted([0, 0, 0x3f, 0xfb, 5], startup: Limits.startupBytes))
    #expect(!accepted([0, 0, 0x3f, 0xfc], startup: Limits.startupBytes))
  }

  @Test func aTornFrameWaits() throws {
    var random = SeededGenerator(seed: 8)
    for type in MessageType.allCases {
      let bytes = Frame.encode(.generate(type, &random))
      for end in 0..<bytes.count { #expect(try decodeAll(Array(bytes[..<end])) == []) }
    }
  }

  @Test func overlongFramesAreRefusedFromTheHeader() throws {
    let limit = UInt32(Limits.frameBytes)
    var writer = ByteWriter()
    writer.write(length: limit)
    #expect(try decodeAll(writer.bytes) == [])
    writer.overwrite(length: limit + 1, at: 0)
    #expect(throws: WireError.beyondLimit) { try decodeAll(writer.bytes) }
    writer.overwrite(length: .max, at: 0)
    #expect(throws: WireError.beyondLimit) { try decodeAll(writer.bytes) }
  }

  @Test(arguments: ["GET / HTTP/1.1\r\n", "{\"a\":1}", "SSH-2.0-OpenSSH_9.2", "\u{16}\u{3}\u{1}\u{2}"])
  func otherProtocolsAreRefusedAtOnce(text: String) {
    #expect(throws: WireError.beyondLimit) { try decodeAll(Array(text.utf8.prefix(4))) }
  }

  @Test func unknownTypesAreRefusedBeforeTheirBody() {
    let known = MessageType.allCases.map(\.rawValue)
    for type in UInt8.min...UInt8.max where !known.contains(type) {
      #expect(throws: WireError.malformed) { try decodeAll([0, 3, 0, 0, type]) }
    }
  }

  @Test func afterAFailureNothingCounts() throws {
    var decoder = FrameDecoder()
    func append(_ bytes: [UInt8]) { bytes.withUnsafeBytes { decoder.append($0) } }
    append(Frame.encode(.someWelcome) + frame(MessageType.close.rawValue, [0]) + Frame.encode(.someWelcome))
    let first = try decoder.next()
    #expect(first == .someWelcome)
    for _ in 0..<3 {
      #expect(throws: WireError.malformed) { try decoder.next() }
      append(Frame.encode(.someWelcome))
      #expect(decoder.heldBytes == 0)
    }
  }

  /// A quadratic decoder needs minutes for this.
  @Test(.noHang) func manySmallFramesInOnePieceAreCutInLinearTime() throws {
    let count = 300_000
    let bytes = Array(repeatElement(Frame.encode(.close(.leaving)), count: count).joined())
    #expect(try decodeAll(bytes).count == count)
  }

  /// Pieces that always end inside a frame: the decoder is never empty, and must forget what it has read all the same.
  @Test func whatWasReadIsForgotten() throws {
    let frame = Frame.encode(.someWelcome)
    var decoder = FrameDecoder()
    frame.prefix(10).withUnsafeBytes { decoder.append($0) }
    for _ in 0..<1_000 {
      (frame.dropFirst(10) + frame.prefix(10)).withUnsafeBytes { decoder.append($0) }
      #expect(try decoder.next() != nil)
      #expect(try decoder.next() == nil)
      #expect(decoder.heldBytes <= 3 * frame.count)
    }
  }

  @Test func twoSummariesTake64BytesAtMost() {
    let summary = Summary(isProbe: true, vectorHash: .max, digest: Digest(high: .max, low: .max))
    #expect(Frame.encode(.summary(summary)).count <= 32)
  }
}
