import Foundation
import PeerSync
import Testing

@Suite(.noHang) struct ListenerTests {
  @Test(arguments: ["127.0.0.1", "127.8.8.8", "::1", "localhost"]) func loopbackIsLoopback(host: String)
    throws
  {
    try Socket.requireLoopback(Address(host: host, port: 1))
  }

  @Test(arguments: [
    "0.0.0.0", "192.168.1.2", "::", "fe80::1", "128.0.0.1", "2001:db8::7", "::ffff:127.0.0.1", "fe80::1%lo",
    "fe80::1%1",
  ])
  func otherAddressesAreNot(host: String) throws {
    let address = Address(host: host, port: 1)
    try Socket.requireNumeric(address)
    #expect(throws: SocketError.notLoopback(address)) { try Socket.requireLoopback(address) }
  }

  @Test(arguments: [
    "example.org", "127.1", "", "127.0.0.1 ", "1::2::3", "fe80::1%none", "fe80::1%0", "fe80::1%",
    "fd00::1%lo", "10.0.0.1%lo",
  ])
  func namesAreNoAddresses(host: String) {
    let address = Address(host: host, port: 1)
    #expect(throws: SocketError.notNumeric(address)) { try Socket.requireNumeric(address) }
    #expect(throws: SocketError.notNumeric(address)) { try Socket.requireLoopback(address) }
    #expect(throws: SocketError.notNumeric(address)) { try Socket.listening(on: address) }
    #expect(throws: SocketError.notNumeric(address)) { try Socket.connecting(to: address) }
  }

  @Test(arguments: [
    ("phone.example", true), ("localhost", true), ("Living-Room.local", true), ("my_nas", true),
    ("3com", true),
    ("phone..example", false), ("phone.example.", true), (".", false), (".phone", false), ("phone..", false),
    ("10.0.0.300.", false), ("-phone", false),
    ("phone-.example", false), ("phone!", false), ("10.0.0.300", false), ("127.1", false),
    ("fe80::1%lo", false),
    (String(repeating: "a", count: 63) + ".example", true),
    (String(repeating: "a", count: 64) + ".example", false),
    (String(repeating: "a.", count: 127) + "a", false), ("", false),
  ])
  func namesAreOfLettersAndDigits(host: String, isName: Bool) { #expect(Resolver.isName(host) == isName) }

  /// 192.0.2.0/24 is for documentation: no machine has an address of it (RFC 5737).
  @Test func anAddressOfAnotherMachineIsNamed() {
    let address = Address(host: "192.0.2.1", port: 0)
    #expect(throws: SocketError.notHere(address)) { try Socket.listening(on: address) }
    #expect(
      "\(SocketError.notHere(address))".hasPrefix("192.0.2.1 is not an address of this machine: listen on "))
  }

  @Test(arguments: ["0.0.0.0", "::"]) func allInterfacesCanBeListenedOn(host: String) async throws {
    let socket = try Socket.listening(on: Address(host: host, port: 0))
    let address = try #require(socket.localAddress)
    #expect(address.host == host && address.port > 0)
    // What others are told are addresses that they can dial.
    let interfaces = try #require(Interfaces.now())
    let announced = interfaces.announced(address)
    #expect(announced.count <= Limits.deviceAddresses)
    for one in announced {
      #expect(one.port == address.port && one.host != host && !one.isLinkLocal && interfaces.has(one.host))
      #expect(throws: SocketError.notLoopback(one)) { try Socket.requireLoopback(one) }
    }
    let other = Address(host: "192.0.2.7", port: 7)
    #expect(interfaces.announced(other) == [other] && !interfaces.has(other.host))
    #expect(interfaces.has("127.0.0.1") && interfaces.has("::ffff:127.0.0.1"))
  }

