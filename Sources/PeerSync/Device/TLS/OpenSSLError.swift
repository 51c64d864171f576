import COpenSSL

/// What OpenSSL refused, for what never should be: no memory, or a mistake in this program.
package struct OpenSSLError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The packed library and reason, 0 when OpenSSL gave none.
  package let code: UInt

  package init(code: UInt) {
    self.code = code
  }

  /// Takes the oldest error of this thread, and leaves none.
  static func take() -> OpenSSLError {
    defer { ERR_clear_error() }
    return OpenSSLError(code: ERR_peek_error())
  }

  /// Which part of OpenSSL: one of `ERR_LIB_…`.
  var library: Int32 { ERR_GET_LIB(code) }
  /// The reason, whose meaning depends on the library.
  var reason: Int32 { ERR_GET_REASON(code) }

  /// What happened, in OpenSSL's words.
  package var description: String {
    guard let words = ERR_reason_error_string(code) else { return "OpenSSL error \(code)" }
    return String(cString: words)
  }
}

/// Takes what an OpenSSL function has made.
func made(_ pointer: OpaquePointer?) throws(OpenSSLError) -> OpaquePointer {
  guard let pointer else { throw .take() }
  return pointer
}

/// Takes what an OpenSSL function has answered: 1 is success.
func require(_ result: Int32) throws(OpenSSLError) {
  guard result == 1 else { throw .take() }
}

/// A memory BIO that frees itself.
final class MemoryBIO {
  let pointer: OpaquePointer

  init() throws(OpenSSLError) { pointer = try made(BIO_new(BIO_s_mem())) }

  /// Holds a copy of bytes to be read.
  convenience init(_ bytes: [UInt8]) throws(OpenSSLError) {
    try self.init()
    guard BIO_write(pointer, bytes, Int32(clamping: bytes.count)) == bytes.count else { throw .take() }
  }

  deinit { BIO_free(pointer) }

  /// Everything written to it and not yet read.
  var bytes: [UInt8] {
    var start: UnsafeMutablePointer<CChar>?
    let count = peersync_BIO_get_mem_data(pointer, &start)
    return Array(UnsafeRawBufferPointer(start: start, count: count))
  }
}
