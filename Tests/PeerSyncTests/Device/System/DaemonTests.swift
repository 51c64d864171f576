import Foundation
import PeerSync
import Testing

@Suite(.noHang, .ownThread) struct DaemonTests {
  private let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private static let anyPort = Address(host: "127.0.0.1", port: 0)
  private static let quiet = Log(level: .error) { _ in }

  /// A daemon on a device of its own, made when it is new.
  private func daemon(_ name: String, listen: Address? = anyPort, peers: [Address] = []) throws -> Daemon {
    try Daemon(
      configuration: .init(directory: try device(name), listen: listen, peers: peers, log: Self.quiet))
  }

  /// The directory of a device, made when it is new.
  private func device(_ name: String) throws -> String {
    let path = home.path + "/" + name
    if !FileManager.default.fileExists(atPath: path) {
      try Daemon.create(directory: path, name: name, environment: .sandbox, bundleId: "com.example.owls")
    }
    return path
  }

  private static func write(_ name: String, _ value: [UInt8] = [1]) -> Request {
    .write([LocalWrite(key: RegisterKey.value(key: name).encoded, value: value)])
  }

  private func value(_ name: String, on daemon: Daemon) async throws -> [UInt8]? {
    try await daemon.read { engine, _ in engine.replica.register(RegisterKey.value(key: name).encoded)?.value
    }
  }

  @Test func whatWasAnsweredSurvivesARestart() async throws {
    let first = try daemon("phone")
    _ = try await first.start()
    #expect(try await first.perform(Self.write("a", [4, 2])) == .done(changed: 1))
    await first.stop()
    let second = try daemon("phone")
    #expect(try await value("a", on: second) == [4, 2])
    await second.stop()
  }

