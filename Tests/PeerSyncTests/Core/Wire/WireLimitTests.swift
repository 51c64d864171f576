import PeerSyncCore
import Testing

/// Every bound on what a peer may send: at the limit it passes, one above it does not.
@Suite struct WireLimitTests {
  private func passes(_ message: Message) throws -> Bool {
    let bytes = Frame.encode(message)
    #expect(bytes.count <= Limits.frameBytes + Frame.headerBytes)
    return try decodeAll(bytes) == [message]
  }

  private func refused(_ message: Message) -> Bool {
    do { return try decodeAll(Frame.encode(message)).isEmpty } catch { return error == .beyondLimit }
  }

  private func vector(_ count: Int) -> VersionVector {
    VersionVector(
      (0..<count).map { Dot(replica: ReplicaID(high: 0, low: UInt64($0)), sequence: Limits.sequence) })
  }

  @Test func frameBytes() throws {
    let newer = Frame.encode(.hello(hello(name: "", versions: 1...2))).dropFirst(Frame.headerBytes)
    let body = newer + [UInt8](repeating: 0, count: Limits.frameBytes - newer.count)
    #expect(try decodeAll(frame(1, Array(body))).count == 1)
    #expect(throws: WireError.beyondLimit) { try decodeAll(frame(1, body + [0])) }
  }

  @Test func batchBytes() throws {
    let full = SignedBatch.filled(to: Limits.batchBytes)
    let more = SignedBatch.filled(to: Limits.batchBytes + 1)
    #expect(full.bytes.count == Limits.batchBytes)
    #expect(try passes(.delta(DeltaChunk(delta: .max, index: .max, commits: full))))
    #expect(refused(.delta(DeltaChunk(delta: 1, index: 0, commits: more))))
    let range = KeyRange(depth: 64, prefix: .max)
    #expect(try passes(.items(RangeItems(range: range, wantsReply: true, commits: full))))
    #expect(refused(.items(RangeItems(range: range, wantsReply: true, commits: more))))
  }

  /// A chunk closes once it has reached its size: by then it is longer by one write at most.
  @Test func aClosedChunkAlwaysFits() {
    let author = 48 + 2
    #expect(Limits.chunkBytes + author + Limits.commitBytes + 90 <= Limits.batchBytes)
    // Whatever a device writes makes commits that others take, even once most of it was replaced.
    let write = Limits.keyBytes + Limits.valueBytes + 64
    #expect(Limits.chunkBytes + write + Limits.commitWrites * 33 <= Limits.commitBytes)
  }

  @Test func replicas() throws {
    let most = vector(Limits.replicas)
    let more = vector(Limits.replicas + 1)
    #expect(try passes(.vector(most.told)))
    #expect(refused(.vector(more.told)))
    #expect(try passes(.deltaEnd(DeltaEnd(delta: .max, chunks: .max, baseHash: .max, claims: most.entries))))
    #expect(refused(.deltaEnd(DeltaEnd(delta: 1, chunks: 1, baseHash: 1, claims: more.entries))))
  }

  @Test func creditTotal() throws {
    for message in [Message.rightsWanted, Message.rightsGiven] {
      #expect(try passes(message(RightsTotal(credit: "c", total: Limits.creditTotal))))
      #expect(refused(message(RightsTotal(credit: "c", total: Limits.creditTotal + 1))))
      #expect(refused(message(RightsTotal(credit: "c", total: .max))))
    }
  }

  @Test func repairItems() throws {
    let digest = Digest(high: .max, low: .max)
    let entry = RangeDigest(range: KeyRange(depth: 64, prefix: .max), count: .max, digest: digest)
    #expect(try passes(.ranges(Array(repeating: entry, count: Limits.repairItems))))
    #expect(refused(.ranges(Array(repeating: entry, count: Limits.repairItems + 1))))
  }

  private func entry(host: Int) -> KnownPeer.Listening {
    let address = Address(host: String(repeating: "h", count: host), port: 65535)
    return KnownPeer.Listening(
      device: DeviceID(high: 0, low: 0), address: address, stamp: Stamp(rawValue: .max))
  }

  /// An entry with as many addresses as there may be, each with another host of that length.
  private func entry(hosts length: Int, count: Int = Limits.deviceAddresses) -> KnownPeer.Listening {
    let addresses = (0..<count).map {
      Address(host: String(repeating: "h", count: length - 1) + String($0), port: 65535)
    }
    return KnownPeer.Listening(
      device: DeviceID(high: 0, low: 0), addresses: addresses, stamp: Stamp(rawValue: .max))
  }

