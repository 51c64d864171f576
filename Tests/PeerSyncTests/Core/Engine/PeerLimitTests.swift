import PeerSyncCore
import Testing

/// What one peer can make an engine remember, read and send.
@Suite struct PeerLimitTests {
  private let anything = Digest(high: 1, low: 1)

  /// A welcomed session of the first engine with a member for which the test speaks.
  private func session(_ harness: Harness, _ number: UInt64 = 40) -> SessionID {
    harness.welcomed(0, as: Author(number))
  }

  /// An engine that holds so many registers.
  private func loaded(_ count: Int) -> Harness {
    let harness = Harness(start: false)
    harness.add(disk: HarnessDisk(SyncTests.writes(count, by: 8)))
    harness.start(0)
    return harness
  }

  // MARK: Questions

  private func questions(_ harness: Harness) -> [Message] {
    var vector = VersionVector()
    vector.advance(ReplicaID(high: 5, low: 5), to: 1)
    return [
      .summary(Summary(isProbe: true, vectorHash: 1, digest: anything)), .vector(vector.told),
      .vector(VersionVector().told), .records(RecordsPart(records: [], isLast: true)),
      .time(ClockReading(isAnswer: false, question: 1, wall: Instant(clamping: .max))),
      .heldBack(
        HeldBack(
          wall: Instant(clamping: .min), writes: .max, stamp: Stamp(rawValue: .max),
          latest: [Dot(replica: harness.identities[0].replica, sequence: Limits.sequence)])),
    ]
  }

  @Test func tooManyQuestionsEndTheSession() {
    for question in questions(Harness(1)) {
      let harness = Harness(1)
      var peer = session(harness)
      // The first, and once more after it has come back: another session is no other peer.
      for allowed in [Limits.questions, 0] {
        for number in 0..<allowed {
          let effects = harness.handle(0, [.received(peer, question), .drained(peer)])
          #expect(effects.closings.isEmpty, "\(question.type) \(number)")
        }
        #expect(harness.handle(0, [.received(peer, question)]).closings.map(\.1) == [.busy])
        harness.handle(0, [.closed(peer)])
        peer = session(harness)
      }
      // Another peer is served all along, and the same one with time.
      let other = session(harness, 36)
      #expect(harness.handle(0, [.received(other, question)]).closings.isEmpty)
      harness.monotonic += 1_000
      for _ in 0..<Limits.questionsPerSecond {
        #expect(harness.handle(0, [.received(peer, question), .drained(peer)]).closings.isEmpty)
      }
    }
  }

  /// A peer that asks and does not read.
  @Test func answersWaitForRoomInTheQueue() {
    // Many lives of members: of others nothing is held.
    let commits = (1...UInt64(Limits.replicas - 1)).compactMap { number in
      let author = Author(2 + number % 38, life: number)
      return author.commit([
        Write(
          key: [200], stamp: Stamp(rawValue: number), value: [],
          dot: Dot(replica: author.replica, sequence: 1))
      ])
    }
    let disk = HarnessDisk(commits)
    let harness = Harness(start: false)
    harness.add(disk: disk)
    harness.start(0)
    let peer = session(harness)
    let probe = Message.summary(Summary(isProbe: true, vectorHash: 1, digest: anything))
    let effects = harness.handle(0, (0..<Limits.questions).map { _ in .received(peer, probe) })
    let bytes = effects.messages.reduce(0) { $0 + Frame.encode($1.1).count }
    #expect((Limits.queuedBytes / 2...Limits.queuedBytes + Limits.frameBytes).contains(bytes), "\(bytes)")
    // Once it has read, the two compare.
    #expect(harness.handle(0, [.drained(peer)]).messages.map(\.1.type) == [.summary])
  }

  // MARK: Walks

  @Test func rangesThatOverlapEndTheSession() {
    let parts = KeyRange.all.children
    func digests(_ ranges: [KeyRange]) -> Message {
      .ranges(ranges.map { RangeDigest(range: $0, count: 1, digest: anything) })
    }
    let wrong = [
      [parts[0], parts[0]], [parts[1], parts[0]], [.all, parts[3]], [parts[2], parts[2].children[15]],
      [KeyRange](repeating: .all, count: Limits.repairItems),
    ]
    for ranges in wrong {
      let harness = loaded(100)
      let effects = harness.handle(0, [.received(session(harness), digests(ranges))])
      #expect(effects.closings.map(\.1) == [.unexpected] && effects.messages.isEmpty)
    }
    let harness = loaded(100)
    let effects = harness.handle(0, [.received(session(harness), digests([parts[0], parts[2].children[3]]))])
    #expect(effects.closings.isEmpty && effects.messages.count == 2)
  }

