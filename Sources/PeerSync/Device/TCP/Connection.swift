/// One encrypted TCP connection: bytes in, messages out, and the other way round.
///
/// It shakes hands first, and tells when that is done; until then nothing is sent and nothing taken for a message.
///
/// Everything happens on one loop. ``send(_:)`` only queues; ``flush()`` writes what is queued in one call, so that
/// the messages of one round of the engine leave together. How much may be queued is the engine's business, which
/// hears when the queue has emptied.
package final class Connection {
  /// What a connection tells its owner, on the loop.
  package enum Report {
    /// The handshake is complete, and this is what it proves. Comes before any message.
    case established(Channel)
    /// So many bytes came, without their encryption.
    case received(Int)
    /// A whole, well-formed message came.
    case message(Message)
    /// Everything queued has been handed to the system.
    case drained
    /// What came was not a message. The owner should say so to the peer and close.
    case malformed(WireError)
    /// The encryption failed, or could not begin. The owner should close: the other side hears why no sooner.
    case failed(TLSError)
    /// Bytes of a message that is not complete keep coming.
    case stirred
    /// The other side takes too long over what it has begun to send, or over taking what is for it. The owner should end
    /// the connection.
    case stalled
    /// The connection is gone, by either side. The last report.
    case closed
  }

  private enum State {
    case handshaking
    case open
    /// Its encryption has failed. What TLS says about that waits for the owner to close; what comes is dropped.
    case failed
    /// Closing: what is queued still goes out, what comes is dropped.
    case lingering
    case closed
  }

  private let socket: Socket
  private let channel: TLSChannel
  private let loop: EventLoop
  /// Nil once closed.
  private var watch: SocketWatch?
  private var decoder = FrameDecoder(startupBytes: Limits.startupBytes)
  /// What is to be sent, not yet encrypted.
  private var outgoing = OutgoingBytes()
  private var state = State.handshaking
  private var handshakeLimit: Delay?
  private var linger: Delay?
  private var isDrainAwaited = false
  private var isPeerTold = false
  private var report: ((Report) -> Void)?
  private let mayRead: () -> Bool
  private let paceMilliseconds: Int
  private var window: Delay?
  private var stir: Delay?
  private var incomingProgress = Progress()
  private var outgoingProgress = Progress()

  /// Bytes taken per wake-up: few enough that one busy peer does not hold up the others, and enough that a peer that
  /// catches up is stored in large transactions.
  package static let bytesPerWakeUp = 1024 * 1024
  /// Bytes encrypted at once: four records, so that a long queue is not in memory twice.
  private static let bytesPerSeal = 64 * 1024
  /// How long a closing connection may take to send its last words and hear the other side end, in milliseconds.
  package static let lingerMilliseconds = 1000

  /// The owner calls ``flush()`` next, for the dialling side has the first word.
  ///
  /// - Parameters:
  ///   - channel: encrypts what goes and decrypts what comes
  ///   - mayRead: asked before each read; false leaves the bytes in the system's buffer until the next wake-up
  ///   - paceMilliseconds: see ``Limits/paceMilliseconds``
  ///   - report: called on the loop
  /// - Throws: ``SocketError`` when the system watches no more sockets
  package init(
    _ socket: Socket, _ channel: TLSChannel, on loop: EventLoop, mayRead: @escaping () -> Bool = { true },
    paceMilliseconds: Int = Limits.paceMilliseconds, report: @escaping (Report) -> Void
  ) throws(SocketError) {
    self.socket = socket
    self.channel = channel
    self.loop = loop
    self.mayRead = mayRead
    self.paceMilliseconds = paceMilliseconds
    self.report = report
    watch = try SocketWatch(socket, on: loop, for: .read) { [weak self] in self?.ready($0) }
    handshakeLimit = Delay(milliseconds: Int(Limits.handshakeMilliseconds), on: loop.timers) { [weak self] in
      self?.fail(.handshakeTooSlow)
    }
  }

  deinit { release() }

  /// Bytes queued and not yet handed to the system.
  package var queuedBytes: Int { outgoing.count + channel.outgoingCount }

  /// The address on this side.
  var localAddress: Address? { socket.localAddress }

  /// Queues an encoded message; nothing before the handshake is complete, or once the connection is closing.
  package func send(_ frame: [UInt8]) {
    guard state == .open else { return }
    outgoing.append(frame)
    isDrainAwaited = true
  }

  /// Hands what is queued to the system, as far as it takes it; the rest follows when it can.
  package func flush() {
    guard state != .closed, state != .failed, queuedBytes > 0, !isWriterWaiting else { return }
    write()
  }

  /// Ends the connection once what is queued has gone, or after ``lingerMilliseconds``.
  package func close() {
    switch state {
    case .handshaking: end()
    case .open, .failed: beginLinger()
    case .lingering, .closed: break
    }
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

  private func beginLinger() {
    state = .lingering
    handshakeLimit = nil
    linger = Delay(milliseconds: Self.lingerMilliseconds, on: loop.timers) { [weak self] in self?.end() }
    if !isWriterWaiting { write() }
  }

  /// The other side still hears why, as far as TLS can say it.
  private func fail(_ error: TLSError) {
    guard state == .handshaking || state == .open else { return }
    outgoing = OutgoingBytes()
    state = .failed
    pauseWriter()
    report?(.failed(error))
  }

  private func ready(_ ready: Poller.Interest) {
    if ready.contains(.read) { readable() }
    if ready.contains(.write), isWriterWaiting { write() }
  }

  private func readable() {
    var budget = Self.bytesPerWakeUp
    // While it lingers, what comes is dropped, and nobody has to look at it.
    while state != .closed, budget > 0, isOver || mayRead() {
      switch withReadBuffer({ take($0) }) {
      case .bytes(let count): budget -= count
      case .wouldBlock: return
      case .ended: return end()
      }
    }
  }

  /// Whether what comes is dropped.
  private var isOver: Bool { state == .lingering || state == .failed }

  private func take(_ buffer: UnsafeMutableRawBufferPointer) -> Socket.Transfer {
    let transfer = socket.read(into: buffer)
    if case .bytes(let count) = transfer, !isOver {
      decrypt(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
    return transfer
  }

  private func decrypt(_ bytes: UnsafeRawBufferPointer) {
    do throws(TLSError) { try channel.receive(bytes) { take($0) } } catch { return fail(error) }
    if state == .open, channel.isEnded { return end() }
    // The handshake's next message.
    flush()
  }

  private func take(_ output: TLSChannel.Output) {
    switch output {
    case .established(let channel):
      handshakeLimit = nil
      state = .open
      // Whoever has the code of the invitation is about to send all the records of its group, and gets no welcome.
      switch channel {
      case .certificate: break
      case .introduction: decoder.setStartupBound(Limits.introductionBytes)
      case .invitation: decoder.liftStartupBound()
      }
      report?(.established(channel))
    case .plaintext(let bytes):
      guard state == .open else { return }
      report?(.received(bytes.count))
      decode(bytes)
    }
  }

  private func decode(_ bytes: UnsafeRawBufferPointer) {
    decoder.append(bytes)
    incomingProgress.moved(bytes.count)
    do throws(WireError) {
      while state == .open, let message = try decoder.next() {
        incomingProgress.ended()
        report?(.message(message))
      }
      guard state == .open, decoder.isMidFrame else { return }
      keepPace(&incomingProgress)
      noteStir()
    } catch {
      report?(.malformed(error))
      close()
    }
  }

  private func noteStir() {
    guard stir == nil else { return }
    stir = Delay(milliseconds: Int(Limits.stirMilliseconds), on: loop.timers) { [weak self] in
      self?.stir = nil
      self?.report?(.stirred)
    }
  }

  private func write() {
    while state != .closed, isSealed() {
      switch channel.withOutgoing({ socket.write($0) }) {
      case .bytes(let count):
        channel.removeOutgoing(count)
        outgoingProgress.moved(count)
      case .wouldBlock: return waitForWriter()
      case .ended: return end()
      }
    }
    pauseWriter()
    outgoingProgress.ended()
    if state == .lingering { return tellPeer() }
    guard isDrainAwaited else { return }
    isDrainAwaited = false
    report?(.drained)
  }

  /// Whether there are encrypted bytes to send: encrypts more once those before have gone.
  private func isSealed() -> Bool {
    if channel.outgoingCount > 0 { return true }
    if outgoing.isEmpty {
      if state == .lingering { channel.close() }
    } else {
      seal()
    }
    return channel.outgoingCount > 0
  }

  private func seal() {
    let count = min(outgoing.count, Self.bytesPerSeal)
    let isSealed = outgoing.withBytes {
      (try? channel.send(UnsafeRawBufferPointer(rebasing: $0[..<count]))) != nil
    }
    // What cannot be encrypted is never sent; reading tells why.
    if isSealed { outgoing.remove(count) } else { outgoing = OutgoingBytes() }
  }

  private var isWriterWaiting: Bool { watch?.interest.contains(.write) == true }

  private func waitForWriter() {
    keepPace(&outgoingProgress)
    watch(for: [.read, .write])
  }

  private func pauseWriter() { watch(for: .read) }

  private func watch(for interest: Poller.Interest) {
    do throws(SocketError) { try watch?.wait(for: interest) } catch { end() }
  }

  private func keepPace(_ progress: inout Progress) {
    progress.began()
    guard window == nil, state == .open else { return }
    window = Delay(milliseconds: paceMilliseconds, on: loop.timers) { [weak self] in self?.windowEnded() }
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
      window = Delay(milliseconds: paceMilliseconds, on: loop.timers) { [weak self] in self?.windowEnded() }
    }
  }

  /// The last word has gone. Closing at once would discard it if bytes of the peer lay unread, so its end is awaited.
  private func tellPeer() {
    guard !isPeerTold else { return }
    isPeerTold = true
    socket.finishWriting()
  }

  private func release() {
    watch = nil
    linger = nil
    handshakeLimit = nil
    window = nil
    stir = nil
    outgoing = OutgoingBytes()
  }
}

/// On the stack, as long as a read takes: idle connections keep no buffer.
private func withReadBuffer<Result>(_ body: (UnsafeMutableRawBufferPointer) -> Result) -> Result {
  withUnsafeTemporaryAllocation(byteCount: 64 * 1024, alignment: 16, body)
}
