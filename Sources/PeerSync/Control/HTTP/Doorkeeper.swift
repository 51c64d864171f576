import Foundation
import PeerSync

/// Accepts connections, and lets those in whose first head can be understood in one way only.
///
/// The library behind it is lenient, and shows nobody the bytes that it reads. So each connection waits here until its head
/// is whole. The head is looked at and left where it is: the library then reads the very bytes that were checked. Who is
/// refused gets one answer from here. Nothing here waits for a single client; how long each may take, the watch knows,
/// which ends their connections.
struct Doorkeeper {
  /// A connection that is not let in yet, or never will be.
  private struct Guest {
    let descriptor: Int32
    /// Nil once it was refused: then what comes is thrown away, until the other side has ended or was given time to read
    /// the answer. Closed with something unread, the connection would be reset, and the answer might be lost.
    var check: HTTPHeadCheck? = HTTPHeadCheck()
    /// The system has told of bytes that were seen before: until then it is not asked about them.
    var restsUntil: UInt64 = 0
  }

  private let listener: Socket
  private let watch: ConnectionWatch
  private let admit: (Int32) -> Void
  private var guests: [Guest] = []
  private var buffer = [UInt8](repeating: 0, count: HTTPHeadCheck.mostBytes)
  /// No descriptor was left for another connection: until then none is accepted.
  private var restsUntil: UInt64 = 0

  /// How long it waits before it asks again for what it could not have, in milliseconds.
  private static let pauseMilliseconds: UInt64 = 20
  /// How much is thrown away at once, in bytes: more than the system keeps for a connection.
  private static let mostThrownAway = 8 * 1024 * 1024
  /// Of poll(2): the other side has ended. The macro is not imported.
  private static let pollEnd: Int16 = 0x2000

  /// - Parameters:
  ///   - watch: told of each connection, and of its end unless it was admitted
  ///   - admit: takes a connection whose head is good, and closes its descriptor some time
  init(listener: Socket, watch: ConnectionWatch, admit: @escaping (Int32) -> Void) {
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
    let pauses = isFull || guests.contains { $0.restsUntil > now }
    var waits = [pollfd(fd: listener.descriptor, events: isFull ? 0 : Int16(POLLIN), revents: 0)]
    waits += guests.map { pollfd(fd: $0.descriptor, events: Self.events(for: $0, at: now), revents: 0) }
    poll(&waits, nfds_t(waits.count), pauses ? Int32(Self.pauseMilliseconds) : -1)
    guests = zip(guests, waits.dropFirst()).compactMap { serve($0, events: $1.revents) }
    if waits[0].revents == Int16(POLLIN) { accept() }
    return waits[0].revents & ~Int16(POLLIN) == 0
  }

  private static func events(for guest: Guest, at now: UInt64) -> Int16 {
    guard guest.restsUntil <= now else { return 0 }
    return Int16(POLLIN) | pollEnd | (guest.check == nil ? 0 : Int16(POLLPRI))
  }

  private mutating func accept() {
    do throws(SocketError) {
      guard let descriptor = try listener.acceptDescriptor() else { return }
      watch.began(descriptor)
      guests.append(Guest(descriptor: descriptor))
    } catch {
      // Some will be free in a moment.
      restsUntil = ConnectionWatch.now + Self.pauseMilliseconds
    }
  }

  /// - Returns: the guest as it stays; nil: it is here no more
  private mutating func serve(_ guest: Guest, events: Int16) -> Guest? {
    var guest = guest
    guard events != 0 else { return guest }
    guard events & Int16(POLLPRI) == 0 else {
      // Some readers take it for a part of the head, and others do not.
      let detail = Phrase("there is urgent data in the head", "헤더에 긴급 데이터가 있습니다")
      return refuse(guest, Problem(.malformedRequest, detail), isHead: false)
    }
    let seen = guest.check?.seen ?? 0
    switch read(guest) {
    case .ended: return close(guest)
    case .bytes where guest.check == nil, .wouldBlock where guest.check == nil:
      return events & ~(Int16(POLLIN) | Self.pollEnd) == 0 ? guest : close(guest)
    case .wouldBlock: return guest
    case .bytes(let count):
      switch guest.check?.look(at: buffer[..<count]) {
      case .good, nil:
        Socket.wake(guest.descriptor, from: 1)
        admit(guest.descriptor)
        return nil
      case .refused(let problem):
        return refuse(guest, problem, isHead: buffer[..<count].starts(with: Array("HEAD ".utf8)))
      case .incomplete:
        // Nothing follows, or nobody is awaited any more.
        guard events & ~Int16(POLLIN) == 0 else { return close(guest) }
        // Short of memory, the system does not wait for as much.
        if count == seen { guest.restsUntil = ConnectionWatch.now + Self.pauseMilliseconds }
        Socket.wake(guest.descriptor, from: count + 1)
        return guest
      }
    }
  }

  private mutating func read(_ guest: Guest) -> Socket.Transfer {
    guard guest.check != nil else {
      return Socket.transfer { recv(guest.descriptor, nil, Self.mostThrownAway, Int32(MSG_TRUNC)) }
    }
    return buffer.withUnsafeMutableBytes { bytes in
      Socket.transfer { recv(guest.descriptor, bytes.baseAddress, bytes.count, Int32(MSG_PEEK)) }
    }
  }

  private func refuse(_ guest: Guest, _ problem: Problem, isHead: Bool) -> Guest? {
    let answer = problem.response.refusal(withBody: !isHead)
    let sent = answer.withUnsafeBytes { bytes in
      Socket.transfer { send(guest.descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) }
    }
    // Nothing was sent before, so that there is room for all of it.
    guard sent == .bytes(answer.count) else { return close(guest) }
    shutdown(guest.descriptor, Int32(SHUT_WR))
    Socket.wake(guest.descriptor, from: 1)
    watch.refused(guest.descriptor)
    return Guest(descriptor: guest.descriptor, check: nil)
  }

  @discardableResult
  private func close(_ guest: Guest) -> Guest? {
    watch.ended(guest.descriptor)
    Glibc.close(guest.descriptor)
    return nil
  }
}
