import PeerSyncCore
import Testing

/// What one engine of a ``Harness`` has made durable. Takes what it is given, as the real store does.
struct HarnessDisk {
  var registers: [RegisterID: Write] = [:]
  var claims = VersionVector()
  var proofs = PersistedProofs()
  var replica: ReplicaID?
  var addresses: [KnownPeer.Listening] = []
  var group: GroupID?
  /// Those that came after the engine was made.
  var records: [MembershipRecord] = []
  var invitation: Invitation?
  var time = TrustedTime.Persisted()
  var contacts: [KnownPeer.Contact] = []
  var setAside = SetAside()
  var history = VectorHistory()
  var commits = 0
  var inventory: Inventory?
  /// What was left out when it was read.
  var damage: Damage?

  init() {}

  /// A disk that holds these writes, each a commit of its own, and knows them all.
  init(_ writes: [Write]) { self.init(writes.map { Commit.signed([$0]) }) }

  /// A disk that holds these commits, and knows them all.
  init(_ commits: [Commit]) {
    for write in commits.flatMap({ $0.batch.writes }) {
      registers[write.register] = write
      claims.advance(write.dot.replica, to: write.dot.sequence)
    }
    proofs = PersistedProofs(commits)
  }

  mutating func persist(_ durable: Durable) {
    for change in durable.changes {
      switch change {
      case .written(let batch): for write in batch.writes { registers[write.register] = write }
      case .removed(let removed): for register in removed { registers[register] = nil }
      case .voided(let cuts):
        for cut in cuts { registers = registers.filter { !$0.value.dot.isBeyond(cut) } }
      case .vector(let vector): claims = vector
      case .claimed(let dots): for dot in dots { claims.advance(dot.replica, to: dot.sequence) }
      case .proven(let changes): for change in changes { proofs.apply(change) }
      case .counted: break
      case .replica(let id): replica = id
      case .records(let news): records += news
      case .membership(let all): records = all
      case .invitation(.open(let open)): invitation = open
      case .invitation(.closed): invitation = nil
      case .group(let id): group = id
      case .addresses(let entries):
        for entry in entries {
          addresses.removeAll { $0.device == entry.device }
          addresses.append(entry)
        }
      case .time(let later): time.take(later)
      case .contacts(let news): contacts += news
      case .repaired: damage = nil
      case .setAside(let parts): setAside = parts
      case .known(let entries): history.apply(entries)
      // The tests say it anew with each start.
      case .online, .caughtUp: break
      }
    }
    if durable.changesLedger { inventory = durable.inventory }
    commits += 1
  }

  func replica(of author: Author) -> Replica {
    var replica = Replica(id: self.replica ?? author.replica, cryptography: .simulated)
    replica.restore(.incarnation(author.incarnation, replica: author.replica))
    for change in proofs.all { replica.restore(change) }
    for write in registers.values.sorted(by: { $0.dot < $1.dot }) { write.withView { replica.restore($0) } }
    for claim in claims.entries { replica.restore(claim: claim) }
    if let inventory, inventory.replica == replica.id { replica.restore(used: inventory.used) }
    return replica
  }
}

extension PersistedProofs {
  /// Whether there is a commit that a write belongs to.
  func hasCommit(of dot: Dot) -> Bool {
    commits.contains {
      $0.key.replica == dot.replica && ($0.value.first...$0.value.last).contains(dot.sequence)
    }
  }
}
