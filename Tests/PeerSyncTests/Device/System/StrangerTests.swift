import COpenSSL
import Foundation
import PeerSync
import Testing

/// A daemon at its port: whoever is not a member gets no byte of what members say, and nothing that is altered or told again
/// changes anything.
@Suite(.noHang, .ownThread) struct StrangerTests {
  private let home: TemporaryDirectory
  private let member: DeviceKey
  private let daemon: Daemon
  /// What its log says.
  private let lines = Guarded<[String]>([])

  /// A device with a member whose key is at hand.
  init() throws {
    home = try TemporaryDirectory()
    let (phone, tablet) = (home.path + "/phone", home.path + "/tablet")
    for path in [phone, tablet] {
      try Daemon.create(directory: path, name: "d", environment: .sandbox, bundleId: "com.example.owls")
    }
    try unite(phone, tablet)
    member = try DeviceKey.load(DataDirectory(tablet).deviceKey)
    daemon = try Daemon(
      configuration: .init(
        directory: phone, listen: Address(host: "127.0.0.1", port: 0),
        log: Log { [lines] line in lines.withLock { $0.append(line) } }))
  }

  /// Everything that a peer could have changed.
  private struct State: Equatable {
    let digest: Digest
    let vector: VersionVector
    let records: ContentHash
    let group: MembershipGroup
    let sessions: Int
    /// Of frames, sent and received. That somebody was refused is counted, which is no frame.
    let bytes: [UInt64]
  }

  private func state() async throws -> State {
    let traffic = await daemon.traffic
    return try await daemon.read { engine, _ in
      State(
        digest: engine.replica.digest, vector: engine.replica.vector,
        records: engine.membership.fingerprint, group: engine.group, sessions: engine.readySessions,
        bytes: [traffic.sent, traffic.received])
    }
  }

  private var hello: Message {
    get throws {
      let identity = try Storage(DataDirectory(home.path + "/tablet")).load(key: member.publicKey).identity
      return .hello(
        Hello(
          versions: ProtocolVersion.supported, replica: identity.replica, bootID: 1,
          environment: .sandbox, bundleId: "com.example.owls", name: "d", listening: nil))
    }
  }

  // MARK: Strangers

  private func expectNothing(of body: (Address) async throws -> [UInt8]) async throws {
    let address = try #require(await daemon.start())
    let before = try await state()
    let received = try await body(address)
    #expect(received == [])
    #expect(try await state() == before)
    #expect(before.bytes == [0, 0])
    await daemon.stop()
  }

  @Test(arguments: StrangeClient.Certificate.allCases, [TLS1_3_VERSION, TLS1_2_VERSION])
  func anotherMakeGetsNothing(certificate: StrangeClient.Certificate, version: Int32) async throws {
    let message = Frame.encode(try hello)
    try await expectNothing { address in
      // One thread at a time has it.
      nonisolated(unsafe) let client = try StrangeClient(certificate, version: version)
      let raw = try RawConnection(to: "\(address)")
      raw.send(client.outgoing())
      return await onThread {
        while let bytes = try? raw.receive() {
          client.take(bytes)
          raw.send(client.outgoing())
          // It may think that it is in, and talk.
          if client.isEstablished {
            client.send(message)
            raw.send(client.outgoing())
            raw.finishWriting()
          }
        }
        return client.received
      }
    }
  }

  @Test func anUnknownKeyGetsNothing() async throws {
    let message = Frame.encode(try hello)
    try await expectNothing { address in
      let client = try MemberClient(address)
      client.send(message)
      client.finishWriting()
      let received = await client.readToEnd()
      #expect(client.error == .notRecognized)
      return received
    }
  }

  @Test func plainTextGetsAnAlertAtMost() async throws {
    let message = Frame.encode(try hello)
    try await expectNothing { address in
      let raw = try RawConnection(to: "\(address)")
      raw.send(message)
      raw.finishWriting()
      let answer = try #require(try await raw.readToEnd())
      // An alert is a record of type 21 with two bytes.
      return answer.count == 7 && answer[0] == 21 ? [] : answer
    }
  }

