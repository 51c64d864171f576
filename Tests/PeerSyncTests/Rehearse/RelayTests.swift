import Foundation
import PeerSync
import TestSupport
import Testing
import peerd

/// A relay between two devices.
@Suite(.noHang) struct RelayTests {
  private let server: Socket
  private let relay: Relay

  init() throws {
    server = try Socket.listening(on: Address(host: "127.0.0.1", port: 0))
    relay = try Relay(on: EventLoop())
    relay.setTarget(server.localAddress)
  }

  /// A connection through the relay, and its other end.
  private func connect() async throws -> (RawConnection, Socket) {
    let connection = try RawConnection(to: relay.address.description)
    let server = server
    let socket = try await onThread {
      while true { if let (socket, _) = try server.accept() { return socket } else { usleep(1000) } }
    }
    return (connection, socket)
  }

  /// Reads until so many bytes are there, or the end.
  private static func read(_ count: Int, from socket: Socket) async -> [UInt8] {
    await onThread {
      var (bytes, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
      while bytes.count < count {
        switch buffer.withUnsafeMutableBytes({ socket.read(into: $0) }) {
        case .bytes(let count): bytes += buffer[..<count]
        case .wouldBlock: usleep(1000)
        case .ended: return bytes
        }
      }
      return bytes
    }
  }

  private func write(_ bytes: [UInt8], to socket: Socket) -> Socket.Transfer {
    bytes.withUnsafeBytes { socket.write($0) }
  }

  @Test func bytesPassBothWaysInOrderUpToTheEnd() async throws {
    let (connection, socket) = try await connect()
    // More than anything on the way holds.
    let many = (0..<8_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    async let received = Self.read(many.count + 1, from: socket)
    #expect(await onThread { connection.send(many) } == many.count)
    connection.finishWriting()
    #expect(await received == many)
    #expect(write([7, 8], to: socket) == .bytes(2))
    socket.finishWriting()
    #expect(try await connection.readToEnd() == [7, 8])
  }

  @Test func aCutEndsWhatStandsAndWhatComes() async throws {
    let (connection, socket) = try await connect()
    relay.set(.cut)
    #expect(try await connection.readToEnd() == [])
    #expect(await Self.read(1, from: socket) == [])
    #expect(try await RawConnection(to: relay.address.description).readToEnd() == [])
    relay.set(.open)
    let (again, _) = try await connect()
    relay.reset()
    #expect(try await again.readToEnd() == [])
    _ = try await connect()
  }

  @Test func whileItIsStalledNothingGetsThrough() async throws {
    let (connection, socket) = try await connect()
    relay.set(.stalled)
    connection.send([1, 2, 3])
    let (other, late) = (relay, ContinuousClock.now + .milliseconds(300))
    // Had it got through, it would have been long before.
    await onThread { while ContinuousClock.now < late { usleep(10_000) } }
    var byte: UInt8 = 0
    #expect(withUnsafeMutableBytes(of: &byte) { socket.read(into: $0) } == .wouldBlock)
    other.set(.open)
    #expect(await Self.read(3, from: socket) == [1, 2, 3])
  }

  @Test func aDelayIsKept() async throws {
    let (connection, socket) = try await connect()
    relay.set(.delayed(milliseconds: 250))
    let start = ContinuousClock.now
    connection.send([1])
    #expect(await Self.read(1, from: socket) == [1])
    #expect(ContinuousClock.now - start >= .milliseconds(250))
  }

  @Test func whereNobodyListensWhoeverDialsIsTurnedAway() async throws {
    relay.setTarget(nil)
    #expect(try await RawConnection(to: relay.address.description).readToEnd() == [])
  }
}
