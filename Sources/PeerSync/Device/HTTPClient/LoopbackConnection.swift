import Foundation

/// A blocking TCP connection to a server of this machine. Closes itself.
///
/// Not Foundation's URLSession: on Linux it was seen to stop passing on what had come and to keep a processor busy for
/// ever, once in some twenty runs of the tests; and it would hand the token to a proxy that the environment names.
package final class LoopbackConnection: Sendable {
  /// Why nothing goes through.
  package enum Failure: Error { case refused, timedOut, broken }

  private let descriptor: Int32

  /// `SHUT_RDWR`. By that name it is known only where the C module is imported that happens to include its header first.
  private static let bothWays: Int32 = 2

  /// - Parameter timeoutSeconds: longest wait for anything to come or go; nil: for ever
  package init(to address: Address, timeoutSeconds: Double?) throws {
    try Socket.requireLoopback(address)
    let target = try SocketAddress(address)
    descriptor = socket(target.family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    // Thrown from here on, `deinit` runs and closes.
    guard descriptor >= 0 else { throw Failure.refused }
    if let timeoutSeconds { limitWaits(timeoutSeconds) }
    guard target.with({ connect(descriptor, $0, $1) }) == 0 else {
      throw errno == EINPROGRESS ? Failure.timedOut : Failure.refused
    }
  }

  deinit { close(descriptor) }

  private func limitWaits(_ seconds: Double) {
    let (whole, fraction) = (Int(seconds), seconds.truncatingRemainder(dividingBy: 1))
    // Zero would mean no limit.
    var limit = timeval(tv_sec: whole, tv_usec: max(Int(fraction * 1_000_000), whole == 0 ? 1 : 0))
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
  }

  package func send(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        throw Failure.timedOut
      } else if errno != EINTR {
        // A server that refuses closes before it has read all; what it said can still be read.
        return
      }
    }
  }

  /// What comes next; empty at the end.
  package func receive() throws -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count >= 0 { return Array(buffer.prefix(count)) }
      switch errno {
      case EINTR: continue
      case EAGAIN: throw Failure.timedOut
      default: throw Failure.broken
      }
    }
  }

  /// Ends both directions: a thread that waits in ``receive()`` returns.
  package func shutDown() { shutdown(descriptor, Self.bothWays) }
}
