import CAvahi
import Dispatch
import Glibc
import PeerSync

/// What Avahi's client waits for (`AvahiPoll`): a daemon's poller watches its descriptors, and the daemon's timers keep its times.
///
/// The calls of the client wait for the answers of its own daemon, for up to 25 s if that hangs, and sessions must not wait with them. So
/// what has come is handed to a queue of its own, on which everything of the client happens. A descriptor that was handed over is not
/// watched until that has been handled: what is there stays there, and the poller would tell of it again and again.
///
/// `@unchecked Sendable`: everything but what is guarded is touched on that queue alone.
package final class AvahiLoop: @unchecked Sendable {
  /// What the client is given; it goes with this.
  package let api: UnsafeMutablePointer<AvahiPoll>
  private let queue: DispatchQueue
  private let loop: EventLoop
  private let failed: @Sendable (String) -> Void
  /// Those that are watched. D-Bus has two watches of one descriptor, which a poller takes once.
  private var descriptors: [Int32: Descriptor] = [:]

  /// - Parameters:
  ///   - queue: a serial one, on which the client is called, and calls back
  ///   - loop: of the daemon; it never waits for that queue
  ///   - failed: called on the queue with the reason when a descriptor cannot be watched any more: nothing more is heard of it
  package init(
    on queue: DispatchQueue, watchedBy loop: EventLoop, failed: @escaping @Sendable (String) -> Void
  ) {
    (self.queue, self.loop, self.failed) = (queue, loop, failed)
    api = .allocate(capacity: 1)
    api.initialize(to: Self.functions)
    api.pointee.userdata = Unmanaged.passUnretained(self).toOpaque()
  }

  deinit { api.deallocate() }

  /// Each is called on the queue: by the client, which is called there. It frees what it has made.
  private static var functions: AvahiPoll {
    AvahiPoll(
      userdata: nil,
      watch_new: { api, number, events, callback, owner in
        AvahiLoop.of(api)?.watch(number, Watch(events, callback, owner)).map(AvahiLoop.kept)
      },
      watch_update: { watch, events in
        guard let watch = AvahiLoop.at(watch, as: Watch.self) else { return }
        watch.awaited = Poller.Interest(events)
        watch.descriptor?.armAgain()
      },
      watch_get_events: { watch in
        AvahiLoop.at(watch, as: Watch.self)?.happened.events ?? AvahiWatchEvent(rawValue: 0)
      },
      watch_free: { watch in
        guard let watch = AvahiLoop.taken(watch, as: Watch.self) else { return }
        if let descriptor = watch.descriptor { descriptor.loop.forget(watch, of: descriptor) }
      },
      timeout_new: { api, time, callback, owner in
        AvahiLoop.of(api).map { loop in
          let timeout = Timeout(loop, callback, owner)
          timeout.set(time)
          return AvahiLoop.kept(timeout)
        }
      },
      timeout_update: { timeout, time in AvahiLoop.at(timeout, as: Timeout.self)?.set(time) },
      timeout_free: { timeout in AvahiLoop.taken(timeout, as: Timeout.self)?.set(nil) })
  }

  private static func of(_ api: UnsafePointer<AvahiPoll>?) -> AvahiLoop? {
    (api?.pointee.userdata).map { Unmanaged<AvahiLoop>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Kept by the client until it frees it.
  private static func kept(_ object: some AnyObject) -> OpaquePointer {
    OpaquePointer(Unmanaged.passRetained(object).toOpaque())
  }

  private static func at<Object: AnyObject>(_ pointer: OpaquePointer?, as type: Object.Type) -> Object? {
    pointer.map { Unmanaged<Object>.fromOpaque(UnsafeRawPointer($0)).takeUnretainedValue() }
  }

  private static func taken<Object: AnyObject>(_ pointer: OpaquePointer?, as type: Object.Type) -> Object? {
    pointer.map { Unmanaged<Object>.fromOpaque(UnsafeRawPointer($0)).takeRetainedValue() }
  }

  // MARK: Descriptors

  /// One thing that the client waits for at a descriptor.
  private final class Watch {
    /// Nil once it was freed: then nobody is called any more.
    var descriptor: Descriptor?
    var awaited: Poller.Interest
    var happened: Poller.Interest = []
    private let callback: AvahiWatchCallback?
    private let owner: UnsafeMutableRawPointer?

    init(_ events: AvahiWatchEvent, _ callback: AvahiWatchCallback?, _ owner: UnsafeMutableRawPointer?) {
      (awaited, self.callback, self.owner) = (Poller.Interest(events), callback, owner)
    }

    func tell(of ready: Poller.Interest) {
      guard let descriptor else { return }
      happened = ready.intersection(awaited)
      guard !happened.isEmpty else { return }
      callback?(
        OpaquePointer(Unmanaged.passUnretained(self).toOpaque()), descriptor.number, happened.events, owner)
    }
  }

  /// A descriptor in the poller, and whoever waits for it.
  ///
  /// `@unchecked Sendable`: as its loop is.
  private final class Descriptor: @unchecked Sendable {
    let number: Int32
    let loop: AvahiLoop
    var watches: [Watch] = []
    /// By which the poller knows it, and whether what was there is with the queue.
    private let state = Guarded((token: UInt64?.none, isHandedOver: false))

    init(_ number: Int32, _ loop: AvahiLoop) { (self.number, self.loop) = (number, loop) }

    /// Has the poller know it; nothing is awaited yet, for it is told by its token.
    func add() throws(SocketError) {
      let token = try loop.loop.poller.add(number, for: []) { [self] in handOver($0) }
      state.withLock { $0.token = token }
    }

    /// Nothing that was handed over is told any more; the descriptor may be closed.
    func remove() { if let token = state.withLock(\.token) { loop.loop.poller.remove(token) } }

    /// On the daemon's loop.
    private func handOver(_ ready: Poller.Interest) {
      state.withLock {
        $0.isHandedOver = true
        // It is taken out of the set, which cannot fail.
        if let token = $0.token { try? loop.loop.poller.change(token, to: []) }
      }
      loop.queue.async { [self] in handle(ready) }
    }

    private func handle(_ ready: Poller.Interest) {
      for watch in watches { watch.tell(of: ready) }
      state.withLock { $0.isHandedOver = false }
      armAgain()
    }

    /// Waits for what its watches await, unless that has come and is still to be handled.
    func arm() throws {
      let awaited = watches.reduce(into: Poller.Interest()) { $0.formUnion($1.awaited) }
      try state.withLock {
        if let token = $0.token, !$0.isHandedOver { try loop.loop.poller.change(token, to: awaited) }
      }
    }

    func armAgain() { do { try arm() } catch { loop.failed("\(error)") } }
  }

  /// Nil when it cannot be watched: the client takes that for a lack of memory, and gives up.
  private func watch(_ number: Int32, _ watch: Watch) -> Watch? {
    let descriptor = descriptors[number] ?? Descriptor(number, self)
    descriptor.watches.append(watch)
    do {
      if descriptors[number] == nil { try descriptor.add() }
      descriptors[number] = descriptor
      watch.descriptor = descriptor
      try descriptor.arm()
      return watch
    } catch {
      forget(watch, of: descriptor)
      return nil
    }
  }

  private func forget(_ watch: Watch, of descriptor: Descriptor) {
    watch.descriptor = nil
    descriptor.watches.removeAll { $0 === watch }
    guard descriptor.watches.isEmpty else { return descriptor.armAgain() }
    descriptors[descriptor.number] = nil
    descriptor.remove()
  }

  // MARK: Times

  /// A time that the client waits for.
  ///
  /// `@unchecked Sendable`: as its loop is.
  private final class Timeout: @unchecked Sendable {
    private let loop: AvahiLoop
    private let callback: AvahiTimeoutCallback?
    private let owner: UnsafeMutableRawPointer?
    private var ticket: Timers.Ticket?
    /// How often it was set: what has come of an earlier time is not told.
    private var count: UInt64 = 0

    init(_ loop: AvahiLoop, _ callback: AvahiTimeoutCallback?, _ owner: UnsafeMutableRawPointer?) {
      (self.loop, self.callback, self.owner) = (loop, callback, owner)
    }

    /// Waits for a time by the wall clock of the system, of now: one that is set meanwhile changes nothing. Nil: for none.
    func set(_ time: UnsafePointer<timeval>?) {
      count += 1
      if let ticket { loop.loop.timers.cancel(ticket) }
      ticket = nil
      guard let time else { return }
      let due = loop.milliseconds(until: time.pointee)
      // What D-Bus has already is due at once, and need not take the way by the daemon's loop.
      guard due > 0 else { return come(count) }
      ticket = loop.loop.timers.schedule(afterMilliseconds: due) { [self, count] in come(count) }
    }

    private func come(_ number: UInt64) {
      loop.queue.async { [self] in
        guard number == count else { return }
        ticket = nil
        callback?(OpaquePointer(Unmanaged.passUnretained(self).toOpaque()), owner)
      }
    }
  }

  /// How long it is until then; 0: it has come.
  private func milliseconds(until time: timeval) -> UInt64 {
    var now = timeval()
    gettimeofday(&now, nil)
    let (seconds, isTooFar) = time.tv_sec.subtractingReportingOverflow(now.tv_sec)
    // As far as D-Bus ever waits.
    guard !isTooFar, seconds <= Int(Int32.max) else { return seconds < 0 ? 0 : UInt64(Int32.max) }
    guard seconds >= -1 else { return 0 }
    return UInt64(max(0, seconds * 1000 + (time.tv_usec - now.tv_usec + 999) / 1000))
  }
}

extension Poller.Interest {
  /// What a watch of Avahi awaits; a broken connection is both, and need not be awaited.
  fileprivate init(_ events: AvahiWatchEvent) {
    self = []
    if events.rawValue & AVAHI_WATCH_IN.rawValue != 0 { insert(.read) }
    if events.rawValue & AVAHI_WATCH_OUT.rawValue != 0 { insert(.write) }
  }

  fileprivate var events: AvahiWatchEvent {
    AvahiWatchEvent(
      rawValue: (contains(.read) ? AVAHI_WATCH_IN.rawValue : 0)
        | (contains(.write) ? AVAHI_WATCH_OUT.rawValue : 0))
  }
}
