/// Everything two engines say to each other. docs/protocol.md has the bytes.
public enum Message: Equatable, Sendable {
  /// Opens every session, from both sides.
  case hello(Hello)
  /// The peer's hello is accepted. With a fingerprint of this side's membership records: data may flow once they are
  /// the same.
  case welcome(ContentHash)
  /// The hashes of all membership records that this side holds: "send me the others".
  case recordHashes([ContentHash])
  /// Membership records that the peer may lack.
  case records(RecordsPart)
  /// Where this side stands.
  case summary(Summary)
  /// This side's version vector: "send me what I lack".
  case vector(ToldVector)
  /// Writes just made durable by their author, passed on whole.
  case commit(Commit)
  /// One piece of a delta.
  case delta(DeltaChunk)
  /// The end of a delta, with what it makes the receiver know.
  case deltaEnd(DeltaEnd)
  /// Digests of key ranges, for a repair.
  case ranges([RangeDigest])
  /// The registers of one key range, for a repair.
  case items(RangeItems)
  /// Where members listen.
  case addresses([KnownPeer.Listening])
  /// Over an invitation: a device that would like to join says who it is.
  case join(JoinRequest)
  /// Over an invitation: the inviting device says who it is, and proves it.
  case introduction(Introduction)
  /// Over an invitation: the joining device proves who it is, and agrees.
  case consent(Consent)
  /// Over an invitation: the record that makes one group of two.
  case admitted(MembershipRecord)
  /// The session ends.
  case close(CloseReason)
  /// Evidence of forked replicas.
  case forks([Fork])
  /// What a wall clock says.
  case time(ClockReading)
  /// Writes that came are stamped too far ahead and were not taken.
  case heldBack(HeldBack)
  /// "Dial me where I say that I listen, and tell which of these addresses you reached."
  case dialBack
  /// The addresses that were dialled: the answer.
  case dialledBack([DialledAddress])
  /// "Give me rights, so that you have given me so many in all."
  case rightsWanted(RightsTotal)
  /// "I have given you so many rights in all": the answer.
  case rightsGiven(RightsTotal)
}

/// How a session begins, from both sides.
public struct Hello: Hashable, Sendable {
  /// The protocol versions spoken, lowest and highest.
  package let versions: ClosedRange<UInt16>
  /// The incarnation that the device writes under.
  package let replica: ReplicaID
  /// A number drawn when the device's program started: two at once under one key are two copies of one device.
  package let bootID: UInt64
  package let environment: Environment
  package let bundleId: String
  package let name: String
  /// Where the device listens, if it does.
  package let listening: KnownPeer.Listening?
  /// The version of the device's program, for people to read.
  package let program: String

  package init(
    versions: ClosedRange<UInt16>, replica: ReplicaID, bootID: UInt64, environment: Environment,
    bundleId: String, name: String, listening: KnownPeer.Listening?, program: String = Version.current
  ) {
    self.versions = versions
    self.replica = replica
    self.bootID = bootID
    self.environment = environment
    self.bundleId = bundleId
    self.name = name
    self.listening = listening
    self.program = program
  }
}

/// A device that asks to join.
public struct JoinRequest: Hashable, Sendable {
  package let versions: ClosedRange<UInt16>
  package let key: PublicKey
  package let environment: Environment
  package let bundleId: String

  package init(
    versions: ClosedRange<UInt16>, key: PublicKey, environment: Environment, bundleId: String
  ) {
    self.versions = versions
    self.key = key
    self.environment = environment
    self.bundleId = bundleId
  }
}

/// What the inviting device says of itself.
public struct Introduction: Hashable, Sendable {
  package let key: PublicKey
  /// Over both keys, the role and what only this connection exports.
  package let signature: Signature
  /// How the two groups become one.
  package let proposal: MergeProposal

  package init(key: PublicKey, signature: Signature, proposal: MergeProposal) {
    self.key = key
    self.signature = signature
    self.proposal = proposal
  }
}

/// How the joining device agrees.
public struct Consent: Hashable, Sendable {
  /// Over both keys, the role and what only this connection exports.
  package let signature: Signature
  /// Its part of the record that makes one group of two.
  package let countersignature: Signature

  package init(signature: Signature, countersignature: Signature) {
    self.signature = signature
    self.countersignature = countersignature
  }
}

/// Membership records, or the first of them when they do not fit one message.
public struct RecordsPart: Hashable, Sendable {
  package let records: [MembershipRecord]
  /// Whether none follow.
  package let isLast: Bool

  package init(records: [MembershipRecord], isLast: Bool) {
    self.records = records
    self.isLast = isLast
  }

