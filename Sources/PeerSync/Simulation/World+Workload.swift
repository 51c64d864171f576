import PeerSyncCore

// What the people of a simulation do: buy, refund, set dates, grant, pair, go offline.
extension World {
  /// The app of simulations.
  package static let bundleId = "com.example.simulation"

  /// Those at the beginning sell better.
  static let products = [
    Product(id: "five", type: .consumable, entitlements: ["a"], credit: "owls", amount: 5),
    Product(id: "m1", type: .nonRenewingSubscription, line: "a", period: Period("P1M"), entitlements: ["a"]),
    Product(id: "m3", type: .nonRenewingSubscription, line: "a", period: Period("P3M"), entitlements: ["a"]),
    Product(id: "w2", type: .nonRenewingSubscription, line: "a", period: Period("P2W"), entitlements: ["a"]),
    Product(id: "y1", type: .nonRenewingSubscription, line: "b", period: Period("P1Y"), entitlements: ["b"]),
    Product(id: "owl", type: .nonConsumable, entitlements: ["owl"]),
  ]

  /// Makes the devices of a random simulation: each alone at first, to be paired in the course of it.
  func populate(_ count: Int) {
    checked.floors.storeIsRight = !faults.rare.contains(.clocks)
    sizes = PieceSizes(using: &random)
    for index in 0..<count {
      let device = addDevice(name: "Device \(index)", bundleId: Self.bundleId)
      start(device)
      // Every device has an app of some age: the catalogue's products, but for some.
      let known = (Self.products + Sales.plans).filter { _ in chance(4) > 0 }
      request(.addProducts(known, version: 0), of: device)
    }
  }

  /// Mean time between two things that people do, in milliseconds.
  private static let workEvery: UInt64 = 20_000

  /// Someone does something, and the next one is on their way.
  func work() {
    guard time < workEnd else { return }
    queue.schedule(.work, at: time + 1 + chance(Self.workEvery * 2))
    let index = Int(chance(UInt64(devices.count)))
    guard isRunning(index) else { return }
    switch chance(28) {
    case 0..<8: buy(index)
    case 8..<10: deliver(index)
    case 10..<12: takeBack(index)
    case 12: refund(index)
    case 13: setExpiration(index)
    case 14: grant(index)
    case 15: setValue(index)
    case 20..<24: spend(index)
    case 24..<28: subscribe(index)
    case 16: request(.setOnline(chance(3) > 0), of: index)
    default: pair(index)
    }
  }

  private func buy(_ index: Int) {
    let product = Self.products[Int(chance(UInt64(Self.products.count + 3))) % Self.products.count]
    // Few distinct dates, so that purchases of one moment happen.
    let date = trueTime.advanced(byMilliseconds: Int64(chance(40)) * -86_400_000 / 4)
    let id = chance(10) == 0 ? "unknown" : product.id
    request(purchase(PurchaseOrder(id, quantity: 1 + Int(chance(3) / 2), at: date)), of: index)
  }

  /// The store delivers a purchase once more, perhaps to another device, or one that was made elsewhere: by another app, of
  /// something that no device knows.
  private func deliver(_ index: Int) {
    guard var transaction = sales.pick(using: &random) else { return }
    if chance(4) == 0, transaction.type != .autoRenewableSubscription {
      transaction.transactionId = String(random.next() >> 1)
      transaction.originalTransactionId = transaction.transactionId
      if chance(2) == 0 { transaction.productId = "unknown" } else { transaction.accountToken = nil }
      guard mayDeliver(transaction) else { return }
      sales.note(transaction)
    }
    guard mayDeliver(transaction) else { return }
    deliver(SimulatedStore.sign(transaction), to: index)
  }

  /// A device takes in what the store has signed.
  func deliver(_ signed: JWS, to index: Int) {
    request(.ingest([SimulatedStore.item(signed, for: devices[index].identity)]), of: index)
  }

  /// Someone has the store refund a purchase, on a device that knows it or does not.
  private func refund(_ index: Int) {
    guard let transaction = sales.pick(using: &random) else { return }
    request(.refund(transaction: transaction.transactionId), of: index)
  }

  /// The store refunds a purchase in full or in part, or reverses that; the news may reach any device.
  private func takeBack(_ index: Int) {
    guard var transaction = sales.pick(using: &random), mayDeliver(transaction) else { return }
    transaction.signedDate = trueTime
    if chance(4) > 0 {
      transaction.refund(at: trueTime, keeping: chance(3) == 0 ? Int(chance(100_001)) : nil)
    }
    deliver(SimulatedStore.sign(transaction), to: index)
  }

