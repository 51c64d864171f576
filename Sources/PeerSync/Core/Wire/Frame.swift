/// How messages lie on a connection: the length of the body (4 bytes, big-endian), the message's type (1 byte), the
/// body.
public enum Frame {
  /// Bytes before the body.
  package static let headerBytes = 5

  /// The bytes of a message.
  ///
  /// Says what it is told: whoever makes a message keeps it within ``Limits`` (``Limits/batchBytes`` for writes), or
  /// the receiver ends the session.
  public static func encode(_ message: Message) -> [UInt8] {
    var writer = ByteWriter(reserving: headerBytes + message.bodyEstimate)
    writer.write(length: 0)
    writer.write(byte: message.type.rawValue)
    writer.write(bodyOf: message)
    writer.overwrite(length: UInt32(clamping: writer.bytes.count - headerBytes), at: 0)
    return writer.bytes
  }
}

/// Cuts what a connection brings into messages.
///
/// Bytes are kept only as they arrive: the length in a header takes no memory. Consumed bytes are dropped once they
/// are the larger part of the buffer, so that the work stays in proportion to the bytes however they are split.
public struct FrameDecoder {
  private var buffer: [UInt8] = []
  /// Where the first frame that has not been read begins.
  private var start = 0
  private var failure: WireError?
  /// Bytes that may still come up to a welcome; nil: no bound any more.
  private var startupBytes: Int?

  /// - Parameter startupBytes: most bytes of frames up to the first welcome, and with it; nil: no bound but that of each
  ///   frame
  public init(startupBytes: Int? = nil) { self.startupBytes = startupBytes }

  /// Allows so many bytes before a welcome.
  package mutating func setStartupBound(_ bytes: Int) { startupBytes = bytes }

  /// Lifts the bound on what comes before a welcome: the other side has proved enough in another way.
  package mutating func liftStartupBound() { startupBytes = nil }

  /// How much memory the bytes take: those of the frame that is coming in, and at most as many already read.
  package var heldBytes: Int { buffer.count }

  /// Whether a frame has begun and not ended.
  package var isMidFrame: Bool { pending > 0 }

  private var pending: Int { buffer.count - start }

  /// Takes in bytes as they came. After a failure they are dropped.
  public mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard failure == nil else { return }
    compact()
    buffer.append(contentsOf: bytes)
  }

  /// The next whole message; nil: more bytes are needed.
  ///
  /// - Throws: ``WireError``, after which the connection has lost its place and must end: every later call throws
  ///   the same.
  public mutating func next() throws(WireError) -> Message? {
    if let failure { throw failure }
    do throws(WireError) {
      return try frame()
    } catch {
      failure = error
      buffer = []
      start = 0
      throw error
    }
  }

  private mutating func frame() throws(WireError) -> Message? {
    guard pending >= Frame.headerBytes else {
      try checkLength()
      return nil
    }
    let length = try checkLength()
    guard let type = MessageType(rawValue: buffer[start + Frame.headerBytes - 1]) else { throw .malformed }
    guard pending - Frame.headerBytes >= length else { return nil }
    let body = start + Frame.headerBytes
    let message = try Message(type, decoding: buffer[body..<(body + length)])
    start = body + length
    noteStartup(message, bytes: Frame.headerBytes + length)
    if start == buffer.count { compact() }
    return message
  }

  /// The length of the next body, judged as soon as its four bytes are there: text and other protocols fail on it.
  @discardableResult private func checkLength() throws(WireError) -> Int {
    guard pending >= 4 else { return 0 }
    let length = buffer[start..<(start + 4)].reduce(0) { $0 << 8 | Int($1) }
    guard length <= Limits.frameBytes, Frame.headerBytes + length <= startupBytes ?? .max else {
      throw .beyondLimit
    }
    return length
  }

  private mutating func noteStartup(_ message: Message, bytes: Int) {
    guard let left = startupBytes else { return }
    if case .welcome = message { startupBytes = nil } else { startupBytes = left - bytes }
  }

  /// Forgets consumed bytes when that moves fewer than it frees. A buffer that one large frame made grow does not
  /// stay with an idle session.
  private mutating func compact() {
    if start == buffer.count {
      buffer.removeAll(keepingCapacity: buffer.capacity <= 2 * Limits.chunkBytes)
    } else if start > buffer.count / 2 {
      buffer.removeSubrange(..<start)
    } else {
      return
    }
    start = 0
  }
}
