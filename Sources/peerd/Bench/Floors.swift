import Foundation
import PeerSync

/// What the machine can do at best, measured beside the program.
enum Floors {
  /// Seconds of one durable commit: a page written and synchronized, alone in its file.
  static func durableCommit(in directory: String, rounds: Int = 1_000) throws -> Double {
    let path = directory + "/floor"
    let file = open(path, O_CREAT | O_WRONLY, 0o600)
    guard file >= 0 else { throw BenchmarkError("cannot write \(path)", "\(path) 파일에 쓸 수 없습니다") }
    defer {
      close(file)
      unlink(path)
    }
    let page = [UInt8](repeating: 1, count: 4096)
    let times = (0..<rounds).map { round in
      timed {
        pwrite(file, page, page.count, off_t(round * page.count))
        fdatasync(file)
      }
    }
    return Percentiles(times).p50
  }

  /// Seconds for one way over loopback: half of a round trip of a few bytes between two threads.
  static func oneWay(rounds: Int = 2_000) throws -> Double {
    let pair = try LoopbackPair()
    let echo = Thread { pair.echo() }
    echo.start()
    let times = (0..<rounds).map { _ in timed { pair.roundTrip() } }
    pair.end()
    return Percentiles(times).p50 / 2
  }
}

/// A benchmark that cannot run.
struct BenchmarkError: ToldError, CustomStringConvertible {
  let told: Phrase
  init(_ english: String, _ korean: String) { told = Phrase(english, korean) }

  var description: String { told.text(in: .english) }
}

/// Two ends of a TCP connection over loopback.
private final class LoopbackPair: Sendable {
  private let near: Int32
  private let far: Int32

  init() throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    near = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    let (near, isReady) = (
      near,
      withUnsafeMutablePointer(to: &address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(listener, $0, length) == 0 && listen(listener, 1) == 0
            && getsockname(listener, $0, &length) == 0
        }
      }
    )
    let isConnected = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(near, $0, length) == 0 }
    }
    guard isReady, isConnected else {
      throw BenchmarkError("no connection over loopback", "루프백으로 연결할 수 없습니다")
    }
    far = accept(listener, nil, nil)
    var on: Int32 = 1
    for end in [near, far] {
      setsockopt(end, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }
  }

  func roundTrip() {
    var byte: UInt8 = 1
    write(near, &byte, 1)
    read(near, &byte, 1)
  }

  func echo() {
    var byte: UInt8 = 0
    while read(far, &byte, 1) == 1 { write(far, &byte, 1) }
    close(far)
  }

  func end() {
    shutdown(near, Int32(SHUT_RDWR))
    close(near)
  }
}
