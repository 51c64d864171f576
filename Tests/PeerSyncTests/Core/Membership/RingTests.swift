import PeerSyncCore
import Testing

/// Merges that close rings of groups. What a group is by the merges before one is gone on from for the next.
@Suite struct RingTests {
  private let home = Household("j", "h", "x")

  private func signed(
    _ body: MembershipRecord.Body, after parents: [MembershipRecord], by signers: [String]
  ) -> MembershipRecord {
    let parents = Set(parents.map { $0.hash(.simulated) }).sorted()
    let bytes = MembershipRecord(parents: parents, body: body, signatures: []).signedBytes
    return MembershipRecord(
      parents: parents, body: body, signatures: signers.map { home[$0].key.sign(bytes) })
  }

  private func merge(
    into group: String, by host: String, of joiner: String, after parents: [MembershipRecord]
  ) -> MembershipRecord {
    let foundings = [group, host, joiner].map { home[$0].founding.hash(.simulated) }
    let merge = MembershipRecord.Merge(group: foundings[0], host: foundings[1], joiner: foundings[2])
    let devices = [group, host, joiner].map { home[$0].founding }
    return signed(.merge(merge), after: devices + parents, by: [host, joiner])
  }

  /// Whoever was removed takes in nobody by what came later, so that no ring closes over that one.
  @Test(arguments: [false, true]) func aRemovedHostClosesNoRing(isRemoved: Bool) throws {
    let first = merge(into: "j", by: "j", of: "h", after: [])
    let removal = MembershipRecord.Removal(
      author: home["j"].founding.hash(.simulated), isByRecoveryKey: false, target: home["h"].publicKey,
      cuts: [])
    let removed = signed(.remove(removal), after: [first], by: ["j"])
    // The first device of the group would come under whom it took in: the group is asked about for the first time.
    let ring = merge(into: "h", by: "h", of: "j", after: [first])
    let later = merge(into: "j", by: "h", of: "x", after: [ring])
    let last = merge(into: "x", by: "x", of: "j", after: [later])
    var records = ["j", "h", "x"].map { home[$0].founding } + [first, ring, later, last]
    if isRemoved { records.append(removed) }
    let all = Membership(records, .simulated)
    #expect(all.count == records.count)
    let twin = MembershipTwin(all.records)
    for name in ["j", "h", "x"] {
      let key = home[name].publicKey
      #expect(all.group(of: key).map(MembershipTwin.Group.init) == twin.group(of: key), "\(name)")
    }
    let root = isRemoved ? "x" : "j"
    #expect(all.group(of: home["j"].publicKey)?.founding == home[root].founding.hash(.simulated))
  }
}
