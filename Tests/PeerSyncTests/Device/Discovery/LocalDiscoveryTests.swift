import Foundation
import PeerSync
import PeerSyncAvahi
import Testing

/// How a device finds others on the local network, with a directory that does what the tests say.
@Suite(.noHang) struct LocalDiscoveryTests {
  @Test func whoIsNotThereAnnouncesNothing() async throws {
    let discovery = try DiscoveryUnderTest()
    #expect(await discovery.next() == .connect)
    discovery.on { $0.show(true) }
    #expect(await discovery.next().name != nil)
    discovery.on {
      $0.show(true)
      $0.show(false)
    }
    #expect(await discovery.next() == .withdraw)
    discovery.on { $0.show(true) }
    #expect(await discovery.next().name != nil)
  }

  /// That of a member that was found may stay for a while.
  @Test func theTagOfARemovedDeviceGoesAtOnce() async throws {
    let (left, removed) = (try DeviceKey.generate(), try DeviceKey.generate())
    let discovery = try DiscoveryUnderTest()
    #expect(await discovery.next() == .connect)
    discovery.on {
      $0.know([left.publicKey, removed.publicKey])
      $0.seek([left.publicKey, removed.publicKey])
      $0.show(true)
    }
    let before = await discovery.next()
    #expect(try before.isFor(left, from: discovery.key) && before.isFor(removed, from: discovery.key))
    discovery.on {
      $0.know([left.publicKey])
      $0.seek([left.publicKey])
    }
    // The times of one loop come in their order, however busy the machine is.
    let mark = discovery.mark(afterMilliseconds: 4_000)
    let after = await discovery.next()
    withExtendedLifetime(mark) {}
    #expect(try after.isFor(left, from: discovery.key) && !after.isFor(removed, from: discovery.key))
  }