  @Test func addresses() throws {
    let longest = entry(hosts: Limits.deviceAddressBytes / Limits.deviceAddresses - ":65535".utf8.count)
    #expect(try passes(.addresses(Array(repeating: longest, count: Limits.addressEntries))))
    #expect(refused(.addresses(Array(repeating: entry(host: 1), count: Limits.addressEntries + 1))))
    let longer = entry(hosts: Limits.deviceAddressBytes / Limits.deviceAddresses - ":65535".utf8.count + 1)
    #expect(refused(.addresses([longer])))
    #expect(refused(.addresses([entry(hosts: 8, count: Limits.deviceAddresses + 1)])))
    // None at all, and one twice, say nothing.
    let one = Address(host: "h", port: 1)
    for addresses in [[], [one, one]] {
      let entry = KnownPeer.Listening(
        device: DeviceID(high: 0, low: 0), addresses: addresses, stamp: Stamp(rawValue: 1))
      #expect(throws: WireError.malformed) { try decodeAll(Frame.encode(.addresses([entry]))) }
    }
    #expect(try passes(.addresses([entry(host: Limits.addressBytes - 6)])))
    // A full address book takes two messages.
    #expect(Limits.addresses == 2 * Limits.addressEntries)
    #expect(refused(.addresses([entry(host: Limits.addressBytes - 5)])))
  }

  private func hello(
    name: String, bundleId: String = "b", versions: ClosedRange<UInt16> = 1...1
  ) -> Hello {
    Hello(
      versions: versions, replica: ReplicaID(high: 0, low: 0), bootID: 0, environment: .production,
      bundleId: bundleId, name: name, listening: nil)
  }

  private func join(bundleId: String = "b", versions: ClosedRange<UInt16> = 1...1) -> JoinRequest {
    JoinRequest(versions: versions, key: Author(1).key.publicKey, environment: .xcode, bundleId: bundleId)
  }

  @Test func textBytes() throws {
    let most = String(repeating: "é", count: Limits.textBytes / 2) + "e"
    let more = most + "e"
    #expect(try passes(.hello(hello(name: most, bundleId: most))))
    #expect(refused(.hello(hello(name: more))))
    #expect(refused(.hello(hello(name: "", bundleId: more))))
    #expect(try passes(.join(join(bundleId: most))))
    #expect(refused(.join(join(bundleId: more))))
  }

