import PeerSync
import Testing

/// A connection to a daemon that shakes hands as a device does, with any key, and then does what it likes. Used by one
/// thread at a time.
final class MemberConnection: @unchecked Sendable {
  private let raw: RawConnection
  private let channel: TLSChannel
  private var decoder = FrameDecoder()
  private(set) var isEstablished = false
  /// Whether the other side has ended the connection, or what came was not a message.
  private var isEnded = false
  /// The messages that have come and were not looked at.
  private var messages: [Message] = []

  /// Connects and shakes hands.
  ///
  /// - Parameter receiveBytes: how much the system holds for who does not read; nil: as much as it likes
  init(to address: String, key: DeviceKey, from source: String = "127.0.0.1", receiveBytes: Int32? = nil)
    throws
  {
    raw = try RawConnection(to: address, from: source, receiveBytes: receiveBytes, seconds: 60)
    channel = try TLSChannel(dialling: TLSContext(key) { _ in true })
    flush()
    while !isEstablished, !isEnded { try take() }
    flush()
  }

  /// Sends bytes as they are, inside the encryption.
  ///
  /// - Returns: whether the other side took them all
  @discardableResult func send(_ bytes: [UInt8]) -> Bool {
    guard !isEnded, (try? bytes.withUnsafeBytes({ try channel.send($0) })) != nil else { return false }
    return flush()
  }

  @discardableResult func send(_ message: Message) -> Bool { send(Frame.encode(message)) }

  /// The next message; nil at the end.
  ///
  /// - Throws: when neither comes for long
  func next() throws -> Message? {
    while messages.isEmpty, !isEnded { try take() }
    return messages.isEmpty ? nil : messages.removeFirst()
  }

  /// Ends the connection without a good-bye, as a lost machine does.
  func reset() { raw.reset() }

  @discardableResult private func flush() -> Bool {
    let bytes = channel.withOutgoing { Array($0) }
    channel.removeOutgoing(bytes.count)
    return raw.send(bytes) == bytes.count
  }

  private func take() throws {
    guard let bytes = try raw.receive() else { return isEnded = true }
    do {
      try bytes.withUnsafeBytes { bytes in
        try channel.receive(bytes) {
          switch $0 {
          case .established: isEstablished = true
          case .plaintext(let bytes): bytes.withUnsafeBytes { decoder.append($0) }
          }
        }
      }
      while let message = try decoder.next() { messages.append(message) }
    } catch { isEnded = true }
  }
}

/// A member whose key fell into wrong hands.
struct StolenMember: Sendable {
  let name: String
  private let key: DeviceKey
  private let identity: Identity
  private let records: ContentHash
  /// What it held when it was stolen.
  let replica: Replica
  private let foundingHash: ContentHash

  /// Ends a device, and takes what it has.
  init(_ device: PeerdProcess) async throws {
    name = device.name
    try await device.stop()
    let directory = DataDirectory(device.data)
    key = try DeviceKey.load(directory.deviceKey)
    let stored = try Storage(directory).load(key: key.publicKey)
    (identity, records, replica) = (stored.identity, stored.membership.fingerprint, stored.replica)
    let group = stored.membership.group(of: key.publicKey, preferring: identity.group)
    guard let device = group?.members.first(where: { $0.key == stored.identity.key }) else {
      throw PeerdProcess.NotReady(description: "\(device.name) is no member")
    }
    foundingHash = device.founding
  }

  /// A connection that has shaken hands, or was turned away.
  func handshake(with address: String, from source: String) throws -> MemberConnection {
    try MemberConnection(to: address, key: key, from: source)
  }

  /// A session up to where data flows.
  ///
  /// - Parameter bootID: counts them: a later one stands for the device
  func session(with address: String, bootID: UInt64 = 1, receiveBytes: Int32? = nil) throws
    -> MemberConnection
  {
    let connection = try MemberConnection(to: address, key: key, receiveBytes: receiveBytes)
    connection.send(
      .hello(
        Hello(
          versions: ProtocolVersion.supported, replica: identity.replica, bootID: 1_000 + bootID,
          environment: identity.environment, bundleId: identity.bundleId, name: name, listening: nil)))
    connection.send(.welcome(records))
    while let message = try connection.next() {
      if message.type == .welcome { return connection }
    }
    throw PeerdProcess.NotReady(description: "\(name) was not let in")
  }
}

extension StolenMember {
  /// Something that a member writes, whatever it likes.
  typealias Lie = (key: RegisterKey, stamp: Stamp, value: [UInt8])

  /// Signs writes as the member, in the life that it has.
  func commit(_ lies: [Lie]) throws -> Message { try commit(lies, in: replica) }

  /// Signs one write in each of so many lives that nobody has met.
  func commits(ofLives count: Int, _ lie: Lie) throws -> [Message] {
    try (0..<count).map { _ in try commit([lie], in: life()) }
  }

  /// A life that nobody has met.
  func life(of key: PublicKey? = nil) -> Replica {
    let incarnation = Incarnation(key: key ?? identity.key, nonce: .random())
    let id = incarnation.replica(.openSSL)
    var replica = Replica(id: id, cryptography: .openSSL)
    replica.restore(.incarnation(incarnation, replica: id))
    return replica
  }

  /// Names, in the life that it has, a number that somebody else has signed.
  func name(_ number: (Replica) -> Lie, signedBy signer: SigningKey) throws -> Lie {
    let life = life(of: signer.publicKey)
    let number = number(life)
    guard case .commit(let commit) = try commit([number], in: life, by: signer),
      let proof = NumberProof.proofs(in: commit.batch, .openSSL).first?.proof,
      let key = number.key.named(by: replica.id)
    else { throw PeerdProcess.NotReady(description: "\(name) has nothing to name") }
    return (key, number.stamp, proof)
  }

  /// Signs records of a kind that no version knows.
  func records(_ count: Int, _ mark: UInt8) -> [Message] {
    let signer = key.signingKey
    let founding = foundingHash
    let junk = (0..<count).map { number in
      let payload = [UInt8(number >> 8), UInt8(number & 255), mark]
      let body = MembershipRecord.Body.other(kind: 200, author: founding, payload: payload)
      let unsigned = MembershipRecord(parents: [founding], body: body, signatures: [])
      return MembershipRecord(
        parents: [founding], body: body, signatures: [signer.sign(unsigned.signedBytes)])
    }
    return RecordsPart.parts(of: junk).map { .records($0) }
  }

  private func commit(_ lies: [Lie], in replica: Replica, by signer: SigningKey? = nil) throws -> Message {
    var (replica, batch) = (replica, WriteBatch())
    for lie in lies {
      guard let write = replica.write(key: lie.key.encoded, stamp: lie.stamp, value: lie.value) else {
        continue
      }
      batch.append(write)
    }
    guard let commit = replica.seal(batch, by: signer ?? key.signingKey) else {
      throw PeerdProcess.NotReady(description: "\(name) has nothing to sign")
    }
    return .commit(commit)
  }
}