  @Test func aSecondDaemonIsRefused() async throws {
    let first = try daemon("phone")
    #expect(throws: StorageError.inUse(directory: first.directory.path, pid: getpid())) {
      try daemon("phone")
    }
    await first.stop()
    _ = try daemon("phone")
  }

  @Test func aNameIsNothingToListenOn() async throws {
    let name = Address(host: "phone.example", port: 7400)
    let daemon = try daemon("phone", listen: name)
    await #expect(throws: SocketError.notNumeric(name)) { try await daemon.start() }
    await daemon.stop()
  }

  @Test func theControlFileGoesWithTheDaemon() async throws {
    let daemon = try daemon("phone")
    _ = try await daemon.start()
    try await daemon.publish(url: "http://127.0.0.1:1", token: "secret")
    #expect(try daemon.directory.readControlFile().pid == getpid())
    await daemon.stop()
    #expect(throws: StorageError.notRunning(directory: daemon.directory.path)) {
      try daemon.directory.readControlFile()
    }
  }

  /// Requests that wait together become one transaction.
  @Test func manyWritersShareCommits() async throws {
    let daemon = try daemon("phone", listen: nil)
    _ = try await daemon.start()
    _ = try await daemon.perform(Self.write("first"))
    let before = try #require(await daemon.storageStatistics).commits
    try await withThrowingTaskGroup(of: Answer.self) { group in
      for number in 0..<64 { group.addTask { try await daemon.perform(Self.write("writer \(number)")) } }
      for try await answer in group { #expect(answer == .done(changed: 1)) }
    }
    let commits = try #require(await daemon.storageStatistics).commits - before
    #expect(commits < 32, "\(commits) commits")
    await daemon.stop()
  }

  /// A request that depends on what is known sees all that was asked before, in the same transaction or not.
  @Test func requestsSeeEachOther() async throws {
    let daemon = try daemon("phone", listen: nil)
    _ = try await daemon.start()
    _ = try await daemon.perform(.addProducts([Fixtures.owl], version: 1))
    let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
      for number in UInt64(1)...64 {
        group.addTask { try await daemon.perform(.purchase(PurchaseOrder(Fixtures.owl.id), id: number)) }
      }
      return try await group.reduce(into: Set<Answer>()) { $0.insert($1) }
    }
    #expect(answers.count == 1)
    #expect(try await daemon.transactions().transactions.count == 1)
    await daemon.stop()
  }

  @Test func watchersSeeChanges() async throws {
    let daemon = try daemon("phone", listen: nil)
    _ = try await daemon.start()
    var revisions = await daemon.revisions().makeAsyncIterator()
    let first = try #require(await revisions.next())
    _ = try await daemon.perform(Self.write("a"))
    let second = try #require(await revisions.next())
    #expect(second > first)
    await daemon.stop()
    #expect(await revisions.next() == nil)
  }

  @Test func aStoppedDaemonRefuses() async throws {
    let daemon = try daemon("phone", listen: nil)
    await #expect(throws: DaemonError.stopped) { try await daemon.perform(Self.write("early")) }
    _ = try await daemon.start()
    await daemon.stop()
    await daemon.stop()
    #expect(await daemon.failure() == nil)
    await #expect(throws: DaemonError.stopped) { try await daemon.perform(Self.write("late")) }
  }

  /// However the turns of its queue fall: tasks that prefer a task executor give it back at every `await`.
  @Test(arguments: 0..<20) func whoeverAsksWhileItStopsIsAnswered(round: Int) async throws {
    let daemon = try daemon("phone", listen: nil)
    _ = try await daemon.start()
    await withTaskExecutorPreference(SerialTaskExecutor(label: "clients")) {
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<8 {
          group.addTask { _ = try? await daemon.perform(Self.write("\(number)")) }
          group.addTask { #expect(await daemon.failure() == nil) }
          if number == round % 8 { group.addTask { await daemon.stop() } }
        }
      }
    }
  }

  /// Neither waits for connections that end as it begins to wait for them.
  @Test(arguments: 0..<20) func connectedDaemonsStopTogether(round: Int) async throws {
    let (phone, tablet) = (try daemon("phone"), try daemon("tablet"))
    let address = try #require(await phone.start())
    _ = try await tablet.start()
    try await invite(phone)
    #expect(try await tablet.perform(.join(address, Self.secret)) == .done(changed: 1))
    await withTaskExecutorPreference(SerialTaskExecutor(label: "commands")) {
      async let first: Void = phone.stop()
      async let second: Void = tablet.stop()
      _ = await (first, second)
    }
  }

  /// A store that does not answer keeps no daemon alive.
  @Test func whoListensToAStoreIsLetGoOf() async throws {
    let silent = try Socket.listening(on: Self.anyPort)
    let url = "http://\(try #require(silent.localAddress))"
    let store = StoreClient(server: try #require(LocalServer(url)), account: "me")
    weak var gone: Daemon?
    do {
      var configuration = Daemon.Configuration(directory: try device("phone"), log: Self.quiet)
      configuration.store = store
      let daemon = try Daemon(configuration: configuration)
      gone = daemon
      _ = try await daemon.start()
      await onThread {
        var asked = pollfd(fd: silent.descriptor, events: Int16(POLLIN), revents: 0)
        poll(&asked, 1, -1)
      }
    }
    // Its queue may still have it for a moment.
    while gone != nil { await Task.yield() }
  }

  /// The invitation and how often it was tried outlast a restart, and so does that it was used.
  @Test func theInvitationOutlastsARestart() async throws {
    let (phone, tablet) = (try daemon("phone"), try daemon("tablet"))
    let address = try #require(await phone.start())
    _ = try await tablet.start()
    try await invite(phone)
    let wrong = InvitationKey(words: (4, 3, 2, 1))
    for _ in 0..<2 {
      #expect(
        try await tablet.perform(.join(address, wrong)) == .refused(.notAdmitted(.wrongCode)))
    }
    await phone.stop()
    let again = try daemon("phone")
    let other = try #require(await again.start())
    let kept = try await again.read { engine, _ in engine.invitation }
    #expect(kept?.key == Self.secret && kept?.triesLeft == Limits.invitationTries - 2)
    #expect(try await tablet.perform(.join(other, Self.secret)) == .done(changed: 1))
    await again.stop()
    let used = try daemon("phone")
    let last = try #require(await used.start())
    #expect(try await used.read { engine, _ in engine.invitation } == nil)
    let mac = try daemon("mac")
    _ = try await mac.start()
    #expect(try await mac.perform(.join(last, Self.secret)) == .refused(.notAdmitted(.noInvitation)))
    for daemon in [used, tablet, mac] { await daemon.stop() }
  }

  @Test func twoDevicesPairAndShareWrites() async throws {
    let phone = try daemon("phone")
    let tablet = try daemon("tablet")
    let address = try #require(await phone.start())
    _ = try await tablet.start()
    _ = try await phone.perform(Self.write("from phone"))
    try await invite(phone)
    #expect(try await tablet.perform(.join(address, Self.secret)) == .done(changed: 1))
    _ = try await tablet.perform(Self.write("from tablet"))
    try await waitUntil(phone) { try await value("from tablet", on: phone) != nil }
    try await waitUntil(tablet) { try await value("from phone", on: tablet) != nil }
    await phone.stop()
    await tablet.stop()
  }

  /// What is shown before a removal is of the device that would be removed.
  @Test func aRemovedNamesakeHidesNoMember() async throws {
    let phone = try daemon("phone")
    let address = try #require(await phone.start())
    for path in ["old", "new"].map({ home.path + "/" + $0 }) {
      try Daemon.create(directory: path, name: "tablet", environment: .sandbox, bundleId: "com.example.owls")
      let tablet = try Daemon(configuration: .init(directory: path, log: Self.quiet))
      _ = try await tablet.start()
      try await invite(phone)
      #expect(try await tablet.perform(.join(address, Self.secret)) == .done(changed: 1))
      await tablet.stop()
      _ = try await phone.takenBack(of: "tablet", .nothing)
      _ = try await phone.remove("tablet")
    }
    await #expect(throws: Problem.self) { try await phone.takenBack(of: "tablet", .nothing) }
    await phone.stop()
  }

  private static let secret = InvitationKey(words: (1, 2, 3, 4))

  /// Opens an invitation; whoever joins has the key already, and need not stretch a code.
  private func invite(_ daemon: Daemon) async throws {
    let expires = SystemClock().now().wall.advanced(byMilliseconds: 60_000)
    _ = try await daemon.perform(.invite(Invitation(key: Self.secret, expires: expires)))
  }

  private func waitUntil(_ daemon: Daemon, _ condition: () async throws -> Bool) async throws {
    for await _ in await daemon.revisions() where try await condition() { return }
    Issue.record("the daemon ended")
  }

  /// The key of a member of the group of a device that does not run.
  private func memberKey(of name: String) throws -> DeviceKey {
    try unite(try device(name), try device("member"))
    return try DeviceKey.load(DataDirectory(home.path + "/member").deviceKey)
  }

  private static let membersHello = Hello(
    versions: ProtocolVersion.supported, replica: ReplicaID(high: 1, low: 1), bootID: 1,
    environment: .sandbox,
    bundleId: "com.example.owls", name: "Member", listening: nil)

  @Test func garbageHarmsNobody() async throws {
    let key = try memberKey(of: "phone")
    let daemon = try daemon("phone")
    let address = try #require(await daemon.start())
    let garbage: [[UInt8]] = [
      [0xff, 0xff, 0xff, 0xff, 0xff], Array("GET / HTTP/1.1\r\n\r\n".utf8), [0, 0, 0, 0, 99],
    ]
    for bytes in garbage {
      let client = try MemberClient(address, key: key)
      client.send(bytes)
      client.finishWriting()
      let messages = try decode(await client.readToEnd())
      guard case .close? = messages.last else {
        Issue.record("\(messages)")
        continue
      }
    }
    #expect(try await daemon.perform(Self.write("still here")) == .done(changed: 1))
    await daemon.stop()
  }

  @Test func stoppingSaysGoodbye() async throws {
    let key = try memberKey(of: "phone")
    let daemon = try daemon("phone")
    let address = try #require(await daemon.start())
    let client = try MemberClient(address, key: key)
    client.send(Frame.encode(.hello(Self.membersHello)))
    // Its answer shows that the daemon has the session.
    _ = await client.read(4)
    // A task of its own would wait behind those of other tests.
    async let stopped: Void = daemon.stop()
    let bytes = await client.readToEnd()
    client.finishWriting()
    await stopped
    let messages = try decode(bytes)
    #expect(messages.map(\.type) == [.hello, .welcome, .close], "\(messages)")
    #expect(messages.last == .close(.leaving), "\(messages)")
  }

  /// Nothing is acknowledged that the disk refused, and the daemon is at its end.
  @Test(.enabled(if: geteuid() == 0, "mounting a small disk needs root"))
  func aFullDiskEndsTheDaemon() async throws {
    let path = home.path + "/small"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try #require(mount("tmpfs", path, "tmpfs", 0, "size=512k,mode=0700") == 0)
    defer { umount2(path, Int32(MNT_DETACH)) }
    _ = try Daemon.create(directory: path, name: "small", environment: .sandbox, bundleId: "com.example.owls")
    let lines = Guarded<[String]>([])
    let log = Log(level: .error) { line in lines.withLock { $0.append(line) } }
    let daemon = try Daemon(configuration: .init(directory: path, log: log))
    _ = try await daemon.start()
    var failure: StorageError?
    var acknowledged = 0
    while failure == nil, acknowledged < 1000 {
      do {
        _ = try await daemon.perform(Self.write("v\(acknowledged)", [UInt8](repeating: 7, count: 4000)))
        acknowledged += 1
      } catch { failure = error as? StorageError }
    }
    let expected = StorageError.full(path: daemon.directory.database)
    #expect(failure == expected)
    #expect(await daemon.failure() == expected)
    await #expect(throws: expected) { try await daemon.perform(Self.write("more")) }
    // Whoever is still at work has nothing to add; another daemon of the program has.
    daemon.configuration.log(.error, "a session ended")
    log(.error, "of another")
    let said = lines.withLock { $0 }
    #expect(said.count == 2 && said.first?.hasSuffix(" ERROR \(expected)\n") == true, "\(said)")
    await #expect(throws: expected) { try await daemon.read { engine, _ in engine.replica.count } }
  }

  @Test func signalsAreHeard() async {
    await #expect(processExitsWith: .success) {
      let (heard, sink) = AsyncStream.makeStream(of: Int32.self)
      let signals = Signals { sink.yield($0) }
      var iterator = heard.makeAsyncIterator()
      kill(getpid(), SIGPIPE)
      for number in [SIGTERM, SIGINT, SIGTERM] {
        kill(getpid(), number)
        guard await iterator.next() == number else { exit(3) }
      }
      withExtendedLifetime(signals) {}
    }
  }
}