  @Test func recordHashes() throws {
    let hash = ContentHash(words: (.max, 0, 1, 2))
    #expect(try passes(.recordHashes(Array(repeating: hash, count: Limits.membershipOffered))))
    #expect(refused(.recordHashes(Array(repeating: hash, count: Limits.membershipOffered + 1))))
    let body = Frame.encode(.recordHashes([hash, hash])).dropFirst(Frame.headerBytes)
    #expect(throws: WireError.truncated) {
      try decodeAll(frame(MessageType.recordHashes.rawValue, body.dropLast()))
    }
  }

  /// Whoever signs what has many parents and cuts makes records of 12 KiB: they are sent one to a message, if need be.
  @Test func recordsFitTheirMessages() throws {
    let hashes = (0..<UInt64(Limits.membershipParents)).map { ContentHash(words: (0, 0, 0, $0)) }
    let merge = MembershipRecord.Merge(group: hashes[0], host: hashes[0], joiner: hashes[1])
    let signature = Author(1).key.sign([])
    let proposal = MergeProposal(parents: hashes, merge: merge)
    let record = MembershipRecord(proposal, host: signature, joiner: signature)
    #expect(try passes(.admitted(record)))
    let key = Author(1).key.publicKey
    #expect(try passes(.introduction(Introduction(key: key, signature: signature, proposal: proposal))))
    let many = MergeProposal(parents: hashes + [ContentHash(words: (0, 0, 1, 0))], merge: merge)
    #expect(refused(.introduction(Introduction(key: key, signature: signature, proposal: many))))
    var writer = ByteWriter()
    writer.write(byte: 1)
    writer.write(varint: UInt64(Limits.membershipOffered) + 1)
    #expect(throws: WireError.beyondLimit) {
      try decodeAll(frame(MessageType.records.rawValue, writer.bytes))
    }
  }

  @Test func forks() {
    for (count, error) in [(Limits.forks, WireError.truncated), (Limits.forks + 1, .beyondLimit)] {
      var writer = ByteWriter()
      writer.write(varint: UInt64(count))
      #expect(throws: error) { try decodeAll(frame(MessageType.forks.rawValue, writer.bytes)) }
    }
  }

  @Test func keyRanges() {
    func ranges(_ depth: UInt8, _ prefix: UInt64) -> [UInt8] {
      Frame.encode(
        .ranges([RangeDigest(range: KeyRange(depth: depth, prefix: prefix), count: 0, digest: Digest())]))
    }
    #expect(throws: Never.self) { try decodeAll(ranges(64, .max)) }
    #expect(throws: Never.self) { try decodeAll(ranges(0, 0)) }
    #expect(throws: WireError.malformed) { try decodeAll(ranges(65, .max)) }
    #expect(throws: WireError.malformed) { try decodeAll(ranges(63, .max)) }
    #expect(throws: WireError.malformed) { try decodeAll(ranges(0, 1 << 63)) }
  }

  // MARK: Opening

  @Test func onlyNewerPeersMaySayMore() throws {
    let ours = ProtocolVersion.supported.upperBound
    for (highest, isAccepted) in [(ours, false), (ours + 1, true)] {
      let hello = Message.hello(hello(name: "n", versions: 1...highest))
      let request = Message.join(join(versions: 1...highest))
      for message in [hello, request] {
        let longer = frame(
          message.type.rawValue, Frame.encode(message).dropFirst(Frame.headerBytes) + [1, 2])
        if isAccepted {
          #expect(try decodeAll(longer) == [message])
        } else {
          #expect(throws: WireError.trailingBytes) { try decodeAll(longer) }
        }
      }
    }
  }

  @Test func helloMustMakeSense() {
    let body = Array(Frame.encode(.hello(hello(name: "n"))).dropFirst(Frame.headerBytes))
    func changed(_ offset: Int, _ byte: UInt8) -> [UInt8] {
      var other = body
      other[offset] = byte
      return frame(1, other)
    }
    let magic = (0..<8).map { changed($0, 0) }
    let lowest = [changed(9, 0), changed(9, 2)]
    let environment = [changed(36, 0), changed(36, 4)]
    for bytes in magic + lowest + environment {
      #expect(throws: WireError.malformed) { try decodeAll(bytes) }
    }
  }

  @Test(arguments: ["h:080", "h", "h:65536", "[h]:1", ":1", "h h:1"]) func addressesAreCanonical(text: String)
  {
    var writer = ByteWriter()
    writer.write(varint: 1)
    writer.write(DeviceID(high: 0, low: 0))
    writer.write(varint: 1)
    writer.write(text: text)
    writer.write(word: 0)
    #expect(throws: WireError.malformed) {
      try decodeAll(frame(MessageType.addresses.rawValue, writer.bytes))
    }
  }

  @Test func errorsBecomeReasons() {
    #expect(WireError.beyondLimit.closeReason == .beyondLimit)
    for error in [WireError.truncated, .trailingBytes, .malformed] {
      #expect(error.closeReason == .malformed)
    }
  }

  @Test func highestCommonVersion() {
    #expect(ProtocolVersion.common(with: 1...1) == 1)
    #expect(ProtocolVersion.common(with: 1...9) == 1)
    #expect(ProtocolVersion.common(with: 2...3) == nil)
    #expect(ProtocolVersion.common(with: 1...3, own: 2...5) == 3)
    #expect(ProtocolVersion.common(with: 4...9, own: 2...5) == 5)
    #expect(ProtocolVersion.common(with: 1...3, own: 4...5) == nil)
  }
}

extension SignedBatch {
  /// Commits of one author that take just so many bytes (40,000 at least).
  static func filled(to size: Int) -> SignedBatch {
    var batch = SignedBatch()
    let author = Author(1)
    func add(_ length: Int) {
      let dot = Dot(replica: author.replica, sequence: UInt64(batch.count + 1))
      let value = [UInt8](repeating: 0, count: length)
      batch.append(contentsOf: .signed([Write(key: [1], stamp: Stamp(rawValue: 0), value: value, dot: dot)]))
    }
    // Beside its value of 128 to 16,383 bytes, or up to 32,768 with one byte more, a commit takes 80.
    add(16_000)
    while size - batch.bytes.count > 32_000 { add(16_000) }
    let rest = size - batch.bytes.count - 80
    add(rest > 16_383 ? rest - 1 : rest)
    return batch
  }
}