  /// An address of one link is told to nobody, and still others there can reach it, if they come by the family that is listened on.
  @Test func whoCanBeReachedOnOneLinkAlone() {
    let entries = [
      Interfaces.Entry(name: "lo", host: "127.0.0.1", prefixBits: 0, isLoopback: true),
      Interfaces.Entry(name: "eth0", host: "", prefixBits: 0),
      Interfaces.Entry(name: "eth0", host: "fe80::1", prefixBits: 64),
      Interfaces.Entry(name: "eth1", host: "169.254.0.1", prefixBits: 0, isRunning: false),
    ]
    let (all, version4) = (Address(host: "::", port: 7), Address(host: "0.0.0.0", port: 7))
    let (link, none) = (Interfaces(entries), Interfaces(Array(entries[..<2])))
    #expect(link.areOpen(to: all) && link.areOpen(to: all, on: "eth0") && link.announced(all).isEmpty)
    #expect(!link.areOpen(to: version4) && !link.areOpen(to: all, on: "eth1") && !none.areOpen(to: all))
    #expect(!link.areOpen(to: Address(host: "127.0.0.1", port: 7)))
    let given = Address(host: "192.0.2.1", port: 7)
    #expect(none.areOpen(to: given) && none.announced(given) == [given])
  }

  @Test func anAddressInUseIsNamed() throws {
    let server = try TestServer()
    #expect(throws: SocketError.addressInUse(server.address)) { try Socket.listening(on: server.address) }
  }

  @Test func aPortIsFreeAgainAfterwards() async throws {
    var server: TestServer? = try TestServer()
    let address = try #require(server?.address)
    server = nil
    // The queue lets go of the socket in its own time: dialling tells.
    let dialler = try TestServer()
    while await dialler.dial(address) == nil {}
    _ = try Socket.listening(on: address)
  }

  @Test func nobodyThere() async throws {
    let gone = try Socket.listening(on: Address(host: "::1", port: 0)).localAddress
    let address = try #require(gone)
    let server = try TestServer()
    #expect(await server.dial(address) == .system(ECONNREFUSED))
  }

  /// Without descriptors, connections wait; with descriptors again, they are served. Descriptors do not leak.
  @Test func runningOutOfDescriptorsIsSurvived() async {
    await #expect(processExitsWith: .success) {
      let server = try TestServer()
      var events = server.events.makeAsyncIterator()
      // The listener's first timer has its descriptor once another has come.
      await withCheckedContinuation { continuation in
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) { continuation.resume() }
      }
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      let starved = try RawConnection(to: "\(server.address)") {
        // From the lowest free descriptor on, there is none.
        let free = dup(0)
        close(free)
        var low = rlimit(rlim_cur: rlim_t(free), rlim_max: limit.rlim_max)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &low)
        // Nor below it, where another thread may just have closed one.
        while dup(0) >= 0 {}
      }
      guard await events.next() == .exhausted else { exit(3) }
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      var exhausted = 1
      while let event = await events.next() {
        if event == .exhausted { exhausted += 1 }
        if event == .accepted(1) { break }
      }
      withExtendedLifetime(starved) {}
      // A listener that did not pause would have been told thousands of times.
      guard exhausted < 5 else { exit(4) }
    }
  }

  @Test func descriptorsDoNotLeak() async {
    await #expect(processExitsWith: .success) {
      let server = try TestServer()
      var events = server.events.makeAsyncIterator()
      var before = 0
      for round in 0..<50 {
        var client: RawConnection? = try RawConnection(to: "\(server.address)")
        guard case .accepted(let name)? = await events.next() else { exit(3) }
        switch round % 3 {
        case 0: client = nil
        case 1: client?.send([0xff, 0xff, 0xff, 0xff, 0xff])
        default: server.with(name) { $0.close() }
        }
        client?.finishWriting()
        while let event = await events.next(), event != .closed(name) {}
        client = nil
        if round == 5 { before = openDescriptors() }
      }
      // Cancel handlers come later on the queue: look until they are done.
      for _ in 0..<100_000 where openDescriptors() > before + 2 { await Task.yield() }
      guard openDescriptors() <= before + 2 else { exit(4) }
    }
  }
}

func openDescriptors() -> Int {
  (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? -1
}
