/// How messages lie on a connection: the length of the body (4 bytes, big-endian), the message's type (1 byte), the
/// body.
package enum Frame {
  /// The bytes of a message.
  package static func encode(_ message: Message) -> [UInt8] { [] }
}

/// Cuts what a connection brings into messages.
///
/// Bytes are kept only as they arrive: the length in a header takes no memory.
package struct FrameDecoder {
  package init() {}

  /// Takes in bytes as they came.
  package mutating func append(_ bytes: UnsafeRawBufferPointer) {}

  /// The next whole message; nil: more bytes are needed.
  ///
  /// - Throws: ``WireError``, after which the connection has lost its place and must end.
  package mutating func next() throws(WireError) -> Message? { nil }
}
