/// What those who follow a device are told.
public enum DeviceEvent: Sendable {
  /// They follow it from here on.
  case ready(UInt64)
  /// Something has happened.
  case happened(UInt64, EventAnswer)
  /// More has happened than is kept: what there is has to be read anew.
  case reset(UInt64)
  /// A message went to a peer or came from one. It has no number of its own, for nobody resumes there.
  case traffic(UInt64, TrafficAnswer)

  /// How far whoever has read it knows what has happened.
  public var number: UInt64 {
    switch self {
    case .ready(let number), .happened(let number, _), .reset(let number), .traffic(let number, _): number
    }
  }

  var isTraffic: Bool { if case .traffic = self { true } else { false } }
}

/// Where a reader of events stands.
public struct PositionAnswer: Codable, Hashable, Sendable {
  /// `ready`: from here on; `reset`: something was missed.
  public let type: String
  /// Counts what has happened since the daemon started.
  public let revision: UInt64
  /// What to do about what was missed; null: nothing was.
  @Nullable public var remedy: String?

  package init(ready revision: UInt64) {
    (type, self.revision) = ("ready", revision)
    _remedy = Nullable(wrappedValue: nil)
  }

  package init(reset revision: UInt64) {
    (type, self.revision) = ("reset", revision)
    _remedy = Nullable(
      wrappedValue: "more has happened than is kept for you: read /v1/status and /v1/history anew")
  }
}

/// A message that went to a peer or came from one.
public struct TrafficAnswer: Codable, Hashable, Sendable {
  /// `traffic`.
  public let type: String
  /// The kind of message, as docs/protocol.md names it.
  public let kind: String
  /// `in` or `out`.
  public let direction: String
  /// Null: it is not known yet who it is.
  @Nullable public var peer: EventAnswer.Named?
  /// How many commits it carries.
  public let commits: Int
  /// Those of them that bring transactions, the first 100.
  public var purchases: [Carried]

  /// A commit that brings transactions.
  public struct Carried: Codable, Hashable, Sendable {
    /// Names the commit, on whatever way it goes.
    public let commit: String
    /// The store's ids of what it is about.
    public let transactions: [String]
    /// Those of them of which it says that they were taken back.
    public let revoked: [String]
    /// The device that wrote it; null: it is not known here.
    @Nullable public var device: EventAnswer.Named?
    /// Whether some of this was not known here; null: it goes out.
    @Nullable public var news: Bool?
  }

  /// - Parameter author: the device of a key
  init(_ message: Message, isOut: Bool, author: (PublicKey) -> EventAnswer.Named?) {
    type = "traffic"
    direction = isOut ? "out" : "in"
    kind = message.kind
    let batches = message.batches
    commits = batches.reduce(0) { $0 + $1.count }
    purchases = Array(batches.flatMap { $0.carried(author) }.prefix(100))
    _peer = Nullable(wrappedValue: nil)
  }
}

extension Message {
  fileprivate var batches: [SignedBatch] {
    switch self {
    case .commit(let commit): [commit.batch]
    case .delta(let chunk): [chunk.commits]
    case .items(let items): [items.commits]
    default: []
    }
  }

  fileprivate var kind: String {
    switch self {
    case .hello: "hello"
    case .welcome: "welcome"
    case .recordHashes: "recordHashes"
    case .records: "records"
    case .summary: "summary"
    case .vector: "vector"
    case .commit: "commit"
    case .delta: "delta"
    case .deltaEnd: "deltaEnd"
    case .ranges: "ranges"
    case .items: "items"
    case .addresses: "addresses"
    case .join: "join"
    case .introduction: "introduction"
    case .consent: "consent"
    case .admitted: "admitted"
    case .close: "close"
    case .forks: "forks"
    case .time: "time"
    case .heldBack: "heldBack"
    case .rightsWanted: "rightsWanted"
    case .rightsGiven: "rightsGiven"
    case .dialBack: "dialBack"
    case .dialledBack: "dialledBack"
    }
  }
}

extension SignedBatch {
  /// The commits that bring transactions.
  fileprivate func carried(_ author: (PublicKey) -> EventAnswer.Named?) -> [TrafficAnswer.Carried] {
    var carried: [TrafficAnswer.Carried] = []
    forEach { commit in
      let items = commit.carried
      guard !items.transactions.isEmpty else { return }
      let (key, nonce) = (authors[commit.author].key, authors[commit.author].nonce)
      carried.append(
        TrafficAnswer.Carried(
          commit: "\(nonce):\(commit.first)", transactions: items.transactions, revoked: items.revoked,
          device: author(key), news: nil))
    }
    return carried
  }
}

extension TrafficAnswer {
  /// What a commit says of one transaction.
  struct Told: Hashable {
    let id: String
    let isRevoked: Bool

    /// Whether this is nothing new there, as far as a purchase and its refund go.
    func isKnown(in ledger: Ledger) -> Bool {
      guard let known = ledger.transaction(id)?.transaction else { return false }
      return !isRevoked || known.refund != .none
    }
  }
}

extension TrafficAnswer.Carried {
  var told: Set<TrafficAnswer.Told> {
    Set(transactions.map { TrafficAnswer.Told(id: $0, isRevoked: revoked.contains($0)) })
  }
}
