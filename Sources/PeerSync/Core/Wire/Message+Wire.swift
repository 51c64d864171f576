/// The type byte of a frame. Numbers are never used for something else.
package enum MessageType: UInt8, CaseIterable, Sendable {
  case hello = 1
  case welcome = 2
  case summary = 3
  case vector = 4
  case commit = 5
  case delta = 6
  case deltaEnd = 7
  case ranges = 8
  case items = 9
  case addresses = 10
  case join = 11
  case admitted = 12
  case close = 13
  case recordHashes = 14
  case records = 15
  case introduction = 16
  case consent = 17
  case forks = 18
  case rightsWanted = 22
  case rightsGiven = 23
  case time = 40
  case heldBack = 41
  case dialBack = 42
  case dialledBack = 43
}

extension Message {
  /// What the message is called on the wire.
  package var type: MessageType {
    switch self {
    case .hello: .hello
    case .welcome: .welcome
    case .summary: .summary
    case .vector: .vector
    case .commit: .commit
    case .delta: .delta
    case .deltaEnd: .deltaEnd
    case .ranges: .ranges
    case .items: .items
    case .addresses: .addresses
    case .join: .join
    case .admitted: .admitted
    case .close: .close
    case .recordHashes: .recordHashes
    case .records: .records
    case .introduction: .introduction
    case .consent: .consent
    case .forks: .forks
    case .time: .time
    case .heldBack: .heldBack
    case .dialBack: .dialBack
    case .dialledBack: .dialledBack
    case .rightsWanted: .rightsWanted
    case .rightsGiven: .rightsGiven
    }
  }

  /// About how many bytes the body takes, so that the bytes of a batch are copied once and never moved.
  var bodyEstimate: Int {
    switch self {
    case .commit(let commit): commit.batch.bytes.count
    case .delta(let chunk): chunk.commits.bytes.count + 2 * ByteWriter.varintBytes
    case .items(let items): items.commits.bytes.count + 10
    case .vector(let vector): vector.fingerprints.count * 28 + ByteWriter.varintBytes
    default: 64
    }
  }

  /// Reads the body of a frame, all of it.
  init(_ type: MessageType, decoding body: ArraySlice<UInt8>) throws(WireError) {
    var reader = ByteReader(body)
    self = try reader.message(type)
    try reader.finish()
  }
}

/// What a session's first message begins with, so that anything else on the port is known for what it is.
private let magic = Array("PeerSync".utf8)

// MARK: Messages

extension ByteWriter {
  mutating func write(bodyOf message: Message) {
    switch message {
    case .hello(let hello): write(hello)
    case .welcome(let fingerprint): write(fingerprint)
    case .summary(let summary): write(summary)
    case .vector(let vector): write(vector)
    case .commit(let commit): write(raw: commit.batch.bytes)
    case .delta(let chunk): write(chunk)
    case .deltaEnd(let end): write(end)
    case .ranges(let ranges): write(ranges)
    case .items(let items): write(items)
    case .addresses(let entries): write(entries)
    case .join(let request): write(request)
    case .admitted(let record): write(record)
    case .close(let reason): write(byte: reason.rawValue)
    case .recordHashes(let hashes): write(hashes)
    case .records(let part): write(part)
    case .introduction(let introduction): write(introduction)
    case .consent(let consent): write(consent)
    case .forks(let forks): write(forks)
    case .time(let reading): write(reading)
    case .heldBack(let held): write(held)
    case .dialBack: break
    case .dialledBack(let dialled): write(dialled)
    case .rightsWanted(let rights), .rightsGiven(let rights): write(rights)
    }
  }
}

