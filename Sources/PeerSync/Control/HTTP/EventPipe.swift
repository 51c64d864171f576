import CEpoll
import Foundation
import PeerSync

/// Carries server-sent events from a task to the thread of a connection, which waits here for them and meanwhile runs the
/// task.
package final class EventPipe: Sendable {
  package enum Reading: Hashable, Sendable { case bytes(Int), end, broken }

  private struct State {
    var bytes: [UInt8] = []
    var isClosed = false
  }

  private let state = Guarded(State())
  private let wakeUp: WakeUp
  private let socket: Int32
  /// Runs the task that sends.
  let executor: ThreadExecutor
  private let keepAliveMilliseconds: Int32

  /// - Parameter keepAliveMilliseconds: time between two signs of life
  package init(socket: Int32, keepAliveMilliseconds: Int32 = HTTPLimits.keepAliveMilliseconds) {
    self.socket = socket
    self.keepAliveMilliseconds = keepAliveMilliseconds
    let wakeUp = WakeUp()
    // Without descriptors the stream is over before it has begun; the client tries again.
    if wakeUp.descriptor < 0 { state.withLock { $0.isClosed = true } }
    self.wakeUp = wakeUp
    executor = ThreadExecutor(label: "control API events") { wakeUp.signal() }
  }

  /// Queues an event; false when the reader is too slow or gone.
  package func send(_ event: ServerSentEvent) -> Bool {
    let isOpen = state.withLock { state in
      guard !state.isClosed else { return false }
      state.bytes += event.encoded
      if state.bytes.count > HTTPLimits.streamBytes { state.isClosed = true }
      return !state.isClosed
    }
    wakeUp.signal()
    return isOpen
  }

  /// Ends the stream once what is queued has been read.
  package func close() {
    state.withLock { $0.isClosed = true }
    wakeUp.signal()
  }

  /// Waits for bytes. Returns an empty comment now and then, so that a client that is gone is noticed; a client that
  /// closes its end is noticed at once.
  package func read(into buffer: UnsafeMutableRawBufferPointer) -> Reading {
    executor.begin()
    defer { executor.end() }
    while true {
      executor.run()
      if let reading = take(into: buffer) { return reading }
      var waits = [
        pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: socket, events: Int16(POLLIN), revents: 0),
      ]
      let ready = poll(&waits, 2, keepAliveMilliseconds)
      // A client sends nothing after its request: only the end of its side makes the socket readable.
      if waits[1].revents != 0 { return .broken }
      if ready == 0 { return .bytes(copy(Array(":\n\n".utf8), into: buffer)) }
      wakeUp.clear()
    }
  }

  private func take(into buffer: UnsafeMutableRawBufferPointer) -> Reading? {
    state.withLock { state in
      guard !state.bytes.isEmpty else { return state.isClosed ? .end : nil }
      let count = copy(state.bytes, into: buffer)
      state.bytes.removeFirst(count)
      return .bytes(count)
    }
  }

  private func copy(_ bytes: [UInt8], into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let count = min(bytes.count, buffer.count)
    bytes.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0.prefix(count))) }
    return count
  }
}

/// What wakes a thread that polls: a counter of the kernel (eventfd), closed once nobody can signal any more. A pipe would take two
/// descriptors, and its reader would be woken on the processor of the writer, though another is idle.
private final class WakeUp: Sendable {
  /// Readable after a signal; -1 without descriptors.
  let descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))

  deinit { Glibc.close(descriptor) }

  /// A counter that is full is readable as well, so that a failure to write does not matter.
  func signal() { _ = eventfd_write(descriptor, 1) }

  func clear() {
    var count: eventfd_t = 0
    _ = eventfd_read(descriptor, &count)
  }
}