  /// From day to day nothing that is announced is the same, though the same members are sought: the name, the nonce and every tag.
  @Test func eachDayHasAnotherNameAndOtherTags() async throws {
    #expect(Discovery.renewalMilliseconds == 24 * 60 * 60 * 1000)
    let member = try DeviceKey.generate()
    let discovery = try DiscoveryUnderTest(renewal: 100)
    #expect(await discovery.next() == .connect)
    discovery.on {
      $0.know([member.publicKey])
      $0.seek([member.publicKey])
      $0.show(true)
    }
    var (names, nonces, tags) = (Set<String>(), Set<[UInt8]>(), Set<[UInt8]>())
    for day in 1...3 {
      // What was put off for the newly sought goes out as well, under the name of the day.
      var asked = await discovery.next()
      while let name = asked.name, names.contains(name) { asked = await discovery.next() }
      #expect(try asked.isFor(member, from: discovery.key), "day \(day)")
      let announcement = try #require(asked.announcement)
      names.insert(try #require(asked.name))
      nonces.insert(announcement.nonce)
      tags.formUnion(announcement.tags)
      #expect(names.count == day && nonces.count == day && tags.count == day * Announcement.steps[0])
    }
  }

  /// Also where two names say it, one of them somebody else's.
  @Test func whereAMemberIsSightedGoesWithItsAnnouncement() async throws {
    let member = try DeviceKey.generate()
    let discovery = try DiscoveryUnderTest()
    let secret = try #require(try PairSecrets(member).secret(with: discovery.key))
    let nonce = [UInt8](repeating: 7, count: Announcement.nonceBytes)
    let tag = Announcement.tag(
      under: secret, nonce: nonce, announcer: member.publicKey, port: 7400, .openSSL)
    var random = SystemRandomNumberGenerator()
    let text = Announcement(nonce: nonce, tags: [tag], using: &random).strings
    let places = ["a", "b"].map { FoundService.Place(name: $0, interface: 2, family: 0) }
    let addresses = ["10.0.0.1", "203.0.113.5"].map { Address(host: $0, port: 7400) }
    discovery.on {
      $0.know([member.publicKey])
      for (place, address) in zip(places, addresses) {
        $0.take(.found(FoundService(place: place, address: address, text: text)))
      }
      $0.take(.lost(places[1]))
      $0.take(.failed("gone"))
    }
    #expect(discovery.sighted == [[addresses[0]], [addresses[1]], [], [addresses[0]], []])
  }

  /// Nothing else is the matter: there is no warning, and what was found stays.
  @Test func aNameThatIsTakenIsReplacedAtOnce() async throws {
    let discovery = try DiscoveryUnderTest()
    let key = InvitationKey(words: (1, 2, 3, 4))
    #expect(await discovery.next() == .connect)
    discovery.on { $0.show(true) }
    let first = try #require(await discovery.next().name)
    let place = FoundService.Place(name: "other", interface: 1, family: 0)
    let address = Address(host: "10.0.0.1", port: 7400)
    discovery.on {
      $0.take(.found(FoundService(place: place, address: address, text: invitationText(key, port: 7400))))
      $0.take(.taken(first))
      // It is told twice: that of now is not meant.
      $0.take(.taken(first))
    }
    let mark = discovery.mark(afterMilliseconds: 1)
    let second = try #require(await discovery.next().name)
    #expect(await discovery.next() == .stop)
    withExtendedLifetime(mark) {}
    #expect(second != first && discovery.warnings.isEmpty)
    #expect(await discovery.find(key) == [address])
  }

  /// Somebody may claim every name: that is said, and not gone along with for ever.
  @Test func namesThatAreAllTakenAreAFailure() async throws {
    let discovery = try DiscoveryUnderTest()
    #expect(await discovery.next() == .connect)
    discovery.on { $0.show(true) }
    for _ in 0..<8 {
      let name = try #require(await discovery.next().name)
      #expect(discovery.warnings.isEmpty)
      discovery.on { $0.take(.taken(name)) }
    }
    let last = try #require(await discovery.next().name)
    discovery.on { $0.take(.taken(last)) }
    let mark = discovery.mark(afterMilliseconds: 1_000)
    #expect(await discovery.next() == .stop)
    withExtendedLifetime(mark) {}
    #expect(discovery.warnings.count == 1 && discovery.warnings[0].contains("claims every name"))
  }

  @Test func whoeverRepeatsAnAnnouncementDoesNotHideIt() async throws {
    let discovery = try DiscoveryUnderTest()
    let key = InvitationKey(words: (1, 2, 3, 4))
    let text = invitationText(key, port: 7400)
    for number in 1...3 {
      let addresses = (1...2).map { Address(host: "10.0.\(number).\($0)", port: 7400) }
      for (index, address) in addresses.enumerated() {
        let place = FoundService.Place(name: "\(number)", interface: Int32(index), family: 0)
        discovery.on { $0.take(.found(FoundService(place: place, address: address, text: text))) }
      }
    }
    let hosts = await discovery.find(key).map(\.host)
    #expect(Set(hosts.prefix(3)) == ["10.0.1.1", "10.0.2.1", "10.0.3.1"], "\(hosts)")
    #expect(Set(hosts.dropFirst(3)) == ["10.0.1.2", "10.0.2.2", "10.0.3.2"], "\(hosts)")
    #expect(await discovery.find(InvitationKey(words: (4, 3, 2, 1))).isEmpty)
  }

  /// One that is not there now may be there later.
  @Test func anInterfaceThatIsMissingIsAFailure() async throws {
    let (reports, reporter) = AsyncStream.makeStream(of: ServiceReport.self)
    let service = try #require(
      LocalDiscovery.avahi.directory("_peersync._tcp", "no-such-0") { reporter.yield($0) })
    service.connect()
    for await case .failed(let reason) in reports {
      #expect(reason.contains("no-such-0"))
      break
    }
    service.stop()
  }
}

/// Daemons that look for each other in a directory of the tests.
@Suite(.noHang) struct SearchTests {
  private let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private func daemon(_ name: String, by discovery: LocalDiscovery? = nil) throws -> Daemon {
    let path = home.path + "/" + name
    try Daemon.create(directory: path, name: name, environment: .sandbox, bundleId: "com.example.owls")
    return try Daemon(
      configuration: .init(
        directory: path, listen: Address(host: "127.0.0.1", port: 0), discovery: discovery,
        log: Log(level: .error) { _ in }))
  }

  /// Of all that announce the same invitation one has made it; nobody is at the addresses of the others.
  @Test func aCodeIsTriedWhereverItIsAnnounced() async throws {
    let (phone, directory) = (try daemon("phone"), Directory())
    let tablet = try daemon("tablet", by: directory.discovery)
    let address = try #require(await phone.start())
    _ = try await tablet.start()
    let invitation = try await phone.invite()
    let code = try #require(InvitationCode(invitation.code))
    let text = invitationText(try await InvitationKey.stretched(from: code), port: address.port)
    for number in 1...Limits.deviceAddresses {
      let place = FoundService.Place(name: "\(number)", interface: 1, family: 0)
      let one = Address(host: "127.0.0.\(number)", port: address.port)
      directory.report(.found(FoundService(place: place, address: one, text: text)))
    }
    _ = try await tablet.join(invitation.code)
    #expect(try await tablet.devices().devices.count == 2)
    for daemon in [phone, tablet] { await daemon.stop() }
  }

