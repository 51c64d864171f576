import CAvahi
import Dispatch
import Foundation
import PeerSync
import PeerSyncAvahi
import Testing

/// What Avahi's client waits for, with a socket in the place of its D-Bus.
@Suite(.noHang) struct AvahiLoopTests {
  private let client: Client

  init() throws { client = try Client() }

  /// The queue of the client may be held up for long. What is there meanwhile is told once, and the daemon's loop goes on.
  @Test func whatIsThereIsHandedOverOnce() async throws {
    let watch = await client.on { $0.watch(AVAHI_WATCH_IN, reading: true) }
    try await client.holdUp { client in
      client.say()
      try await client.turn()
    }
    #expect(await client.told == [AVAHI_WATCH_IN.rawValue])
    // What comes later is told as well.
    client.say()
    await client.wait(for: 2)
    await client.on { $0.free(watch) }
  }

  /// As long as it is not read it is told again.
  @Test func whatStaysIsToldAgain() async throws {
    let watch = await client.on { $0.watch(AVAHI_WATCH_IN) }
    client.say()
    await client.wait(for: 3)
    await client.on { $0.free(watch) }
    let count = await client.told.count
    try await client.turn()
    #expect(await client.told.count == count)
  }

  /// Its descriptor may be another's by then.
  @Test func whatWasFreedIsNotTold() async throws {
    let watch = await client.on { $0.watch(AVAHI_WATCH_IN) }
    let timeout = await client.on { $0.timeout(inMilliseconds: nil) }
    try await client.holdUp { client in
      client.say()
      try await client.turn()
    } then: { client in
      client.set(timeout, inMilliseconds: 0)
      client.free(watch)
      client.free(timeout: timeout)
    }
    try await client.turn()
    #expect(await client.told.isEmpty)
  }

  /// D-Bus reads and writes by two watches of one descriptor, the second of which comes and goes.
  @Test func oneDescriptorHasTwoWatches() async throws {
    let reading = await client.on { $0.watch(AVAHI_WATCH_IN, reading: true) }
    try await client.turn()
    #expect(await client.told.isEmpty)
    let writing = await client.on { $0.watch(AVAHI_WATCH_OUT) }
    await client.wait(for: 2)
    await client.on { $0.free(writing) }
    let count = await client.told.count
    #expect(await client.told.allSatisfy { $0 == AVAHI_WATCH_OUT.rawValue })
    client.say()
    await client.wait(for: count + 1)
    #expect(await client.told.last == AVAHI_WATCH_IN.rawValue)
    await client.on { $0.free(reading) }
  }

  @Test func whatIsAwaitedMayChange() async throws {
    let watch = await client.on { $0.watch(AVAHI_WATCH_OUT) }
    await client.wait(for: 1)
    await client.on { $0.update(watch, AvahiWatchEvent(rawValue: 0)) }
    let count = await client.told.count
    try await client.turn()
    #expect(await client.told.count == count)
    await client.on { $0.update(watch, AVAHI_WATCH_OUT) }
    await client.wait(for: count + 1)
    await client.on { $0.free(watch) }
  }

  @Test func theEndOfAConnectionIsTold() async throws {
    let watch = await client.on { $0.watch(AVAHI_WATCH_IN) }
    client.hangUp()
    await client.wait(for: 1)
    await client.on { $0.free(watch) }
  }

  @Test func whatCannotBeWatchedIsNoWatch() async throws {
    #expect(await client.on { $0.watch(AVAHI_WATCH_IN, of: -1) } == nil)
    try await client.turn()
  }

  @Test(arguments: [-1000, 0, 20])
  func aTimeThatHasComeIsToldOnce(milliseconds: Int) async throws {
    let timeout = await client.on { $0.timeout(inMilliseconds: milliseconds) }
    await client.wait(for: 1)
    // Until it is set anew, as D-Bus does again and again.
    let other = await client.on { $0.timeout(inMilliseconds: 5) }
    await client.wait(for: 2)
    await client.on { $0.set(timeout, inMilliseconds: 0) }
    await client.wait(for: 3)
    await client.on {
      $0.free(timeout: timeout)
      $0.free(timeout: other)
    }
    #expect(await client.told.count == 3)
  }

  @Test func aTimeThatIsSetAnewOrTakenBackIsNotTold() async throws {
    let (far, near) = await client.on { client in
      let timeouts = (client.timeout(inMilliseconds: 0), client.timeout(inMilliseconds: 0))
      client.set(timeouts.0, inMilliseconds: 3_600_000)
      client.set(timeouts.1, inMilliseconds: nil)
      return timeouts
    }
    let mark = await client.on { $0.timeout(inMilliseconds: 20) }
    await client.wait(for: 1)
    await client.on { client in for timeout in [far, near, mark] { client.free(timeout: timeout) } }
    #expect(await client.told.count == 1)
  }
}

