import Dispatch

/// One TCP connection: bytes in, messages out, and the other way round.
///
/// Everything happens on one queue. ``send(_:)`` only queues; ``flush()`` writes what is queued in one call, so that
/// the messages of one round of the engine leave together. How much may be queued is the engine's business, which
/// hears when the queue has emptied.
package final class Connection {
  /// What a connection tells its owner, on the queue.
  package enum Report {
    /// So many bytes came.
    case received(Int)
    /// A whole, well-formed message came.
    case message(Message)
    /// Everything queued has been handed to the system.
    case drained
    /// What came was no message. The owner should say so to the peer and close.
    case malformed(WireError)
    /// The other side takes too long over what it has begun to send, or over taking what is for it. The owner should end
    /// the connection.
    case stalled
    /// The connection is gone, by either side. The last report.
    case closed
  }

  private enum State {
    case open
    /// Closing: what is queued still goes out, what comes is dropped.
    case lingering
    case closed
  }

  private let socket: Socket
  private let queue: DispatchQueue
  private let reader: any DispatchSourceRead
  private var writer: (any DispatchSourceWrite)?
  private var isWriterWaiting = false
  private var decoder = FrameDecoder(startupBytes: Limits.startupBytes)
  private var outgoing = OutgoingBytes()
  private var state = State.open
  private var linger: Delay?
  private var isPeerTold = false
  private var report: ((Report) -> Void)?
  private let mayRead: () -> Bool
  private let paceMilliseconds: Int
  private var window: Delay?
  private var incomingProgress = Progress()
  private var outgoingProgress = Progress()

  /// Bytes taken per wake-up: few enough that one busy peer does not hold up the others, and enough that a peer that
  /// catches up is stored in large transactions.
  package static let bytesPerWakeUp = 1024 * 1024
  /// How long a closing connection may take to send its last words and hear the other side end, in milliseconds.
  package static let lingerMilliseconds = 1000

  /// - Parameters:
  ///   - mayRead: asked before each read; false leaves the bytes in the system's buffer until the next wake-up
  ///   - paceMilliseconds: see ``Limits/paceMilliseconds``
  ///   - report: called on the queue
  package init(
    _ socket: Socket, queue: DispatchQueue, mayRead: @escaping () -> Bool = { true },
    paceMilliseconds: Int = Limits.paceMilliseconds, report: @escaping (Report) -> Void
  ) {
    self.socket = socket
    self.queue = queue
    self.mayRead = mayRead
    self.paceMilliseconds = paceMilliseconds
    self.report = report
    reader = DispatchSource.makeReadSource(fileDescriptor: socket.descriptor, queue: queue)
    reader.setEventHandler { [weak self] in self?.readable() }
    reader.setCancelHandler { withExtendedLifetime(socket) {} }
    reader.activate()
  }

  deinit { release() }

  /// Bytes queued and not yet handed to the system.
  package var queuedBytes: Int { outgoing.count }

  /// Queues an encoded message; nothing once the connection is closing.
  package func send(_ frame: [UInt8]) {
    if state == .open { outgoing.append(frame) }
  }

  /// Hands what is queued to the system, as far as it takes it; the rest follows when it can.
  package func flush() {
    guard state != .closed, !outgoing.isEmpty, !isWriterWaiting else { return }
    write()
  }

  /// Ends the connection once what is queued has gone, or after ``lingerMilliseconds``.
  package func close() {
    guard state == .open else { return }
    state = .lingering
    linger = Delay(milliseconds: Self.lingerMilliseconds, on: queue) { [weak self] in self?.end() }
    if outgoing.isEmpty { tellPeer() } else { flush() }
  }

  /// Ends the connection now.
  package func end() {
    guard state != .closed else { return }
    state = .closed
    release()
    let report = report
    self.report = nil
    report?(.closed)
  }

  private func readable() {
    var budget = Self.bytesPerWakeUp
    while state != .closed, budget > 0, mayRead() {
      switch withReadBuffer({ take($0) }) {
      case .bytes(let count): budget -= count
      case .wouldBlock: return
      case .ended: return end()
      }
    }
  }

  private func take(_ buffer: UnsafeMutableRawBufferPointer) -> Socket.Transfer {
    let transfer = socket.read(into: buffer)
    if case .bytes(let count) = transfer, state == .open {
      report?(.received(count))
      decode(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
    return transfer
  }

  private func decode(_ bytes: UnsafeRawBufferPointer) {
    decoder.append(bytes)
    incomingProgress.moved(bytes.count)
    do throws(WireError) {
      while state == .open, let message = try decoder.next() {
        incomingProgress.ended()
        report?(.message(message))
      }
      if state == .open, decoder.isMidFrame { keepPace(&incomingProgress) }
    } catch {
      report?(.malformed(error))
      close()
    }
  }

  private func write() {
    while !outgoing.isEmpty {
      switch outgoing.withBytes({ socket.write($0) }) {
      case .bytes(let count):
        outgoing.remove(count)
        outgoingProgress.moved(count)
      case .wouldBlock: return waitForWriter()
      case .ended: return end()
      }
    }
    pauseWriter()
    outgoingProgress.ended()
    if state == .lingering { tellPeer() } else { report?(.drained) }
  }

  /// Most connections never fill the system's buffer, so the source that waits for room is made when first needed.
  private func waitForWriter() {
    keepPace(&outgoingProgress)
    guard !isWriterWaiting else { return }
    isWriterWaiting = true
    if let writer { return writer.resume() }
    let source = DispatchSource.makeWriteSource(fileDescriptor: socket.descriptor, queue: queue)
    source.setEventHandler { [weak self] in self?.write() }
    source.setCancelHandler { [socket] in withExtendedLifetime(socket) {} }
    source.activate()
    writer = source
  }

  private func pauseWriter() {
    guard isWriterWaiting else { return }
    isWriterWaiting = false
    writer?.suspend()
  }

  private func keepPace(_ progress: inout Progress) {
    progress.began()
    guard window == nil, state == .open else { return }
    window = Delay(milliseconds: paceMilliseconds, on: queue) { [weak self] in self?.windowEnded() }
  }

  private func windowEnded() {
    window = nil
    // What the system holds by now counts: this queue may itself have been busy for long.
    readable()
    if isWriterWaiting { write() }
    guard state == .open else { return }
    // Bytes that are left lying here are nobody else's delay.
    let isIncomingStalled = incomingProgress.isStalled(below: Limits.paceBytes) && mayRead()
    if outgoingProgress.isStalled(below: Limits.paceBytes) || isIncomingStalled {
      report?(.stalled)
    } else if incomingProgress.isOwing || outgoingProgress.isOwing, window == nil {
      window = Delay(milliseconds: paceMilliseconds, on: queue) { [weak self] in self?.windowEnded() }
    }
  }

  /// The last word has gone. Closing at once would discard it if bytes of the peer lay unread, so its end is awaited.
  private func tellPeer() {
    guard !isPeerTold else { return }
    isPeerTold = true
    socket.finishWriting()
  }

  private func release() {
    reader.cancel()
    writer?.cancel()
    // A suspended source never delivers its cancellation.
    if !isWriterWaiting { writer?.resume() }
    writer = nil
    linger = nil
    window = nil
    outgoing = OutgoingBytes()
  }
}

/// On the stack, as long as a read takes: idle connections keep no buffer.
private func withReadBuffer<Result>(_ body: (UnsafeMutableRawBufferPointer) -> Result) -> Result {
  withUnsafeTemporaryAllocation(byteCount: 64 * 1024, alignment: 16, body)
}
