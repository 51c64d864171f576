import Foundation
import PeerSync

/// Accepts connections, and lets those in whose first head can be understood in one way only.
///
/// The library behind it is lenient, and shows nobody the bytes that it reads. So each connection waits here until its head
/// is whole: see ``Guest``. Nothing here waits for a single client. The heads that follow on a connection are awaited by
/// its own thread.
struct Doorkeeper {
  private let listener: Socket
  private let watch: ConnectionWatch
  private let admit: (Int32, UInt64) -> Void
  private var guests: [Guest] = []
  /// No descriptor was left for another connection: until then none is accepted.
  private var restsUntil: UInt64 = 0

  /// - Parameters:
  ///   - watch: told of each connection, and of its end unless it was admitted
  ///   - admit: takes a connection whose head is good, with the size of its request, and closes its descriptor some time
  init(listener: Socket, watch: ConnectionWatch, admit: @escaping (Int32, UInt64) -> Void) {
    self.listener = listener
    self.watch = watch
    self.admit = admit
  }

  /// Serves until the listener is shut down, and closes the connections that it then has.
  mutating func run() {
    while waitAndServe() {}
    for guest in guests { close(guest) }
  }

  /// - Returns: whether it goes on
  private mutating func waitAndServe() -> Bool {
    let now = ConnectionWatch.now
    let isFull = restsUntil > now || watch.count >= watch.mostWithEnding
    let pauses = isFull || guests.contains { $0.rests(at: now) }
    var waits = [pollfd(fd: listener.descriptor, events: isFull ? 0 : Int16(POLLIN), revents: 0)]
    waits += guests.map { pollfd(fd: $0.descriptor, events: $0.events(at: now), revents: 0) }
    poll(&waits, nfds_t(waits.count), pauses ? Int32(Guest.pauseMilliseconds) : -1)
    guests = zip(guests, waits.dropFirst()).compactMap { serve($0, events: $1.revents) }
    if waits[0].revents == Int16(POLLIN) { accept() }
    return waits[0].revents & ~Int16(POLLIN) == 0
  }

  private mutating func accept() {
    do throws(SocketError) {
      guard let descriptor = try listener.acceptDescriptor() else { return }
      watch.began(descriptor)
      guests.append(Guest(descriptor: descriptor, watch: watch))
    } catch {
      // Some will be free in a moment.
      restsUntil = ConnectionWatch.now + Guest.pauseMilliseconds
    }
  }

  /// - Returns: the guest as it stays; nil: it is here no more
  private func serve(_ guest: Guest, events: Int16) -> Guest? {
    var guest = guest
    switch guest.serve(events) {
    case .stays: return guest
    case .admitted(let bytes): admit(guest.descriptor, bytes)
    case .gone: close(guest)
    }
    return nil
  }

  private func close(_ guest: Guest) {
    watch.ended(guest.descriptor)
    Glibc.close(guest.descriptor)
  }
}
