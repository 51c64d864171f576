import PeerSyncCore

/// A device whose runner is made of what `PeerSyncCore` makes public: it keeps a journal of bytes, and has wires of bytes.
///
/// docs/runner.md explains it. Nothing here is for use: the cryptography is a stand-in, and all devices run in one thread.
final class Device {
  private let made: NewDevice
  private let key: SigningKey
  private let network: Network
  /// What a file would hold, an entry for each transaction.
  private(set) var journal: [[UInt8]] = []
  private var engine: Engine
  private(set) var answers: [RequestID: Answer] = [:]
  private var requests: UInt64 = 0
  private let address: Address
  /// Whether the disk takes anything.
  var isDiskFull = false

  init(number: UInt8, name: String, on network: Network) throws {
    key = SigningKey.toy(number)
    address = Address(host: "10.0.0.\(number)", port: 7000)
    made = NewDevice(
      signer: key, nonce: Nonce(high: 1, low: UInt64(number)),
      recoveryKey: SigningKey.toy(100 + number).publicKey,
      name: name, environment: .sandbox, bundleId: "com.example.app", .toy)
    self.network = network
    engine = DeviceState(made, made: network.now.wall)
      .engine(signer: key, Cryptography.toy, seed: UInt64(number))
    network.add(self, at: address)
    handle(.started(listening: [address], peers: []))
  }

  /// Ends the program and starts it again: memory is gone, the journal is there.
  func restart() throws {
    network.cut(self)
    var state = DeviceState(made, made: network.now.wall)
    for entry in journal { state.apply(try Durable(decoding: entry)) }
    // A journal may be replaced by one entry now and then.
    journal = [state.snapshot.encoded]
    engine = state.engine(signer: key, Cryptography.toy, seed: requests)
    handle(.started(listening: [address], peers: []))
  }

  var identity: Identity { engine.identity }
  var publicKey: PublicKey { key.publicKey }
  var view: LedgerView { engine.view(at: network.now) }
  var peers: [PeerState] { engine.peers }

  /// Asks for something; the answer may come later.
  @discardableResult func ask(_ request: Request) -> RequestID {
    requests += 1
    let id = RequestID(rawValue: requests)
    handle(.requested(id, request))
    return id
  }

  /// Tells the engine what happened, and does what it says: the whole of a runner's loop.
  func handle(_ event: Event) {
    let effects = engine.handle([event], now: network.now)
    // A device whose disk fails says nothing more, until it starts again from what the disk has.
    do { try effects.run(on: self) } catch { network.cut(self) }
  }

  /// Time has passed.
  func wakeUp() {
    if let deadline = engine.nextDeadline, deadline <= network.now.monotonic { handle(.deadline) }
  }
}

struct DiskFull: Error {}

extension Device: EffectRunner {
  func persist(_ durable: Durable) throws {
    guard !isDiskFull else { throw DiskFull() }
    journal.append(durable.encoded)
  }

  func send(_ message: Message, on session: SessionID) { network.carry(Frame.encode(message), on: session) }
  func close(_ session: SessionID, _ reason: CloseReason) { network.close(session) }
  func dial(_ target: DialTarget) { network.dial(target, from: self, at: address) }
  func answer(_ request: RequestID, _ answer: Answer) { answers[request] = answer }
  // This device has no store of its own.
  func sign(_ draft: Transaction, for request: RequestID) {
    network.later { self.handle(.signed(request, nil)) }
  }
  // The wires prove nothing here; TLS would let just these in.
  func admit(_ belonging: Belonging) {}
  func invite(_ invitation: InvitationChange) {}
  func notice(_ notice: Notice) {}
  func changed() {}
}

/// Wires between devices of one process, and the time.
final class Network {
  private(set) var now = Now(wall: Instant(clamping: 1_769_860_800_000), monotonic: 0)
  private var devices: [(address: Address, device: Device)] = []
  /// Each end of a wire, with the other one and the bytes that come out of this one.
  private var ends: [SessionID: End] = [:]
  private var queue: [() -> Void] = []
  private var sessions: UInt64 = 0

  private struct End {
    let device: Device
    let other: SessionID
    var decoder = FrameDecoder()
  }

