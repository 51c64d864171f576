/// Connects to one of several addresses: each has a short lead before the next (RFC 8305), and the first connection that stands
/// is kept.
package final class Race {
  private var waiting: ArraySlice<Address>
  private let segmentBytes: Int?
  private let loop: EventLoop
  private var dials: [Address: Dial] = [:]
  private var lead: Delay?
  private var finished: ((Result<Socket, SocketError>) -> Void)?

  /// - Parameters:
  ///   - addresses: the likeliest first
  ///   - segmentBytes: the longest TCP segment to ask for; nil: whatever the path takes
  package init(_ addresses: [Address], segmentBytes: Int? = nil, on loop: EventLoop) {
    waiting = addresses[...]
    self.segmentBytes = segmentBytes
    self.loop = loop
  }

  deinit { cancel() }

  /// - Parameter finished: called once, unless the race is cancelled before; at once, when no dial can even begin
  package func start(_ finished: @escaping (Result<Socket, SocketError>) -> Void) {
    self.finished = finished
    dialNext(.timedOut)
  }

  /// Gives up without a word.
  package func cancel() {
    finished = nil
    lead = nil
    for dial in dials.values { dial.cancel() }
    dials = [:]
  }

  /// - Parameter error: why the last one failed
  private func dialNext(_ error: SocketError) {
    lead = nil
    guard finished != nil else { return }
    guard let address = waiting.popFirst() else {
      if dials.isEmpty { finish(.failure(error)) }
      return
    }
    do throws(SocketError) {
      dials[address] = try Dial(address, segmentBytes: segmentBytes, on: loop) { [weak self] in
        self?.ended(address, $0)
      }
    } catch { return dialNext(error) }
    guard !waiting.isEmpty else { return }
    lead = Delay(milliseconds: Int(Limits.dialLeadMilliseconds), on: loop.timers) { [weak self] in
      self?.dialNext(.timedOut)
    }
  }

  private func ended(_ address: Address, _ result: Result<Socket, SocketError>) {
    dials[address] = nil
    switch result {
    case .success: finish(result)
    case .failure(let error): dialNext(error)
    }
  }

  private func finish(_ result: Result<Socket, SocketError>) {
    let finished = finished
    cancel()
    finished?(result)
  }
}