  /// Cuts records into parts that fit a message each; at least one, though it be empty.
  package static func parts(of records: [MembershipRecord]) -> [RecordsPart] {
    var parts: [[MembershipRecord]] = [[]]
    var bytes = 0
    for record in records {
      bytes += record.encoded.count
      if bytes > Limits.chunkBytes, !(parts.last ?? []).isEmpty {
        parts.append([])
        bytes = record.encoded.count
      }
      parts[parts.count - 1].append(record)
    }
    return parts.enumerated().map { RecordsPart(records: $1, isLast: $0 == parts.count - 1) }
  }
}

/// Where a replica stands, in a few bytes.
public struct Summary: Hashable, Sendable {
  /// Whether the sender wants the vectors compared (when a session opens and at each beat) or only reports.
  package let isProbe: Bool
  /// Hash of the version vector.
  package let vectorHash: UInt64
  /// Digest of the registers.
  package let digest: Digest

  package init(isProbe: Bool, vectorHash: UInt64, digest: Digest) {
    self.isProbe = isProbe
    self.vectorHash = vectorHash
    self.digest = digest
  }
}

/// One piece of a delta. Pieces count only in order and without gaps.
public struct DeltaChunk: Equatable, Sendable {
  /// Which delta of this session, from 1.
  package let delta: UInt64
  /// Which piece, from 0.
  package let index: UInt64
  /// Whole commits, and heads that back claims.
  package let commits: SignedBatch

  package init(delta: UInt64, index: UInt64, commits: SignedBatch) {
    self.delta = delta
    self.index = index
    self.commits = commits
  }
}

/// The end of a delta.
public struct DeltaEnd: Hashable, Sendable {
  package let delta: UInt64
  /// How many pieces there were.
  package let chunks: UInt64
  /// Hash of the version vector that the delta was computed against: it counts for a receiver that knows that much.
  package let baseHash: UInt64
  /// Entries that a receiver of every piece may take into its vector, sorted by replica, none twice.
  package let claims: [Dot]

  package init(delta: UInt64, chunks: UInt64, baseHash: UInt64, claims: [Dot]) {
    self.delta = delta
    self.chunks = chunks
    self.baseHash = baseHash
    self.claims = claims
  }
}

/// The registers whose key hash begins with the same bits.
package struct KeyRange: Hashable, Sendable {
  /// How many leading bits are fixed, 0 to 64.
  package let depth: UInt8
  /// Those bits, at the top; the others are zero.
  package let prefix: UInt64

  package init(depth: UInt8, prefix: UInt64) {
    self.depth = depth
    self.prefix = prefix
  }
}

/// The digest of one key range.
public struct RangeDigest: Hashable, Sendable {
  package let range: KeyRange
  package let count: UInt64
  package let digest: Digest

  package init(range: KeyRange, count: UInt64, digest: Digest) {
    self.range = range
    self.count = count
    self.digest = digest
  }
}

/// What one replica holds in a key range.
public struct RangeItems: Equatable, Sendable {
  package let range: KeyRange
  /// Whether the sender would like the receiver's writes of the range in return.
  package let wantsReply: Bool
  /// The writes of the range that the sender holds, each in its commit.
  package let commits: SignedBatch

  package init(range: KeyRange, wantsReply: Bool, commits: SignedBatch) {
    self.range = range
    self.wantsReply = wantsReply
    self.commits = commits
  }
}

/// What one side's wall clock says: a question, or the answer to one.
public struct ClockReading: Hashable, Sendable {
  /// Whether it answers, or would like an answer.
  package let isAnswer: Bool
  /// Which question of its asker on this session, from 1.
  package let question: UInt64
  /// The sender's wall clock.
  package let wall: Instant

  package init(isAnswer: Bool, question: UInt64, wall: Instant) {
    self.isAnswer = isAnswer
    self.question = question
    self.wall = wall
  }
}

/// What one replica gave to another of a credit, ever: the sender to the receiver or the other way round.
public struct RightsTotal: Hashable, Sendable {
  package let credit: String
  /// 0 to ``Limits/creditTotal``.
  package let total: Int64

  package init(credit: String, total: Int64) {
    self.credit = credit
    self.total = total
  }
}

/// Writes that a device has not taken because they are stamped too far ahead of its clock.
public struct HeldBack: Hashable, Sendable {
  /// The sender's wall clock.
  package let wall: Instant
  /// How many came in one message.
  package let writes: UInt64
  /// The greatest stamp among them.
  package let stamp: Stamp
  /// The last of each author, sorted by replica, at most ``Limits/heldBackAuthors``.
  package let latest: [Dot]

  package init(wall: Instant, writes: UInt64, stamp: Stamp, latest: [Dot]) {
    self.wall = wall
    self.writes = writes
    self.stamp = stamp
    self.latest = latest
  }
}