  func add(_ device: Device, at address: Address) { devices.append((address, device)) }

  func later(_ work: @escaping () -> Void) { queue.append(work) }

  /// Lets everything happen that is under way.
  func settle() {
    while !queue.isEmpty { queue.removeFirst()() }
  }

  /// Lets time pass in steps.
  func pass(seconds: UInt64) {
    for _ in 0..<(seconds * 10) {
      now = Now(wall: now.wall.advanced(byMilliseconds: 100), monotonic: now.monotonic + 100)
      for (_, device) in devices { device.wakeUp() }
      settle()
    }
  }

  func dial(_ target: DialTarget, from caller: Device, at origin: Address) {
    later {
      guard let called = self.devices.first(where: { $0.address == target.address })?.device else {
        return caller.handle(target.failed(nil))
      }
      let (left, right) = (SessionID(rawValue: self.sessions + 1), SessionID(rawValue: self.sessions + 2))
      self.sessions += 2
      self.ends[left] = End(device: caller, other: right)
      self.ends[right] = End(device: called, other: left)
      // What TLS would have proved: the invitation's code, or each other's key.
      let exporter = Cryptography.toy.hash(of: Array("\(left.rawValue)".utf8))
      func channel(to key: PublicKey) -> Channel {
        if target.invitation != nil { return .invitation(exporter: exporter) }
        return target.isIntroduction ? .introduction(key) : .certificate(key)
      }
      called.handle(.opened(right, .accepted(from: origin), channel(to: caller.publicKey)))
      caller.handle(.opened(left, .dialled(target.address), channel(to: called.publicKey)))
    }
  }

  func carry(_ bytes: [UInt8], on session: SessionID) {
    guard let other = ends[session]?.other else { return }
    later {
      self.arrive(bytes, on: other)
      if self.ends[session] != nil { self.ends[session]?.device.handle(.drained(session)) }
    }
  }

  private func arrive(_ bytes: [UInt8], on session: SessionID) {
    bytes.withUnsafeBytes { ends[session]?.decoder.append($0) }
    // What is no message ends the connection.
    do {
      while let message = try ends[session]?.decoder.next() {
        ends[session]?.device.handle(.received(session, message))
      }
    } catch { close(session) }
  }

  func close(_ session: SessionID) {
    later {
      for end in [session, self.ends[session]?.other] {
        guard let end, let gone = self.ends.removeValue(forKey: end) else { continue }
        gone.device.handle(.closed(end))
      }
    }
  }

  /// Cuts all wires of a device.
  func cut(_ device: Device) {
    for (session, end) in ends where end.device === device {
      ends[session] = nil
      if let other = ends.removeValue(forKey: end.other) {
        later { other.device.handle(.closed(end.other)) }
      }
    }
  }
}

// A real runner gives CryptoKit's SHA256 and Curve25519.Signing, or OpenSSL's.
extension Cryptography {
  static let toy = Cryptography(
    hash: { toyHash($0) }, verify: { signature, message, key in signature == toySignature(message, key) })
}

extension SigningKey {
  static func toy(_ number: UInt8) -> SigningKey {
    let key = toyKey(number)
    return SigningKey(publicKey: key) { toySignature($0, key) }
  }
}

private func toyKey(_ number: UInt8) -> PublicKey {
  guard let key = PublicKey([UInt8](repeating: number, count: 32)) else { preconditionFailure("32 bytes") }
  return key
}

/// FNV-1a four times, each from another start.
private func toyHash(_ message: UnsafeRawBufferPointer) -> ContentHash {
  let bytes = (UInt64(0)..<4).flatMap { lane -> [UInt8] in
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325 &+ lane
    for byte in message { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return withUnsafeBytes(of: hash) { Array($0) }
  }
  guard let hash = ContentHash(bytes) else { preconditionFailure("32 bytes") }
  return hash
}

private func toySignature(_ message: UnsafeRawBufferPointer, _ key: PublicKey) -> Signature {
  let hash = (key.bytes + toyHash(message).bytes).withUnsafeBytes { toyHash($0) }
  guard let signature = Signature(hash.bytes + hash.bytes) else { preconditionFailure("64 bytes") }
  return signature
}
