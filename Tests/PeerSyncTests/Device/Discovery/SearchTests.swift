import PeerSync
import Testing

/// Daemons that look for each other in a directory of the tests.
@Suite(.noHang) struct SearchTests {
  private let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private func daemon(
    _ name: String, by discovery: LocalDiscovery? = nil, on host: String = "127.0.0.1"
  ) throws -> Daemon {
    let path = home.path + "/" + name
    try Daemon.create(directory: path, name: name, environment: .sandbox, bundleId: "com.example.owls")
    return try Daemon(
      configuration: .init(
        directory: path, listen: Address(host: host, port: 0), discovery: discovery,
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

  /// Others that announce the same invitation answer, and have not made it.
  @Test func aCodeIsTriedPastFakes() async throws {
    let directory = Directory()
    let (phone, fake) = (try daemon("phone"), try daemon("fake", on: "0.0.0.0"))
    let tablet = try daemon("tablet", by: directory.discovery)
    let address = try #require(await phone.start())
    let other = try #require(await fake.start())
    _ = try await tablet.start()
    let invitation = try await phone.invite()
    _ = try await fake.invite()
    let code = try #require(InvitationCode(invitation.code))
    let key = try await InvitationKey.stretched(from: code)
    let fakes = (2...41).map { Address(host: "127.0.0.\($0)", port: other.port) }
    for (number, one) in ([address] + fakes).enumerated() {
      let place = FoundService.Place(name: "\(number)", interface: 1, family: 0)
      let text = invitationText(key, port: one.port)
      directory.report(.found(FoundService(place: place, address: one, text: text)))
    }
    _ = try await tablet.join(invitation.code)
    #expect(try await tablet.devices().devices.map(\.name).sorted() == ["phone", "tablet"])
    for daemon in [phone, fake, tablet] { await daemon.stop() }
  }

  /// What those say who have not shown that they know the code is not passed on.
  @Test func whoFindsFakesAloneIsToldSo() async throws {
    let directory = Directory()
    let fake = try daemon("fake", on: "0.0.0.0")
    let tablet = try daemon("tablet", by: directory.discovery)
    let other = try #require(await fake.start())
    _ = try await tablet.start()
    _ = try await fake.invite()
    let code = try #require(InvitationCode("ABCD-EFGH-JKMN"))
    let text = invitationText(try await InvitationKey.stretched(from: code), port: other.port)
    for number in 2...4 {
      let place = FoundService.Place(name: "\(number)", interface: 1, family: 0)
      let one = Address(host: "127.0.0.\(number)", port: other.port)
      directory.report(.found(FoundService(place: place, address: one, text: text)))
    }
    let start = ContinuousClock.now
    let problem = await #expect(throws: Problem.self) { try await tablet.join("ABCD-EFGH-JKMN") }
    // With no new address the rest of the time is not waited for.
    #expect(ContinuousClock.now - start < .milliseconds(Limits.joinSearchMilliseconds))
    #expect(problem?.code == .unreachable)
    #expect(
      problem?.detail.contains("announced at 3 addresses, and nobody there") == true, "\(problem as Any)")
    for daemon in [fake, tablet] { await daemon.stop() }
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