/// What the client does, all of it on its queue.
private final class Client: @unchecked Sendable {
  private let loop = EventLoop()
  private let queue = DispatchQueue(label: "client")
  private let avahi: AvahiLoop
  private let (ours, theirs): (Int32, Int32)
  /// What was told: the events of watches, and 0 for each time.
  private var events: [UInt32] = []
  private let (changes, sink) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

  /// What is freed.
  struct Handle: Hashable, @unchecked Sendable {
    let pointer: OpaquePointer
  }

  init() throws {
    var pair: [Int32] = [0, 0]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0, &pair) == 0
    else {
      throw POSIXError(.EMFILE)
    }
    (ours, theirs) = (pair[0], pair[1])
    avahi = AvahiLoop(on: queue, watchedBy: loop) { Issue.record("\($0)") }
  }

  deinit {
    close(ours)
    close(theirs)
  }

  func on<Result: Sendable>(_ body: @escaping @Sendable (Client) -> Result) async -> Result {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: body(self)) }
    }
  }

  var told: [UInt32] { get async { await on(\.events) } }

  func wait(for count: Int) async {
    var changes = changes.makeAsyncIterator()
    while await told.count < count { await changes.next() }
  }

  /// Does something while the queue does nothing.
  func holdUp(
    _ body: (Client) async throws -> Void, then end: @escaping @Sendable (Client) -> Void = { _ in }
  ) async throws {
    let held = DispatchSemaphore(value: 0)
    queue.async {
      held.wait()
      end(self)
    }
    defer { held.signal() }
    try await body(self)
  }

  /// Returns once the poller has told everything that is there now.
  func turn() async throws {
    var pipe: [Int32] = [0, 0]
    guard Glibc.pipe(&pipe) == 0 else { throw POSIXError(.EMFILE) }
    defer { for end in pipe { close(end) } }
    write(pipe[1], [1], 1)
    let (turns, sink) = AsyncStream.makeStream(of: Void.self)
    let token = try loop.poller.add(pipe[0], for: .read) { _ in sink.yield() }
    var iterator = turns.makeAsyncIterator()
    for _ in 0..<3 { await iterator.next() }
    loop.poller.remove(token)
  }

  // MARK: The other end

  func say() { write(theirs, [1], 1) }

  func hangUp() { shutdown(theirs, Int32(SHUT_WR)) }

  // MARK: On the queue

  func watch(_ events: AvahiWatchEvent, reading: Bool = false, of descriptor: Int32? = nil) -> Handle? {
    let callback: AvahiWatchCallback =
      reading
      ? { watch, number, events, owner in
        var byte: UInt8 = 0
        while read(number, &byte, 1) > 0 {}
        owner.map { Client.at($0).note(events.rawValue) }
      } : { watch, _, events, owner in owner.map { Client.at($0).note(events.rawValue) } }
    let made = avahi.api.pointee.watch_new(avahi.api, descriptor ?? ours, events, callback, owner)
    return made.map(Handle.init)
  }

  func update(_ watch: Handle?, _ events: AvahiWatchEvent) {
    avahi.api.pointee.watch_update(watch?.pointer, events)
  }

  func free(_ watch: Handle?) { avahi.api.pointee.watch_free(watch?.pointer) }

  func timeout(inMilliseconds wait: Int?) -> Handle? {
    var time = Self.time(inMilliseconds: wait ?? 0)
    let callback: AvahiTimeoutCallback = { _, owner in owner.map { Client.at($0).note(0) } }
    let made =
      wait == nil
      ? avahi.api.pointee.timeout_new(avahi.api, nil, callback, owner)
      : avahi.api.pointee.timeout_new(avahi.api, &time, callback, owner)
    return made.map(Handle.init)
  }

  func set(_ timeout: Handle?, inMilliseconds wait: Int?) {
    guard let wait else { return avahi.api.pointee.timeout_update(timeout?.pointer, nil) }
    var time = Self.time(inMilliseconds: wait)
    avahi.api.pointee.timeout_update(timeout?.pointer, &time)
  }

  func free(timeout: Handle?) { avahi.api.pointee.timeout_free(timeout?.pointer) }

  private static func time(inMilliseconds wait: Int) -> timeval {
    var now = timeval()
    gettimeofday(&now, nil)
    let due = now.tv_sec * 1_000_000 + now.tv_usec + wait * 1000
    return timeval(tv_sec: due / 1_000_000, tv_usec: due % 1_000_000)
  }

  private func note(_ event: UInt32) {
    events.append(event)
    sink.yield()
  }

  private var owner: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  private static func at(_ owner: UnsafeMutableRawPointer) -> Client {
    Unmanaged<Client>.fromOpaque(owner).takeUnretainedValue()
  }
}
