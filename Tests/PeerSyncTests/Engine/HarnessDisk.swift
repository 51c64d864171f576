import PeerSync
import PeerSyncSimulation
import Testing

/// What one engine of a ``Harness`` has made durable. Takes what it is given, as the real store does.
struct HarnessDisk {
  var registers: [[UInt8]: Write] = [:]
  var claims = VersionVector()
  var proofs = VirtualProofs()
  var replica: ReplicaID?
  var addresses: [KnownPeer.Listening] = []
  var group: GroupID?
  /// Those that came after the engine was made.
  var records: [MembershipRecord] = []
  var invitation: Invitation?
  var time = TrustedTime.Persisted()
  var contacts: [KnownPeer.Contact] = []
  var setAside = SetAside()
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
      registers[write.key] = write
      claims.advance(write.dot.replica, to: write.dot.sequence)
    }
    proofs = VirtualProofs(commits)
  }

  mutating func persist(_ durable: Durable) {
    for (batches, removed) in durable.steps {
      for write in batches.flatMap(\.writes) { registers[write.key] = write }
      for key in removed { registers[key] = nil }
    }
    for change in durable.proofs { proofs.apply(change) }
    claims = durable.vector ?? claims
    replica = durable.replica ?? replica
    for claim in durable.claims { claims.advance(claim.replica, to: claim.sequence) }
    addresses += durable.addresses
    group = durable.group ?? group
    records += durable.records
    switch durable.invitation {
    case .open(let open): invitation = open
    case .closed: invitation = nil
    case nil: break
    }
    time.evidence = durable.time ?? time.evidence
    contacts += durable.contacts
    if durable.changesLedger { inventory = durable.inventory }
    if durable.isRepaired { damage = nil }
    setAside = durable.setAside ?? setAside
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
