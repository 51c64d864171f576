import PeerSyncCore
import Testing

/// Records that hang on the group by one that leaves.
@Suite struct UnlinkedRecordTests {
  /// A member links devices that it made up to the group by a record of no effect. Whoever is told of them once it is out could take them for
  /// those that everything else has to be linked to.
  @Test("F60: what nothing links to the group any more leaves as well", arguments: 0..<8)
  func unlinked(seed: UInt64) throws {
    var home = try Household.looking("j", "h")
    let made = (0..<2).map { Household.Device("made up", seed: 100 + 2 * seed + $0) }
    let foundings = made.map { $0.founding.hash(.simulated) }
    func signed(_ body: MembershipRecord.Body, _ parents: [ContentHash], _ keys: [SigningKey])
      -> MembershipRecord
    {
      let unsigned = MembershipRecord(parents: parents.sorted(), body: body, signatures: [])
      return MembershipRecord(
        parents: parents.sorted(), body: body, signatures: keys.map { $0.sign(unsigned.signedBytes) })
    }
    let merge = MembershipRecord.Merge(group: foundings[0], host: foundings[0], joiner: foundings[1])
    let joined = signed(.merge(merge), foundings, made.map(\.key))
    let nothing = MembershipRecord.Body.other(
      kind: 200, author: home["h"].founding.hash(.simulated), payload: [])
    let known = try #require(home["h"].membership.records.last)
    let link = signed(
      nothing, [known.hash(.simulated), joined.hash(.simulated)], [home["h"].key])
    let insertion = home["j"].membership.insert(made.map(\.founding) + [joined, link])
    #expect(insertion.added.count == 4)
    try home.remove("h", by: "j")
    home.look("j")
    let told = home["j"].membership.records
    #expect(foundings.allSatisfy { hash in !told.contains { $0.hash(.simulated) == hash } })
    #expect(Membership(told, .simulated).group(of: home["j"].publicKey)?.removed.map(\.device.name) == ["h"])
  }
}
