import PeerSync
import Testing

/// What a device announces that has made an invitation.
func invitationText(_ key: InvitationKey, port: UInt16) -> [[UInt8]] {
  var random = SeededGenerator(seed: 7)
  let nonce = [UInt8](repeating: 7, count: Announcement.nonceBytes)
  let tag = Announcement.tag(under: key, nonce: nonce, port: port, .openSSL)
  return Announcement(nonce: nonce, tags: [tag], using: &random).strings
}

/// What a member announces to another in an hour.
func announced(
  by member: DeviceKey, to other: PublicKey, in hour: AnnouncedHour, as name: String = "a",
  at host: String = "10.0.0.1"
) throws -> FoundService {
  let secret = try #require(try PairSecrets(member).secret(with: other))
  let nonce = [UInt8](repeating: 7, count: Announcement.nonceBytes)
  let tag = Announcement.tag(
    under: secret, nonce: nonce, announcer: member.publicKey, hour: hour, port: 7400, .openSSL)
  var random = SystemRandomNumberGenerator()
  return FoundService(
    place: FoundService.Place(name: name, interface: 2, family: 0), address: Address(host: host, port: 7400),
    text: Announcement(nonce: nonce, tags: [tag], using: &random).strings)
}

/// What a directory was asked.
enum Asked: Hashable {
  case connect
  case publish(name: String, port: UInt16, text: [[UInt8]])
  case withdraw
  case networkChanged
  case stop

  var name: String? { if case .publish(let name, _, _) = self { name } else { nil } }

  var announcement: Announcement? {
    if case .publish(_, _, let text) = self { Announcement(text) } else { nil }
  }

  /// Whether it announces a device to a member, in an hour.
  func isFor(
    _ member: DeviceKey, from announcer: PublicKey, _ hour: AnnouncedHour = AnnouncedHour(number: 500_000)
  ) throws -> Bool {
    guard case .publish(_, let port, let text) = self, let announcement = Announcement(text),
      let secret = try PairSecrets(member).secret(with: announcer)
    else { return false }
    return announcement.tags.contains(
      Announcement.tag(
        under: secret, nonce: announcement.nonce, announcer: announcer, hour: hour, port: port, .openSSL))
  }
}

final class Directory: ServiceDirectory {
  let asked: AsyncStream<Asked>
  private let sink: AsyncStream<Asked>.Continuation
  private let reporter = Guarded<(@Sendable (ServiceReport) -> Void)?>(nil)

  init() { (asked, sink) = AsyncStream.makeStream(of: Asked.self) }

  var discovery: LocalDiscovery {
    LocalDiscovery { [self] _, _, _, report in
      reporter.withLock { $0 = report }
      return self
    }
  }

  func report(_ report: ServiceReport) { reporter.withLock(\.self)?(report) }

  func connect() { sink.yield(.connect) }
  func publish(name: String, port: UInt16, text: [[UInt8]]) {
    sink.yield(.publish(name: name, port: port, text: text))
  }
  func withdraw() { sink.yield(.withdraw) }
  func networkChanged() { sink.yield(.networkChanged) }
  func stop() { sink.yield(.stop) }
}

/// Stands still until it is set.
final class WallClock: Sendable {
  private let wall = Guarded<Int64>(0)

  func set(to milliseconds: Int64) { wall.withLock { $0 = milliseconds } }

  func now() -> Now { Now(wall: Instant(clamping: wall.withLock(\.self)), monotonic: 0) }
}

/// A discovery on a loop of its own.
final class DiscoveryUnderTest {
  let key: PublicKey
  private let loop = EventLoop()
  private let directory = Directory()
  private let discovery: Discovery
  private let lines = Guarded<[String]>([])
  private let sightings = Guarded<[[Address]]>([])

  /// What was warned of.
  var warnings: [String] { lines.withLock(\.self) }

  /// What its wall clock shows: at first the 500,000th hour.
  let clock = WallClock()

  init(
    renewal: Int = Discovery.renewalMilliseconds, late: ClosedRange<Int> = Discovery.lateMilliseconds,
    wall: Int64 = 3_600_000 * 500_000
  ) throws {
    let key = try DeviceKey.generate()
    self.key = key.publicKey
    clock.set(to: wall)
    let (loop, directory, lines, sightings, clock) = (loop, directory, lines, sightings, clock)
    discovery = try #require(
      loop.queue.sync {
        Discovery(
          key, by: directory.discovery, port: 7400, on: nil, loop: loop,
          log: Log(level: .warning) { line in lines.withLock { $0.append(line) } }, renewal: renewal,
          late: late, now: clock.now, report: { _ in },
          sighted: { _, addresses in sightings.withLock { $0.append(addresses) } })
      })
  }

  /// Where members were sighted, one sighting after another.
  var sighted: [[Address]] { sightings.withLock(\.self) }

  /// Does something with it where it is at home.
  func on(_ body: (Discovery) -> Void) { loop.queue.sync { body(discovery) } }

  /// Has it connect, and be there for these members.
  func begin(seeking members: DeviceKey...) async {
    #expect(await next() == .connect)
    let keys = members.map(\.publicKey)
    on {
      $0.know(Set(keys))
      $0.seek(keys)
      $0.show(true)
    }
  }

  /// What the directory was asked next.
  func next() async -> Asked {
    for await asked in directory.asked { return asked }
    return .stop
  }

  /// Has ``next()`` answer with `stop` after a while.
  func mark(afterMilliseconds wait: Int) -> Delay {
    loop.queue.sync {
      Delay(milliseconds: wait, on: loop.timers) { [directory] in directory.stop() }
    }
  }

  /// What it finds for an invitation at once.
  func find(_ key: InvitationKey) async -> [Address] {
    await withCheckedContinuation { continuation in
      on { $0.find(key, withinMilliseconds: 1) { continuation.resume(returning: $0) } }
    }
  }
}