  /// Someone subscribes, or the store renews a subscription or says how one will go on, to any device.
  private func subscribe(_ index: Int) {
    if sales.hasSubscriptions, chance(4) > 0, let news = sales.renew(at: trueTime, using: &random) {
      deliver(news, to: index)
    } else {
      request(purchase(PurchaseOrder(Sales.plans[Int(chance(2))].id, at: trueTime)), of: index)
    }
  }

  private func setExpiration(_ index: Int) {
    let expires =
      chance(4) == 0 ? nil : now(index).wall.advanced(byMilliseconds: Int64(chance(90)) * 86_400_000)
    request(.setExpiration(line: chance(2) == 0 ? "a" : "b", expires), of: index)
  }

  private func grant(_ index: Int) {
    let isGranted = chance(2) == 0
    request(
      isGranted
        ? .grant(entitlement: "a", id: String(chance(3)), until: nil) : .revoke(entitlement: "a"), of: index)
  }

  private func setValue(_ index: Int) {
    let size = Int(chance(200))
    let value = (0..<size).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    request(.setValue(key: "v\(chance(5))", value), of: index)
  }

  /// Someone pairs this device, or the first of its group, with one of the largest group, if it is not in that.
  func pair(_ index: Int) {
    guard let joiner = joiner(for: index), let host = host(for: joiner) else { return }
    invite(joiner, to: host)
  }

  private func invite(_ joiner: Int, to host: Int) {
    let invitation = makeInvitation(host)
    request(.invite(invitation), of: host)
    request(.join(devices[host].address, invitation.key), of: joiner)
  }

  /// An invitation that a device is about to open.
  func makeInvitation(_ index: Int) -> Invitation {
    Invitation(
      key: InvitationKey(words: (random.next(), random.next(), random.next(), random.next())),
      expires: now(index).wall.advanced(byMilliseconds: Limits.invitationMilliseconds))
  }

  /// Pairs whoever is still alone, one after another.
  func pairRest(within limit: UInt64) {
    let end = time + limit
    if family.isEmpty { showTheWay() }
    var last = -1
    while let alone = alone(after: last), violations.isEmpty {
      guard time < end else { return report(.liveness, "device \(alone) could not be paired") }
      // All had their turn in vain. Of two who call each other members one may have been set back and know addresses of others alone,
      // and be the one who tells who belongs to them.
      if alone <= last, removeWhoFillsRecords() {
        last = -1
      } else if alone <= last, let (device, other) = lost.first {
        invite(device, to: other)
        last = -1
      } else if alone <= last, removeAgain(alone) {
        last = -1
      } else {
        pair(alone)
        last = alone
      }
      run(until: time + 2 * Limits.handshakeMilliseconds)
    }
    if counts.copies > 0 { showTheWay() }
  }

  /// The next device that is still alone. By turns: who cannot come now may, once another has.
  private func alone(after last: Int) -> Int? {
    let alone = devices.indices.filter { joiner(for: $0) != nil }
    return alone.first { $0 > last } ?? alone.first
  }

  /// A device that was copied, and its copy stopped: all others may know the address of the copy alone. Or all those are removed
  /// whose addresses a device knows, and the others know of a device and not where it is. As people would who see nobody connected,
  /// somebody pairs it once more.
  private func showTheWay() {
    run(until: time + Limits.redialMaximumMilliseconds)
    for (lost, other) in lost {
      invite(lost, to: other)
      run(until: time + 2 * Limits.handshakeMilliseconds)
    }
  }

  /// Those of the family who see nobody connected, and its first; where that alone sees nobody, it and the next. Where devices have heard of different removals
  /// and there is no family, each with one that it takes for a member and that takes it for one. Where there is none of these either,
  /// each has removed the next: whom a device takes for a member comes and tells what it knows.
  private var lost: [(device: Int, other: Int)] {
    let family = family
    guard let first = family.first else {
      return originals.filter(isUnconnected).compactMap { index in
        companion(of: index).map { (index, $0) } ?? presumedCompanion(of: index).map { ($0, index) }
      }
    }
    let others = family.dropFirst()
    let lost = others.filter(isUnconnected).map { ($0, first) }
    // The others may know each other's addresses, and of the first that of its copy alone.
    return lost.isEmpty && isUnconnected(first) ? others.prefix(1).map { (first, $0) } : lost
  }

  private func isUnconnected(_ index: Int) -> Bool { devices[index].engine?.readySessions == 0 }
}
