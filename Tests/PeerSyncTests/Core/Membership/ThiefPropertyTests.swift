import PeerSyncCore
import Testing

/// What nobody can do who has a device's key, and not its recovery key, in worlds by chance.
@Suite struct ThiefPropertyTests {
  @Test(
    "I5: who has left, or was removed, brings in nobody and puts out nobody",
    arguments: [ThiefWorld.Kind.leftFirst, .left, .removed, .leftAndRemoved], [false, true])
  func staysOut(kind: ThiefWorld.Kind, isTwo: Bool) {
    MembershipProperties.check(15) { random in
      guard var world = ThiefWorld(kind, isTwo: isTwo, leaves: true, &random) else { return nil }
      let before = world.honest
      world.attack(&random)
      for (member, before) in zip(world.honest, before) {
        let name = before.name
        if member.members.contains(where: ThiefWorld.isThiefs) { return "\(name): \(member.members)" }
        if world.mayBeOut.contains(name) { continue }
        let stayed = before.members.filter { !world.mayBeOut.contains($0) }
        guard member.group.id == before.group.id, stayed.allSatisfy(member.members.contains) else {
          return "\(name): \(before.members) became \(member.members)"
        }
      }
      return disagreement(world)
    }
  }

  @Test(
    "F62: one removal brings all together again whom the thief of a device put out, and it lasts",
    arguments: [ThiefWorld.Kind.stolenFirst, .stolen], [false, true])
  func remedied(kind: ThiefWorld.Kind, isTwo: Bool) {
    MembershipProperties.check(15) { random in
      let leaves = random.chance(1, of: 2)
      guard var world = ThiefWorld(kind, isTwo: isTwo, leaves: leaves, &random) else { return nil }
      world.attack(&random)
      let attacked = world.honest.map(\.members)
      world.remedy(byRecoveryKey: kind.isFirst)
      let all = Set(world.names).subtracting([ThiefWorld.stolenName])
      for _ in 0...1 {
        if let member = world.honest.first(where: { Set($0.members) != all }) {
          return "\(attacked): \(member.name) then sees \(member.members)"
        }
        if let failure = disagreement(world) { return failure }
        world.attack(&random)
      }
      return nil
    }
  }

  /// Whether two of one group see another group, or hold other records, or what has left plays a part.
  private func disagreement(_ world: ThiefWorld) -> String? {
    for one in world.honest {
      let all = Membership(one.membership.held, .simulated)
      let group = all.group(of: one.device.publicKey, preferring: one.group.id)
      guard group == one.group else {
        return "\(one.name) sees \(one.members), and \(group?.members.map(\.name) ?? []) by all it holds"
      }
      for other in world.honest where one.group.isMember(other.device.publicKey) {
        guard one.group == other.group else { return "\(one.members) and \(other.members)" }
        guard one.membership.fingerprint == other.membership.fingerprint else {
          return "\(one.name) and \(other.name) hold other records"
        }
      }
    }
    return nil
  }
}
