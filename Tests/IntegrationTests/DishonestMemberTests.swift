import Foundation
import PeerSync
import Testing

/// Members whose keys fell into wrong hands, against real daemons: whatever they sign, it is told who did it, it costs the others
/// little, and their removal puts it right.
@Suite("Dishonest members", .paced, .noHang)
struct DishonestMemberTests {
  /// Three devices in sync, the last of which is stolen.
  private func theft() async throws -> (group: PeerdGroup, thief: StolenMember) {
    let group = try await PeerdGroup(3)
    try await group.agree()
    let thief = try await StolenMember(group[2])
    let left = PeerdGroup(of: [group[0], group[1]])
    try await left.agree(besides: thief.name)
    return (left, thief)
  }

  /// Says something to a daemon as the member, which stays connected for as long as the answer is held.
  private func say(
    _ messages: [Message], as thief: StolenMember, to device: PeerdProcess, bootID: UInt64 = 1
  ) async throws -> MemberConnection {
    let address = try #require(device.ready?.listen)
    return try await onThread {
      let connection = try thief.session(with: address, bootID: bootID)
      for message in messages { connection.send(message) }
      return connection
    }
  }

  private func warned(_ device: PeerdProcess, of words: String) async throws {
    try await device.wait(for: "'\(words)'") { $0.warnings.contains { $0.contains(words) } }
  }

  private func type(of id: String, on device: PeerdProcess) async throws -> String? {
    try await device.json("products", as: ProductsAnswer.self).products.first { $0.id == id }?.type
  }

  private var now: Stamp { Stamp(SystemClock().now().wall) }

