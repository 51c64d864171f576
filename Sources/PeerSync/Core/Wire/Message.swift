/// Everything two engines say to each other. docs/protocol.md has the bytes.
package enum Message: Equatable, Sendable {
  /// Opens every session, from both sides.
  case hello(Hello)
  /// The peer's hello is accepted: data may flow.
  case welcome
  /// Where this side stands.
  case summary(Summary)
  /// This side's version vector: "send me what I lack".
  case vector(VersionVector)
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
  case addresses([AddressEntry])
  /// A device that is no member yet presents an invitation code.
  case join(JoinRequest)
  /// The code was right: the joining device belongs to this group.
  case admitted(GroupID)
  /// The session ends.
  case close(CloseReason)
  /// Evidence of forked replicas.
  case forks([Fork])
}

/// Who opens a session.
package struct Hello: Hashable, Sendable {
  /// The protocol versions spoken, lowest and highest.
  package let versions: ClosedRange<UInt16>
  package let group: GroupID
  package let device: DeviceID
  package let replica: ReplicaID
  package let environment: Environment
  package let bundleId: String
  package let name: String
  /// Where the device listens, if it does: an entry of this device.
  package let listening: AddressEntry?

  package init(
    versions: ClosedRange<UInt16>, group: GroupID, device: DeviceID, replica: ReplicaID,
    environment: Environment, bundleId: String, name: String, listening: AddressEntry?
  ) {
    self.versions = versions
    self.group = group
    self.device = device
    self.replica = replica
    self.environment = environment
    self.bundleId = bundleId
    self.name = name
    self.listening = listening
  }
}

/// A device that asks to join.
package struct JoinRequest: Hashable, Sendable {
  package let versions: ClosedRange<UInt16>
  package let code: String
  package let device: DeviceID
  package let environment: Environment
  package let bundleId: String
  package let name: String

  package init(
    versions: ClosedRange<UInt16>, code: String, device: DeviceID, environment: Environment,
    bundleId: String, name: String
  ) {
    self.versions = versions
    self.code = code
    self.device = device
    self.environment = environment
    self.bundleId = bundleId
    self.name = name
  }
}

/// Where a replica stands, in a few bytes.
package struct Summary: Hashable, Sendable {
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
package struct DeltaChunk: Equatable, Sendable {
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
package struct DeltaEnd: Hashable, Sendable {
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
package struct RangeDigest: Hashable, Sendable {
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
package struct RangeItems: Equatable, Sendable {
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
