import PeerSync
import Testing

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