  /// So many walks over all registers, then nothing until some time has passed. The session stays.
  @Test func walksAreBounded() {
    let ranges = Message.ranges([RangeDigest(range: .all, count: 1, digest: anything)])
    let items = Message.items(RangeItems(range: .all, wantsReply: true, commits: SignedBatch()))
    let halves = Message.ranges(
      KeyRange.all.children.prefix(8).map { RangeDigest(range: $0, count: 1, digest: anything) })
    for (message, perWalk) in [(ranges, 1), (items, 1), (halves, 2)] {
      let harness = loaded(1_000)
      let peer = session(harness)
      var answers: Int { sent(harness, peer) { [message] in $0.handle(0, [.received(peer, message)]) } }
      let each = answers
      #expect(each > 0)
      for _ in 1..<(Int(Limits.walks) * perWalk) { #expect(answers == each) }
      for _ in 0..<1_000 { #expect(answers == 0) }
      harness.monotonic += Limits.walkMilliseconds + 1
      for _ in 0..<perWalk { #expect(answers == each) }
      #expect(answers == 0 && harness.closings.isEmpty)
    }
  }

  /// A peer that pretends to be in sync and to hold something else has everything walked no more often than one that asks.
  @Test func repairsAreBounded() {
    let harness = loaded(1_000)
    let peer = session(harness)
    let hash = harness.replica(0).vectorHash
    let probe = Message.summary(Summary(isProbe: true, vectorHash: hash, digest: anything))
    var repairs: Int { sent(harness, peer) { $0.handle(0, [.received(peer, probe)]) } }
    // What is under way when they first differ is none.
    #expect((0..<100).allSatisfy { _ in repairs == 0 })
    harness.monotonic += Limits.differenceMilliseconds
    let begun = (0..<100).reduce(0) { sum, _ in sum + repairs }
    #expect(begun == Int(Limits.walks) && harness.closings.isEmpty)
    harness.monotonic += Limits.walkMilliseconds + 1
    #expect(repairs == 1 && repairs == 0)
  }

  /// How many messages of a repair are sent in answer; the queue then drains.
  private func sent(_ harness: Harness, _ peer: SessionID, _ act: (Harness) -> Effects) -> Int {
    let effects = act(harness)
    harness.handle(0, [.drained(peer)])
    return effects.messages.count { [.ranges, .items].contains($0.1.type) }
  }

  // MARK: Memory

  /// Pieces of a delta wait in memory for its end, up to a limit: then they become durable without it.
  @Test func piecesThatWaitAreBounded() {
    let harness = Harness(1)
    let peer = session(harness)
    var (waiting, pieces) = (0, 0)
    for (index, write) in SyncTests.writes(600, by: 8, value: 30_000).enumerated() {
      var batch = WriteBatch()
      batch.append(write)
      let piece = DeltaChunk(delta: 1, index: UInt64(index), commits: .signed(batch))
      let effects = harness.handle(0, [.received(peer, .delta(piece))])
      waiting += batch.bytes.count
      pieces += 1
      #expect(effects.closings.isEmpty)
      guard effects.durable.writes.isEmpty else { break }
      #expect(waiting < Limits.unsavedBytes)
    }
    #expect(waiting >= Limits.unsavedBytes && harness.replica(0).count == pieces)
    harness.expectSaved(0)
  }

  // MARK: Addresses

  private func entry(_ author: Author, _ stamp: UInt64) -> KnownPeer.Listening {
    KnownPeer.Listening(
      device: author.device, address: Address(host: "host-\(author.number)-\(stamp)", port: 1),
      stamp: Stamp(rawValue: stamp))
  }

  /// Addresses of members are taken, all of them, and replaced when they move; those of others are not.
  @Test func onlyMembersAreInTheAddressBook() {
    let harness = Harness(1)
    let peer = session(harness)
    let strangers = (UInt64(50)..<90).map { entry(Author($0), 5) }
    let members = (UInt64(2)...40).map { entry(Author($0), 5) }
    let taken = harness.handle(0, [.received(peer, .addresses(strangers + members))]).durable.addresses
    #expect(taken == members)
    let moved = entry(Author(7), 6)
    #expect(harness.handle(0, [.received(peer, .addresses([moved]))]).durable.addresses == [moved])
  }

  /// A peer whose queue is full is not told addresses on top.
  @Test func addressesWaitForRoomInTheQueue() {
    let harness = Harness(1)
    harness.adjust(0) { $0.queueLimit = 10 }
    let (teller, listener) = (session(harness), session(harness, 36))
    var told = 0
    for number in 0..<20 {
      let effects = harness.handle(0, [.received(teller, .addresses([entry(Author(9), UInt64(number + 1))]))])
      told += effects.messages.count { $0.0 == listener }
    }
    #expect(told == 0)
    // Then it is told the newest, although nothing is new then.
    let effects = harness.handle(0, [.drained(listener)])
    let messages = effects.messages.filter { $0.0 == listener && $0.1.type == .addresses }.map(\.1)
    #expect(messages == [.addresses([entry(Author(9), 20)])])
    harness.handle(0, [.drained(listener)])
    #expect(harness.handle(0, [.drained(listener)]).messages.allSatisfy { $0.1.type != .addresses })
  }

  /// Each answer may be all the records that there are, and a question is a few bytes.
  @Test func allRecordsAreToldOneAnswerAtATime() {
    let harness = Harness(1)
    harness.adjust(0) { $0.queueLimit = 8000 }
    let peer = session(harness)
    harness.handle(0, [.drained(peer)])
    func answers(_ effects: Effects) -> Int {
      effects.messages.count { if case .records(let part) = $0.1 { part.isLast } else { false } }
    }
    let questions = Array(repeating: Event.received(peer, .recordHashes([])), count: 100)
    #expect(answers(harness.handle(0, questions)) == 1)
    #expect((0..<3).map { _ in answers(harness.handle(0, [.drained(peer)])) } == [1, 0, 0])
    // It is the same before data flows, and nobody is turned away: the hashes of a large set may fill the queue.
    let early = harness.open(0, as: Author(33))
    harness.handle(0, [.received(early, Harness.hello(of: Author(33)))])
    harness.handle(0, [.received(early, .welcome(ContentHash(words: (1, 2, 3, 4))))])
    let effects = harness.handle(0, questions.map { _ in .received(early, .recordHashes([])) })
    #expect(answers(effects) == 1 && effects.closings.isEmpty)
    #expect((0..<3).map { _ in answers(harness.handle(0, [.drained(early)])) } == [1, 0, 0])
  }
}