extension ByteReader {
  fileprivate mutating func message(_ type: MessageType) throws(WireError) -> Message {
    switch type {
    case .hello: .hello(try hello())
    case .welcome: .welcome(try bytes32())
    case .summary: .summary(try summary())
    case .vector: .vector(try toldVector())
    case .commit: .commit(try Commit(try batch()))
    case .delta: .delta(try deltaChunk())
    case .deltaEnd: .deltaEnd(try deltaEnd())
    case .ranges: .ranges(try rangeDigests())
    case .items: .items(try rangeItems())
    case .addresses: .addresses(try addressEntries())
    case .join: .join(try joinRequest())
    case .admitted: .admitted(try membershipRecord())
    case .close: .close(try closeReason())
    case .recordHashes: .recordHashes(try contentHashes())
    case .records: .records(try recordsPart())
    case .introduction: .introduction(try introduction())
    case .consent: .consent(try consent())
    case .forks: .forks(try forks())
    case .time: .time(try clockReading())
    case .heldBack: .heldBack(try heldBack())
    case .dialBack: .dialBack
    case .dialledBack: .dialledBack(try dialledAddresses())
    case .rightsWanted: .rightsWanted(try rightsTotal())
    case .rightsGiven: .rightsGiven(try rightsTotal())
    }
  }

  /// Commits fill the rest of a body: the frame's length is theirs.
  private mutating func batch() throws(WireError) -> SignedBatch {
    guard remaining <= Limits.batchBytes else { throw .beyondLimit }
    return try SignedBatch(decoding: try raw(remaining))
  }

  private mutating func closeReason() throws(WireError) -> CloseReason {
    guard let reason = CloseReason(rawValue: try byte()) else { throw .malformed }
    return reason
  }
}

// MARK: Opening a session

extension ByteWriter {
  private mutating func write(preamble versions: ClosedRange<UInt16>) {
    write(raw: magic)
    write(short: versions.lowerBound)
    write(short: versions.upperBound)
  }

  private mutating func write(_ hello: Hello) {
    write(preamble: hello.versions)
    write(hello.replica)
    write(word: hello.bootID)
    write(byte: hello.environment.wireNumber)
    write(text: hello.bundleId)
    write(text: hello.name)
    write(byte: hello.listening == nil ? 0 : 1)
    if let entry = hello.listening { write(entry) }
    write(text: hello.program)
  }

  private mutating func write(_ request: JoinRequest) {
    write(preamble: request.versions)
    write(request.key)
    write(byte: request.environment.wireNumber)
    write(text: request.bundleId)
  }
}

extension ByteReader {
  /// The magic and the range of versions: in every version of the protocol the same 12 bytes.
  private mutating func preamble() throws(WireError) -> ClosedRange<UInt16> {
    guard try raw(magic.count).elementsEqual(magic) else { throw .malformed }
    let lowest = try short()
    let highest = try short()
    guard lowest > 0, lowest <= highest else { throw .malformed }
    return lowest...highest
  }

  private mutating func hello() throws(WireError) -> Hello {
    let versions = try preamble()
    let hello = Hello(
      versions: versions, replica: try identifier(), bootID: try word(), environment: try environment(),
      bundleId: try text(), name: try text(), listening: try flag() ? try listening() : nil,
      program: try text())
    try skipFields(of: versions)
    return hello
  }

  private mutating func joinRequest() throws(WireError) -> JoinRequest {
    let versions = try preamble()
    let request = JoinRequest(
      versions: versions, key: try bytes32(), environment: try environment(), bundleId: try text())
    try skipFields(of: versions)
    return request
  }

  /// A newer peer may say more in its opening message than this program understands. One of the same version or an
  /// older one may not: there, bytes too many are an error as everywhere else.
  private mutating func skipFields(of versions: ClosedRange<UInt16>) throws(WireError) {
    guard versions.upperBound > ProtocolVersion.supported.upperBound else { return }
    _ = try raw(remaining)
  }

  private mutating func environment() throws(WireError) -> Environment {
    let number = try byte()
    guard let environment = Environment.allCases.first(where: { $0.wireNumber == number }) else {
      throw .malformed
    }
    return environment
  }
}

extension Environment {
  fileprivate var wireNumber: UInt8 {
    switch self {
    case .production: 1
    case .sandbox: 2
    case .xcode: 3
    }
  }
}

// MARK: Anti-entropy

extension ByteWriter {
  private mutating func write(_ summary: Summary) {
    write(byte: summary.isProbe ? 1 : 0)
    write(word: summary.vectorHash)
    write(summary.digest)
  }