  @Test func whoIsOfflineIsNotAnnounced() async throws {
    let directory = Directory()
    let daemon = try daemon("tablet", by: directory.discovery)
    _ = try await daemon.start()
    for await asked in directory.asked where asked.name != nil { break }
    _ = try await daemon.setOnline(false)
    for await asked in directory.asked where asked == .withdraw { break }
    _ = try await daemon.setOnline(true)
    for await asked in directory.asked where asked.name != nil { break }
    await daemon.stop()
    for await asked in directory.asked where asked == .stop { break }
  }

  /// Whoever waits for a device hears that its own has stopped, not that there is none.
  @Test func aSearchEndsWithTheDaemon() async throws {
    let daemon = try daemon("tablet", by: Directory().discovery)
    _ = try await daemon.start()
    let joining = Task { try await daemon.join("ABCD-EFGH-JKMN") }
    await daemon.stop()
    await #expect(throws: DaemonError.stopped) { try await joining.value }
  }
}

/// What a device announces that has made an invitation.
private func invitationText(_ key: InvitationKey, port: UInt16) -> [[UInt8]] {
  var random = SeededGenerator(seed: 7)
  let nonce = [UInt8](repeating: 7, count: Announcement.nonceBytes)
  let tag = Announcement.tag(under: key, nonce: nonce, port: port, .openSSL)
  return Announcement(nonce: nonce, tags: [tag], using: &random).strings
}

/// What a directory was asked.
private enum Asked: Hashable {
  case connect
  case publish(name: String, port: UInt16, text: [[UInt8]])
  case withdraw
  case networkChanged
  case stop

  var name: String? { if case .publish(let name, _, _) = self { name } else { nil } }

  var announcement: Announcement? {
    if case .publish(_, _, let text) = self { Announcement(text) } else { nil }
  }

  /// Whether it announces a device to a member.
  func isFor(_ member: DeviceKey, from announcer: PublicKey) throws -> Bool {
    guard case .publish(_, let port, let text) = self, let announcement = Announcement(text),
      let secret = try PairSecrets(member).secret(with: announcer)
    else { return false }
    return announcement.tags.contains(
      Announcement.tag(
        under: secret, nonce: announcement.nonce, announcer: announcer, port: port, .openSSL))
  }
}

private final class Directory: ServiceDirectory {
  let asked: AsyncStream<Asked>
  private let sink: AsyncStream<Asked>.Continuation
  private let reporter = Guarded<(@Sendable (ServiceReport) -> Void)?>(nil)

  init() { (asked, sink) = AsyncStream.makeStream(of: Asked.self) }

  var discovery: LocalDiscovery {
    LocalDiscovery { [self] _, _, report in
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

/// A discovery on a loop of its own.
private final class DiscoveryUnderTest {
  let key: PublicKey
  private let loop = EventLoop()
  private let directory = Directory()
  private let discovery: Discovery
  private let lines = Guarded<[String]>([])
  private let sightings = Guarded<[[Address]]>([])

  /// What was warned of.
  var warnings: [String] { lines.withLock(\.self) }

  init(renewal: Int = Discovery.renewalMilliseconds) throws {
    let key = try DeviceKey.generate()
    self.key = key.publicKey
    let (loop, directory, lines, sightings) = (loop, directory, lines, sightings)
    discovery = try #require(
      loop.queue.sync {
        Discovery(
          key, by: directory.discovery, port: 7400, on: nil, timers: loop.timers,
          log: Log(level: .warning) { line in lines.withLock { $0.append(line) } }, renewal: renewal,
          report: { _ in }, sighted: { _, addresses in sightings.withLock { $0.append(addresses) } })
      })
  }

  /// Where members were sighted, one sighting after another.
  var sighted: [[Address]] { sightings.withLock(\.self) }

  /// Does something with it where it is at home.
  func on(_ body: (Discovery) -> Void) { loop.queue.sync { body(discovery) } }

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