  @Test func aRemovedMemberIsAStranger() async throws {
    let fingerprint = try await daemon.read { engine, _ in engine.membership.fingerprint }
    // Without the welcome a slow machine would end the session first, as a handshake that takes too long.
    let message = Frame.encode(try hello) + Frame.encode(.welcome(fingerprint))
    let address = try #require(await daemon.start())
    let client = try MemberClient(address, key: member)
    client.send(message)
    _ = await client.read(4)
    let device = DeviceID(of: member.publicKey, .openSSL)
    #expect(try await daemon.perform(.remove(device, recoveryKey: nil)) == .done(changed: 1))
    // Before the end it says why.
    let words = try decode(await client.readToEnd())
    #expect(
      words.prefix(2).map(\.type) == [.hello, .welcome] && words.last == .close(.removed),
      "\(words.map(\.type)) \(words.suffix(1))")
    client.finishWriting()
    let before = try await state()
    let again = try MemberClient(address, key: member)
    again.send(message)
    again.finishWriting()
    #expect(await again.readToEnd() == [] && again.error == .notRecognized)
    #expect(try await state() == before)
    await daemon.stop()
  }

  @Test func aMemberThatComesOverAndOverDoesNotFillTheLog() async throws {
    let address = try #require(await daemon.start())
    let fingerprint = try await daemon.read { engine, _ in engine.membership.fingerprint }
    let message = Frame.encode(try hello) + Frame.encode(.welcome(fingerprint))
    for _ in 0..<150 {
      let client = try MemberClient(address, key: member)
      client.send(message)
      client.finishWriting()
      _ = await client.readToEnd()
    }
    await daemon.stop()
    let told = lines.withLock { $0.count { $0.contains("connected") } }
    // Two of each: a hundred at once, and one a second since.
    #expect((100..<200).contains(told), "\(told)")
  }

  @Test func aMemberThatEquivocatesIsNamedUntilItIsRemoved() async throws {
    let fingerprint = try await daemon.read { engine, _ in engine.membership.fingerprint }
    let address = try #require(await daemon.start())
    let client = try MemberClient(address, key: member)
    for message in [try hello, .welcome(fingerprint), .commit(try commit()), .commit(try commit([4, 3]))] {
      client.send(Frame.encode(message))
    }
    for await _ in await daemon.revisions() {
      if try await daemon.read({ engine, _ in !engine.forkedMembers.isEmpty }) { break }
    }
    #expect(try await daemon.status().warnings.contains { $0.contains("equivocated") })
    let device = DeviceID(of: member.publicKey, .openSSL)
    #expect(try await daemon.perform(.remove(device, recoveryKey: nil)) == .done(changed: 1))
    #expect(try await !daemon.status().warnings.contains { $0.contains("equivocated") })
    client.finishWriting()
    _ = await client.readToEnd()
    await daemon.stop()
  }

  // MARK: Altered and repeated

  @Test func oneBitFlippedAnywhereEndsTheSession() async throws {
    let message = Frame.encode(try hello)
    let address = try #require(await daemon.start())
    let before = try await state()
    var (position, count) = (0, 1)
    while position < count {
      let client = try MemberClient(address, key: member)
      var record = try client.seal(message)
      count = record.count
      record[position] ^= 1 << UInt8(position % 8)
      client.sendPlain(record)
      client.finishWriting()
      let received = await client.readToEnd()
      #expect(received == [], "bit \(position % 8) of byte \(position)")
      position += 1
    }
    #expect(count > message.count)
    #expect(try await state() == before)
    // Not altered, it gets an answer.
    let client = try MemberClient(address, key: member)
    client.send(message)
    #expect(await client.read(4).count == 4)
    await daemon.stop()
  }

  /// A commit of the member, as its own device would make it: the first of its life.
  private func commit(_ value: [UInt8] = [4, 2]) throws -> Commit {
    var replica = try Storage(DataDirectory(home.path + "/tablet")).load(key: member.publicKey).replica
    var batch = WriteBatch()
    batch.append(
      Write(
        key: RegisterKey.value(key: "a").encoded, stamp: Stamp(rawValue: 1 << 16), value: value,
        dot: Dot(replica: replica.id, sequence: 1)))
    let commit = replica.seal(batch, by: member.signingKey)
    return try #require(commit)
  }

  @Test func aRecordedSessionToldAgainChangesNothing() async throws {
    let (message, commit) = (Frame.encode(try hello), try commit())
    let address = try #require(await daemon.start())
    let fresh = try await state()
    let client = try MemberClient(address, key: member)
    client.send(message)
    client.send(Frame.encode(.welcome(fresh.records)))
    client.send(Frame.encode(.commit(commit)))
    let key = RegisterKey.value(key: "a").encoded
    for await _ in await daemon.revisions() {
      if try await daemon.read({ engine, _ in engine.replica.register(key)?.value }) == [4, 2] { break }
    }
    client.send(Frame.encode(.close(.leaving)))
    client.finishWriting()
    _ = await client.readToEnd()
    for await _ in await daemon.revisions() {
      if try await daemon.read({ engine, _ in engine.readySessions }) == 0 { break }
    }
    let after = try await state()
    #expect(after.digest != fresh.digest && after.vector != fresh.vector)
    for count in [client.sent.count, client.sent.count - 1, client.sent.count / 2] {
      let raw = try RawConnection(to: "\(address)")
      raw.send(Array(client.sent.prefix(count)))
      raw.finishWriting()
      _ = try await raw.readToEnd()
      #expect(try await state() == after)
    }
    await daemon.stop()
  }
}
