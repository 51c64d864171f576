/// How far the two sides of a session have compared what they hold.
package struct SessionComparison: Hashable, Sendable {
  /// The peer's version vector as far as it has told.
  package var peerVector: VersionVector?
  /// What the peer told last, with the fingerprints of the commits at which it stands.
  private(set) var told: ToldVector?
  /// Hashes of the vectors last told to the peer, the newest last: a delta computed against one of them counts, for a
  /// vector only rises. More than one, because under load the next is told before the delta for the last has come.
  package private(set) var announced: [UInt64] = []
  /// Hash of the vector told to the peer since this side last probed: not told again in the same exchange. The next
  /// exchange tells it again, though it be the same: what it brought the last time may have been held back.
  private(set) var toldHash: UInt64?
  /// Whether a probe has come on this session.
  var wasProbed = false
  /// What this device's digest was when the last summary with an equal vector had a different one; nil: the two were
  /// alike. Once it changes, something has been repaired.
  private(set) var mismatchedDigest: Digest?
  /// The monotonic clock when they first differed; nil: they were alike.
  private var mismatchedSince: UInt64?
  /// Hash of this side's vector when the peer last ended a delta from there that claims nothing: it has told all that it can, and what
  /// it claims beyond it cannot prove.
  private(set) var exhaustedHash: UInt64?
  /// Whether the peer was asked for what void writes had replaced here.
  var hasSought = false
  /// Whether the peer should hear where this side stands once everything is durable.
  package var owesReport = false
  /// Ranges that the peer has told and that were not answered, because the queue was full: answered once it has drained.
  private(set) var unanswered: [RangeDigest] = []
  /// Where the peer has said that it stands, and this side did not then.
  var heard: Summary?
  /// Hash of the vector at which the peer knows this side to stand, as soon as it stands there too; nil: of none.
  private(set) var shownHash: UInt64?
  /// The authors of which the peer has passed on what was left out here, because they are no members: it is not asked for that.
  var strangers: Set<ReplicaID> = []
  /// Hash of the vector at which both were when the peer last said so.
  private var agreedHash: UInt64?

  package init() {}

  /// Nothing was compared yet in a session that goes on.
  init(after before: SessionComparison) {
    wasProbed = before.wasProbed
    owesReport = before.owesReport
  }

  /// Most hashes in ``announced``.
  private static let announcedLimit = 16
  /// Most ranges in ``unanswered``: those of a repair in which everything differs wait a level at a time. What is beyond comes with
  /// a later repair.
  static let unansweredLimit = 1024

  /// Whether the last summary with an equal vector had a different digest.
  var isMismatched: Bool { mismatchedDigest != nil }

  /// Whether digests have differed for so long that nothing which was under way when they began to can be the reason.
  ///
  /// What the other side sends when ``Limits/differenceMilliseconds`` are over may come sooner after what was seen here.
  func isMismatched(forLongAt monotonic: UInt64) -> Bool {
    mismatchedSince.map { monotonic >= $0 + Limits.differenceMilliseconds / 2 } ?? false
  }

  /// Whether the peer stands where this replica does, and holds the same or may since.
  func isInSync(with replica: Replica) -> Bool {
    peerVector == replica.vector && mismatchedDigest != replica.digest
  }

  /// Whether the peer has said that it holds the same: it is on its disk.
  func hasAgreed(with replica: Replica) -> Bool {
    agreedHash == replica.vectorHash && !isMismatched
  }

  /// Whether the peer is known to hold a write, or a greater one.
  package func peerHas(_ dot: Dot) -> Bool { peerVector?.contains(dot) == true }

  /// Notes what the peer tells.
  mutating func note(_ told: ToldVector) {
    self.told = told
    peerVector = told.vector
  }

  /// Notes that this side probes: another exchange begins.
  mutating func noteProbe() { toldHash = nil }

  /// Notes ranges that are to be answered later.
  mutating func postpone(_ ranges: some Collection<RangeDigest>) {
    unanswered += ranges.prefix(max(0, Self.unansweredLimit - unanswered.count))
  }

  /// The ranges that were postponed; they are not any more.
  mutating func takeUnanswered() -> [RangeDigest] {
    defer { unanswered = [] }
    return unanswered
  }

  /// Notes a vector that the peer is told.
  mutating func noteTold(_ hash: UInt64) {
    noteShown(hash)
    noteAnnounced(hash)
    toldHash = hash
  }

  /// Notes that the peer is told where this side stands.
  mutating func noteShown(_ hash: UInt64) { shownHash = hash }

  /// Notes a commit that is sent: a peer that stood where this side did before it, and had been told, knows where it stands now.
  mutating func noteShown(_ advance: Advance) {
    guard shownHash == advance.hashBefore,
      agreedHash == advance.hashBefore || peerVector == advance.before
    else { return }
    shownHash = advance.hashAfter
  }

  /// Notes a vector that the peer is told, or knows to have been reached.
  mutating func noteAnnounced(_ hash: UInt64) {
    guard announced.last != hash else { return }
    announced.append(hash)
    if announced.count > Self.announcedLimit { announced.removeFirst() }
  }

  /// Notes that both stand at one vector, and the digests of both.
  mutating func noteSame(
    _ vector: VersionVector, hash: UInt64, digest: Digest, theirs: Digest, at monotonic: UInt64
  ) {
    peerVector = vector
    agreedHash = hash
    mismatchedDigest = digest == theirs ? nil : digest
    mismatchedSince = digest == theirs ? nil : mismatchedSince ?? monotonic
  }

  /// Notes a commit that the peer has sent: it claims it, if it claims what comes before.
  mutating func noteSent(_ commit: Commit, by author: ReplicaID) {
    guard let known = peerVector?[author], known + 1 >= commit.first else { return }
    peerVector?.advance(author, to: commit.last)
  }

  /// Notes what the peer claims at the end of a delta.
  ///
  /// - Parameter base: hash of the vector from which the delta leads on
  mutating func noteClaims(_ claims: [Dot], from base: UInt64) {
    exhaustedHash = claims.isEmpty ? base : nil
    for dot in claims { peerVector?.advance(dot.replica, to: dot.sequence) }
  }
}

/// Where this side stood before a commit, and stands with it: the same for all peers that it is sent to.
struct Advance {
  let before: VersionVector
  let hashBefore: UInt64
  let hashAfter: UInt64

  init(_ commit: Commit, by author: ReplicaID, within vector: VersionVector) {
    before = vector.with(Dot(replica: author, sequence: commit.first - 1))
    hashBefore = before.hash
    hashAfter = vector.with(Dot(replica: author, sequence: commit.last)).hash
  }
}

extension VersionVector {
  /// This vector with another entry for one replica.
  fileprivate func with(_ entry: Dot) -> VersionVector {
    VersionVector(entries.map { $0.replica == entry.replica ? entry : $0 })
  }
}
