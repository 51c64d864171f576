import Foundation
import PeerSync

/// A TCP connection to a server of this machine that sends and receives plain bytes, so that a test can be as rude as it
/// likes.
package final class RawConnection: @unchecked Sendable {
  private var descriptor: Int32
  /// What has come and is still to be read as text. Used by one thread at a time.
  var rest: [UInt8] = []

  /// - Parameters:
  ///   - address: 127.0.0.1:PORT
  ///   - source: an address of 127.0.0.0/8 to come from
  ///   - receiveBytes: how much the system holds for who does not read; nil: as much as it likes
  ///   - seconds: for how long it waits for bytes, or for room for them
  ///   - prepared: called when the socket has its descriptor and is not yet connected
  package init(
    to address: String, from source: String = "127.0.0.1", receiveBytes: Int32? = nil, seconds: Int = 20,
    prepared: () -> Void = {}
  ) throws {
    let port = Address(address)?.port ?? 0
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var target = sockaddr_in()
    target.sin_family = sa_family_t(AF_INET)
    target.sin_port = port.bigEndian
    target.sin_addr.s_addr = inet_addr("127.0.0.1")
    // A test that waits for ever tells nobody what it waits for.
    var limit = timeval(tv_sec: seconds, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    if var receiveBytes {
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBytes, socklen_t(MemoryLayout<Int32>.size))
    }
    if source != "127.0.0.1" { bind(source) }
    prepared()
    let status = withUnsafePointer(to: &target) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
  }

  deinit { close() }

  private func bind(_ source: String) {
    var own = sockaddr_in()
    own.sin_family = sa_family_t(AF_INET)
    own.sin_addr.s_addr = inet_addr(source)
    _ = withUnsafePointer(to: &own) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  /// Sends bytes, as far as the other side takes them.
  ///
  /// - Returns: how many it took
  @discardableResult package func send(_ bytes: [UInt8], flags: Int32 = 0) -> Int {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | flags)
      }
      guard count > 0 else { break }
      sent += count
    }
    return sent
  }

  /// What is there, or comes next; nil at the end.
  ///
  /// - Throws: when nothing comes within the time limit
  package func receive() throws -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    if count > 0 { return Array(buffer[..<count]) }
    if count == 0 || errno == ECONNRESET { return nil }
    throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
  }

  /// Everything until the other side closes; nil when it has not within the time limit.
  package func readToEnd() async throws -> [UInt8]? {
    await onThread {
      var received: [UInt8] = []
      do { while let bytes = try self.receive() { received += bytes } } catch { return nil }
      return received
    }
  }

  /// Whether the server ends the connection, and says nothing before.
  package func endsInSilence() async throws -> Bool {
    await onThread {
      var byte: UInt8 = 0
      let count = recv(self.descriptor, &byte, 1, 0)
      return count == 0 || count < 0 && errno != EAGAIN
    }
  }

  /// Whether the server ends the connection, whatever it says before.
  package func ends() async throws -> Bool {
    await onThread {
      var bytes = [UInt8](repeating: 0, count: 4096)
      var count = 1
      while count > 0 { count = recv(self.descriptor, &bytes, bytes.count, 0) }
      return count == 0 || errno != EAGAIN
    }
  }

  /// Says that nothing more comes.
  package func finishWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Ends the connection without a good-bye, as a lost machine does.
  package func reset() {
    var hard = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &hard, socklen_t(MemoryLayout<linger>.size))
    close()
  }

  private func close() {
    guard descriptor >= 0 else { return }
    Glibc.close(descriptor)
    descriptor = -1
  }
}
