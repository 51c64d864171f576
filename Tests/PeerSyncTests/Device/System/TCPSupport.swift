import Dispatch
import Foundation
import PeerSync

/// A listener and the connections it accepts, on a loop of their own, as the daemon would own them.
final class TestServer: @unchecked Sendable {
  /// What happened, in order.
  enum Event: Sendable, Equatable {
    case accepted(Int)
    case established(Int, Channel)
    case failed(Int, TLSError)
    case message(Int, Message)
    case drained(Int)
    case malformed(Int)
    case stalled(Int)
    case closed(Int)
    case exhausted
  }

  let address: Address
  let events: AsyncStream<Event>
  private let loop = EventLoop()
  private let context: TLSContext
  private let sink: AsyncStream<Event>.Continuation
  private var listener: Listener?
  private var connections: [Int: Connection] = [:]
  private var last = 0

  private let pace: Int

  /// - Parameter pace: milliseconds in which a peer has to get on
  init(pace: Int = Limits.paceMilliseconds) throws {
    self.pace = pace
    let strangers = strangers
    context = try TLSContext(DeviceKey.generate()) { !strangers.contains($0) }
    (events, sink) = AsyncStream.makeStream(of: Event.self)
    var accept: ((Socket) -> Void)?
    let sink = sink
    listener = try Listener(
      on: Address(host: "127.0.0.1", port: 0), loop: loop, accepted: { socket, _ in accept?(socket) },
      exhausted: { sink.yield(.exhausted) })
    address = listener?.address ?? Address(host: "", port: 0)
    accept = { [weak self] socket in
      if let self, let channel = try? TLSChannel(accepting: context) { add(socket, channel) }
    }
  }

  /// The keys that the server takes for no members'; of all others it thinks they are.
  let strangers = MemberKeys([TestServer.stranger.publicKey])

  /// Whether it closes at once what has failed.
  private var closesFailed = true

  /// Leaves what fails from now on to be closed by the test.
  func keepFailed() { loop.queue.sync { closesFailed = false } }

  /// The key that the server takes for no member's.
  static let stranger: DeviceKey = {
    guard let key = try? DeviceKey.generate() else { fatalError("no key") }
    return key
  }()

  deinit {
    let (listener, connections) = (listener, connections.values.map { $0 })
    nonisolated(unsafe) let owned = (listener, connections)
    // Not `sync`: a handler of the queue may hold the last reference.
    loop.queue.async {
      owned.0?.close()
      for connection in owned.1 { connection.end() }
    }
  }

  func add(_ socket: Socket, _ channel: TLSChannel) {
    last += 1
    let name = last
    let sink = sink
    connections[name] = try? Connection(socket, channel, on: loop, paceMilliseconds: pace) { [weak self] in
      switch $0 {
      case .established(let channel): sink.yield(.established(name, channel))
      case .failed(let error):
        if self?.closesFailed == true { self?.connections[name]?.close() }
        sink.yield(.failed(name, error))
      case .received, .stirred: break
      case .message(let message): sink.yield(.message(name, message))
      case .drained: sink.yield(.drained(name))
      case .malformed: sink.yield(.malformed(name))
      case .stalled: sink.yield(.stalled(name))
      case .closed:
        self?.connections[name] = nil
        sink.yield(.closed(name))
      }
    }
    sink.yield(.accepted(name))
    connections[name]?.flush()
  }

  /// Does something with a connection on the queue.
  func with<Result: Sendable>(_ name: Int, _ body: (Connection) -> Result) -> Result? {
    loop.queue.sync { connections[name].map(body) }
  }

  func send(_ message: Message, on name: Int) {
    _ = with(name) {
      $0.send(Frame.encode(message))
      $0.flush()
    }
  }

  /// Dials, on the same queue; the connection is reported like an accepted one.
  func dial(_ address: Address) async -> SocketError? {
    await withCheckedContinuation { continuation in
      loop.queue.async { self.dial(address) { continuation.resume(returning: $0) } }
    }
  }

  private var dials: [Dial] = []

  private func dial(_ address: Address, done: @escaping (SocketError?) -> Void) {
    do {
      dials.append(
        try Dial(address, on: loop) { result in
          switch result {
          case .success(let socket):
            if let channel = try? TLSChannel(dialling: self.context) { self.add(socket, channel) }
            done(nil)
          case .failure(let error): done(error)
          }
        })
    } catch { done(error) }
  }
}

/// A member that does with its connection what it likes. Used by one test at a time.
final class MemberClient: @unchecked Sendable {
  private let raw: RawConnection
  private let end: TLSEnd

  /// Everything that went out so far, as it went over the wire.
  var sent: [UInt8] { end.sent }

  /// Connects and shakes hands.
  init(_ address: Address, key: DeviceKey? = nil) throws {
    raw = try RawConnection(to: "\(address)")
    end = TLSEnd(try TLSChannel(dialling: TLSContext(key ?? .generate()) { _ in true }))
    raw.send(end.outgoing())
    while end.established == nil, end.error == nil, let bytes = try? raw.receive() { end.take(bytes) }
    raw.send(end.outgoing())
  }

  /// What came so far, and why no more comes.
  var received: [UInt8] { end.received }
  var error: TLSError? { end.error }

  func send(_ bytes: [UInt8]) {
    guard let sealed = try? end.seal(bytes) else { return }
    raw.send(sealed)
  }

  /// The records that bytes make, which are not sent.
  func seal(_ bytes: [UInt8]) throws -> [UInt8] { try end.seal(bytes) }

  /// Sends bytes that are not encrypted.
  func sendPlain(_ bytes: [UInt8]) { raw.send(bytes) }
  func finishWriting() { raw.finishWriting() }
  func reset() { raw.reset() }

  /// Reads until the other side ends.
  func readToEnd() async -> [UInt8] {
    await onThread {
      while let bytes = try? self.raw.receive() { self.end.take(bytes) }
      return self.end.received
    }
  }

  /// Reads so many bytes.
  func read(_ count: Int) async -> [UInt8] {
    await onThread {
      while self.end.received.count < count, let bytes = try? self.raw.receive() { self.end.take(bytes) }
      return Array(self.end.received.prefix(count))
    }
  }
}

/// What happened, in order, for a thread that waits for it.
final class Inbox<Element>: @unchecked Sendable {
  private let condition = NSCondition()
  private var waiting: [Element] = []

  func add(_ element: Element) {
    condition.lock()
    defer { condition.unlock() }
    waiting.append(element)
    condition.signal()
  }

  func next() -> Element {
    condition.lock()
    defer { condition.unlock() }
    while waiting.isEmpty { condition.wait() }
    return waiting.removeFirst()
  }
}

/// The messages that a run of bytes holds.
func decode(_ bytes: [UInt8]) throws -> [Message] {
  var decoder = FrameDecoder()
  bytes.withUnsafeBytes { decoder.append($0) }
  var messages: [Message] = []
  while let message = try decoder.next() { messages.append(message) }
  return messages
}
