/// Bytes that wait to be sent, in one piece, so that many small messages leave in one call.
struct OutgoingBytes {
  private var bytes: [UInt8] = []
  private var sent = 0

  var count: Int { bytes.count - sent }
  var isEmpty: Bool { count == 0 }

  mutating func append(_ more: [UInt8]) {
    // The first message needs no copy; and what has been sent is dropped before it makes the buffer grow.
    if isEmpty {
      bytes = more
      sent = 0
      return
    }
    if sent > bytes.count / 2 { compact() }
    bytes.append(contentsOf: more)
  }

  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[sent...])) }
  }

  mutating func remove(_ count: Int) {
    sent += count
    // An idle connection keeps no buffer.
    if isEmpty { self = OutgoingBytes() }
  }

  private mutating func compact() {
    bytes.removeFirst(sent)
    sent = 0
  }
}