  @Test("F57: products of the greatest version and of odd bytes are told, put right, and taken back")
  func products() async throws {
    let (group, thief) = try await theft()
    let (phone, tablet) = (group[0], group[1])
    let other = Product(id: "CarefreeOwl", type: .consumable)
    let lie = try thief.commit([
      (.product(id: other.id), now, other.encoded(version: UInt64(Limits.catalogueVersion))),
      (.product(id: "RandomOwls"), now, [1, 2, 3]),
    ])
    let connection = try await say([lie], as: thief, to: phone)
    for device in group.devices {
      try await warned(device, of: "Mac gave the product 'CarefreeOwl' another type")
      try await warned(device, of: "Mac wrote what is not understood here")
    }
    #expect(try await type(of: "RandomOwls", on: tablet) == "consumable")
    // Written again it counts, and nobody is blamed who did so.
    let home = try TemporaryDirectory()
    let good = try home.write(
      #"{"products": [{"id": "CarefreeOwl", "type": "nonConsumable", "entitlements": ["owl"]}]}"#,
      to: "good.json")
    let _: CatalogueAnswer = try await phone.json("catalogue", "add", good)
    try await group.agree(besides: thief.name)
    for device in group.devices {
      #expect(try await type(of: "CarefreeOwl", on: device) == "nonConsumable")
      #expect(try await !device.status().warnings.contains { $0.contains("CarefreeOwl") })
    }
    withExtendedLifetime(connection) {}
    let _: DevicesAnswer = try await phone.json("remove", "Mac", "--all")
    try await group.agree()
    for device in group.devices {
      #expect(try await !device.status().warnings.contains { $0.contains("product") || $0.contains("Mac") })
    }
    // What was put right keeps no later catalogue out.
    let watch = try await PeerdProcess(
      "Watch",
      catalogue:
        #"{"version": 7, "products": [{"id": "CarefreeOwl", "type": "nonConsumable", "line": "later"}]}"#)
    try await watch.start()
    try await watch.join(tablet)
    try await PeerdGroup(of: group.devices + [watch]).agree()
    let products: ProductsAnswer = try await phone.json("products")
    #expect(products.products.first { $0.id == "CarefreeOwl" }?.line == "later")
  }

  @Test("F58, F59: absurd spends and takings cost no more than what the member held, and are told")
  func credits() async throws {
    let (group, thief) = try await theft()
    let (phone, tablet) = (group[0], group[1])
    let _: TransactionResult = try await phone.json("buy", "RandomOwls", "--quantity", "2")
    let before = try await group.agree(besides: thief.name)
    #expect(before.credits.first?.balance == 10)
    let (own, victim) = (thief.replica.id, try #require(ReplicaID(before.device.replica)))
    let entries: [(CreditEntry, UInt64)] = [
      (.spent(by: own), UInt64(Limits.creditTotal)), (.taken(from: victim, by: own), 10),
      (.lost(from: victim, by: own), 10),
    ]
    var lies = entries.map { entry, total in
      (key: entry.key(of: "owls"), stamp: Stamp(rawValue: total), value: entry.value)
    }
    // Of a device that nobody has met.
    let stranger = try DeviceKey.generate().signingKey
    lies.append(
      try thief.name(
        { (CreditEntry.moved(from: $0.id, to: own).key(of: "owls"), Stamp(rawValue: 1000), []) },
        signedBy: stranger))
    let connection = try await say([try thief.commit(lies)], as: thief, to: phone)
    for device in group.devices {
      try await warned(device, of: "Mac has spent or given away")
      try await warned(device, of: "Mac says that it has taken over credits")
      try await warned(device, of: "This comes from Mac")
    }
    // It was given nothing.
    let after = try await group.agree(besides: thief.name)
    #expect(after.credits.first?.balance == 10)
    let spent: SpendAnswer = try await tablet.json("spend", "owls", "10", "--id", "all")
    #expect(spent.balance == 0)
    withExtendedLifetime(connection) {}
  }

  @Test(
    "F60, F61: other lives and other records shown to each are gone with the member, and new devices join")
  func floods() async throws {
    let (group, thief) = try await theft()
    let (phone, tablet) = (group[0], group[1])
    let grant = Grant(until: nil).encoded
    for (device, other) in [(phone, tablet), (tablet, phone)] {
      try await other.stop()
      if device.pid == nil { try await device.start() }
      let shown = "shown to \(device.name)"
      let messages =
        try thief.commits(ofLives: 130, (.value(key: "lie"), now, [1]))
        + thief.records(1_100, device.name.utf8.first ?? 0)
        + [thief.commit([(.grant(entitlement: shown, id: "manual"), now, grant)])]
      let connection = try await say(messages, as: thief, to: device)
      try await device.wait(for: shown) { $0.entitlements.contains { $0.id == shown && $0.active } }
      withExtendedLifetime(connection) {}
    }
    try await phone.start(peers: [try #require(tablet.ready?.listen)])
    let _: DevicesAnswer = try await phone.json("remove", "Mac", "--all")
    let status = try await group.agree()
    #expect(status.group.members == 2 && !status.entitlements.contains { $0.active })
    // There is room again for whom both let in.
    let (watch, television) = (try await PeerdProcess("Watch"), try await PeerdProcess("Television"))
    for (device, host) in [(watch, phone), (television, tablet)] {
      try await device.start()
      try await device.join(host)
    }
    try await PeerdGroup(of: group.devices + [watch, television]).agree()
  }

  @Test("F61: whom a member let in that has filled the records of others is told so, and comes in without it")
  func crowds() async throws {
    let group = try await PeerdGroup(3)
    let (phone, tablet, watch) = (group[0], group[1], try await PeerdProcess("Watch"))
    for device in [phone, tablet] { try await device.stop() }
    try await watch.start()
    try await watch.join(group[2])
    try await watch.stop()
    let thief = try await StolenMember(group[2])
    // Each is shown other records.
    for device in [phone, tablet, watch] {
      try await device.start()
      let messages = thief.records(1_100, device.name.utf8.first ?? 0)
      let connection = try await say(messages, as: thief, to: device)
      try await warned(device, of: "Mac and the devices that came in below it account for 25")
      withExtendedLifetime(connection) {}
      try await device.stop()
    }
    try await phone.start()
    try await tablet.start(peers: [try #require(phone.ready?.listen)])
    try await watch.start()
    try await warned(tablet, of: "remove it on Phone")
    for (joiner, host) in [(watch, tablet), (tablet, watch)] {
      let invitation: InvitationAnswer = try await host.json("invite")
      let outcome = try await joiner.run("join", invitation.link)
      #expect(outcome.status == 1 && outcome.errors.contains("no room"), "\(outcome.errors)")
    }
    let _: DevicesAnswer = try await phone.json("remove", "Mac", "--all")
    try await PeerdGroup(of: [phone, tablet]).agree()
    try await watch.join(tablet)
    let status = try await PeerdGroup(of: [phone, tablet, watch]).agree()
    #expect(status.group.members == 3 && !status.warnings.contains { $0.contains("membership records") })
  }
}
