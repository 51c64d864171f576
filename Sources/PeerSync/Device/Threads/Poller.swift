import CEpoll
import Dispatch
import Glibc

/// Tells owners of descriptors, on its queue, when these can be read or written.
///
/// Dispatch on Linux frees its note of a descriptor while an event of it may be on its way. So Dispatch is given one
/// descriptor alone, that of an epoll set, and keeps it for as long as the process lives; what comes and goes, comes and
/// goes in that set. A poller is never freed: who is done with one gives it back for the next.
///
/// Owners are told by tokens that are never used again. What the system had to say of a descriptor that has been closed
/// since, and whose number another has by now, reaches nobody.
package final class Poller: Sendable {
  /// What an owner waits for.
  package struct Interest: OptionSet, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// There are bytes, or a connection, or the end.
    package static let read = Interest(rawValue: EPOLLIN.rawValue)
    /// There is room for bytes, or the end.
    package static let write = Interest(rawValue: EPOLLOUT.rawValue)
  }

  private struct State {
    /// The epoll set and what watches it, from the first descriptor on.
    var set: (descriptor: Int32, source: any DispatchSourceRead)?
    var lastToken: UInt64 = 0
    var owners: [UInt64: Owner] = [:]
  }

  private struct Owner {
    let descriptor: Int32
    var interest: Interest
    let handler: (Interest) -> Void
  }

  /// Where owners are told.
  package let queue = DispatchQueue(label: "peersync")
  // Entered on the queue, and by what goes away elsewhere.
  private let state = Guarded(State())

  /// Owners told per wake-up, so that a crowd of descriptors leaves the queue time for everything else.
  package static let eventsPerWakeUp = 32

  /// Those that nobody uses.
  private static let free = Guarded<[Poller]>([])

  private init() {}

  /// One that nobody else uses.
  static func take() -> Poller { free.withLock { $0.popLast() } ?? Poller() }

  /// Nobody uses it any more.
  static func giveBack(_ poller: Poller) { free.withLock { $0.append(poller) } }

  /// Begins to watch a descriptor, which has to stay open until ``remove(_:)``.
  ///
  /// - Parameters:
  ///   - interest: what to wait for; nothing for now, if it is empty
  ///   - handler: called on the queue with what there is of that, for as long as it is there. A broken connection is all of it.
  /// - Returns: the token that names the owner
  package func add(
    _ descriptor: Int32, for interest: Interest, _ handler: @escaping (Interest) -> Void
  ) throws(SocketError) -> UInt64 {
    try open()
    let token = state.withLock { state in
      state.lastToken += 1
      state.owners[state.lastToken] = Owner(descriptor: descriptor, interest: [], handler: handler)
      return state.lastToken
    }
    do throws(SocketError) { try change(token, to: interest) } catch {
      remove(token)
      throw error
    }
    return token
  }

  /// Waits for something else from now on.
  ///
  /// A descriptor for which nothing is awaited is taken out of the set: the system tells of broken connections in any case,
  /// and would again and again.
  package func change(_ token: UInt64, to interest: Interest) throws(SocketError) {
    let number = state.withLock { state -> Int32 in
      guard let set = state.set, let owner = state.owners[token], owner.interest != interest else { return 0 }
      guard Self.control(set.descriptor, owner, token, interest) == 0 else { return errno }
      state.owners[token]?.interest = interest
      return 0
    }
    if number != 0 { throw SocketError(watching: number) }
  }

  /// Tells the owner nothing any more, not even what the system has told already.
  package func remove(_ token: UInt64) {
    let removed = state.withLock { state -> Owner? in
      guard let set = state.set, let owner = state.owners.removeValue(forKey: token) else { return nil }
      if !owner.interest.isEmpty { _ = Self.control(set.descriptor, owner, token, []) }
      return owner
    }
    // What its handler holds goes away outside of the lock.
    withExtendedLifetime(removed) {}
  }

  /// Puts a descriptor into the set, changes what is awaited of it, or takes it out.
  private static func control(_ set: Int32, _ owner: Owner, _ token: UInt64, _ interest: Interest) -> Int32 {
    let isIn = !owner.interest.isEmpty
    let change = interest.isEmpty ? EPOLL_CTL_DEL : isIn ? EPOLL_CTL_MOD : EPOLL_CTL_ADD
    var event = epoll_event(events: interest.rawValue, data: epoll_data_t(u64: token))
    return epoll_ctl(set, change, owner.descriptor, &event)
  }

  private func open() throws(SocketError) {
    let number = state.withLock { state -> Int32 in
      guard state.set == nil else { return 0 }
      let descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
      guard descriptor >= 0 else { return errno }
      // The only one there is, and never cancelled.
      let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
      source.setEventHandler { self.tell(of: descriptor) }
      source.activate()
      state.set = (descriptor, source)
      return 0
    }
    if number != 0 { throw SocketError(watching: number) }
  }

  private func tell(of set: Int32) {
    withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: Self.eventsPerWakeUp) { events in
      // An interrupted call is made up for: what is ready stays so.
      let count = epoll_wait(set, events.baseAddress, Int32(events.count), 0)
      for event in events.prefix(Int(max(count, 0))) { tell(event) }
    }
  }

  /// Looks the owner up for each event: what was told before may have ended it.
  private func tell(_ event: epoll_event) {
    guard let owner = state.withLock({ $0.owners[event.data.u64] }) else { return }
    let isBroken = event.events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0
    let ready = isBroken ? owner.interest : owner.interest.intersection(Interest(rawValue: event.events))
    if !ready.isEmpty { owner.handler(ready) }
  }
}

extension SocketError {
  /// Why the system does not watch a descriptor.
  fileprivate init(watching number: Int32) {
    switch number {
    case EMFILE, ENFILE: self = .noDescriptors
    case ENOSPC: self = .noWatches
    default: self = .system(number)
    }
  }
}