  private mutating func write(_ chunk: DeltaChunk) {
    write(varint: chunk.delta)
    write(varint: chunk.index)
    write(raw: chunk.commits.bytes)
  }

  private mutating func write(_ end: DeltaEnd) {
    write(varint: end.delta)
    write(varint: end.chunks)
    write(word: end.baseHash)
    write(entries: end.claims)
  }

  private mutating func write(_ digest: Digest) {
    write(word: digest.high)
    write(word: digest.low)
  }
}

extension ByteReader {
  private mutating func summary() throws(WireError) -> Summary {
    Summary(isProbe: try flag(), vectorHash: try word(), digest: try digest())
  }

  private mutating func deltaChunk() throws(WireError) -> DeltaChunk {
    DeltaChunk(delta: try varint(), index: try varint(), commits: try batch())
  }

  private mutating func deltaEnd() throws(WireError) -> DeltaEnd {
    DeltaEnd(delta: try varint(), chunks: try varint(), baseHash: try word(), claims: try entries())
  }

  private mutating func digest() throws(WireError) -> Digest {
    Digest(high: try word(), low: try word())
  }
}

// MARK: Repair

extension ByteWriter {
  private mutating func write(_ range: KeyRange) {
    write(byte: range.depth)
    write(word: range.prefix)
  }

  private mutating func write(_ ranges: [RangeDigest]) {
    write(varint: UInt64(ranges.count))
    for entry in ranges {
      write(entry.range)
      write(varint: entry.count)
      write(entry.digest)
    }
  }

  private mutating func write(_ items: RangeItems) {
    write(items.range)
    write(byte: items.wantsReply ? 1 : 0)
    write(raw: items.commits.bytes)
  }
}

extension ByteReader {
  private mutating func keyRange() throws(WireError) -> KeyRange {
    let depth = try byte()
    let prefix = try word()
    // A shift by 64 gives 0 here: at full depth no bit may be left over, and none is.
    guard depth <= 64, prefix << UInt64(depth) == 0 else { throw .malformed }
    return KeyRange(depth: depth, prefix: prefix)
  }

  private mutating func rangeDigests() throws(WireError) -> [RangeDigest] {
    var ranges: [RangeDigest] = []
    for _ in 0..<(try count(atMost: Limits.repairItems)) {
      ranges.append(RangeDigest(range: try keyRange(), count: try varint(), digest: try digest()))
    }
    return ranges
  }

  private mutating func rangeItems() throws(WireError) -> RangeItems {
    RangeItems(range: try keyRange(), wantsReply: try flag(), commits: try batch())
  }
}

// MARK: Forks

extension ByteWriter {
  private mutating func write(_ forks: [Fork]) {
    write(varint: UInt64(forks.count))
    for fork in forks { fork.write(to: &self) }
  }
}

extension ByteReader {
  private mutating func forks() throws(WireError) -> [Fork] {
    var forks: [Fork] = []
    for _ in 0..<(try count(atMost: Limits.forks)) { forks.append(try Fork(from: &self)) }
    return forks
  }
}

// MARK: Clocks

extension ByteWriter {
  private mutating func write(_ reading: ClockReading) {
    write(byte: reading.isAnswer ? 1 : 0)
    write(varint: reading.question)
    write(reading.wall)
  }

  private mutating func write(_ held: HeldBack) {
    write(held.wall)
    write(varint: held.writes)
    write(word: held.stamp.rawValue)
    write(entries: held.latest)
  }
}

extension ByteReader {
  private mutating func clockReading() throws(WireError) -> ClockReading {
    ClockReading(isAnswer: try flag(), question: try varint(), wall: try instant())
  }

  private mutating func heldBack() throws(WireError) -> HeldBack {
    let held = HeldBack(
      wall: try instant(), writes: try varint(), stamp: Stamp(rawValue: try word()), latest: try entries())
    guard held.latest.count <= Limits.heldBackAuthors else { throw .beyondLimit }
    return held
  }
}
