import PeerSyncCore

/// What a device takes over of credits that are spent, or with somebody else, as nobody that it could ask knows.
///
/// A disk that was set back may have held the only word on what a life had spent, given away or taken over, or on who belongs to the
/// group. Then a person who has a device take over what such a life held has some of it spent twice; so has one who takes over
/// from a copy that still runs out of reach. Everything else that is taken too much is a fault of the device: it is not to take over
/// from such a life unasked.
struct TakingReview {
  private let world: World
  private let device: Int
  private let counting: Counting
  /// The devices that the taker could ask, itself included.
  private let asked: [Int]

  /// Nil where nobody that the device takes for a member has ever forgotten anything, or was copied.
  init?(of device: Int, in world: World) {
    guard let engine = world.devices[device].engine,
      engine.group.members.contains(where: { world.books.isForgetful($0.key) })
    else { return nil }
    (self.world, self.device, counting) = (world, device, engine.ledgerCache.counting)
    asked = world.devices.indices.filter { other in
      let known = world.devices[other]
      return other == device
        || known.original == nil && known.identity.key != world.devices[device].identity.key
          && engine.group.isMember(known.identity.key)
    }
  }

  /// A taking, and how much more of the credit it moves than its taker had taken before.
  private struct Taking {
    let credit: String
    let from: ReplicaID
    let moved: Int64
  }

  /// What of each credit is taken too much, and nobody could know.
  ///
  /// - Parameter durable: what is about to become durable
  func excess(of durable: Durable, by replica: ReplicaID) -> [(credit: String, amount: Int64)] {
    takings(in: durable, by: replica).map { ($0.credit, excess(of: $0)) }.filter { $0.1 > 0 }
  }

  private func takings(in durable: Durable, by replica: ReplicaID) -> [Taking] {
    durable.writes.flatMap(\.writes).compactMap { write in
      guard write.dot.replica == replica, write.key.first == RegisterKind.credit.rawValue else { return nil }
      let before = world.devices[device].disk.registers[write.register]?.stamp.rawValue ?? 0
      let moved = Int64(clamping: write.stamp.rawValue) - Int64(clamping: before)
      switch try? RegisterKey(decoding: write.key[...]) {
      case .creditTaking(let credit, let from, replica), .creditLost(let credit, let from, replica):
        return Taking(credit: credit, from: from, moved: moved)
      default: return nil
      }
    }
  }

  private func excess(of taking: Taking) -> Int64 {
    let holder = CreditHolder(taking.from)
    let issued =
      world.devices[device].engine?.ledger { $0.holding(of: taking.credit, by: holder).issued } ?? 0
    let disks = asked.flatMap { world.devices[$0].disk.registers.writes }
    let known = disks.filter { $0.withView { counting.includes(undecided: $0) } }
    let knownLeft = rights(of: taking, issued, by: known)
    let all = known + world.history.writes(of: .credit).filter { counts($0) }
    let left = rights(of: taking, issued, by: all)
    // Whoever lives that life goes on spending what it has.
    let kept = isLived(taking.from) ? 0 : max(left, 0)
    return min(taking.moved, max(knownLeft, 0)) - kept
  }

  /// What the former holder holds by some writes.
  private func rights(of taking: Taking, _ issued: Int64, by writes: [Write]) -> Int64 {
    let identity = world.devices[device].identity
    var ledger = Ledger(environment: identity.environment, bundleId: identity.bundleId)
    for write in writes where write.key.first == RegisterKind.credit.rawValue {
      ledger.apply(key: write.key[...], value: write.value[...], stamp: write.stamp)
    }
    var holding = ledger.holding(of: taking.credit, by: CreditHolder(taking.from))
    holding.issued = issued
    return holding.rights
  }

  /// Whether somebody else lives a life of this device whom no member is connected with.
  private func isLived(_ life: ReplicaID) -> Bool {
    let isLived = world.devices.indices.contains { other in
      other != device && !world.devices[other].isGone && world.devices[other].disk.replica == life
        && world.devices[other].identity.key == world.devices[device].identity.key
    }
    return isLived
      && !asked.contains { member in
        world.devices[member].engine?.network.sessions.flows.contains { $0.peer.replica == life } ?? false
      }
  }

  /// Whether a number of a credit counts by all that is known: a device that was removed has taken, given and spent what it had up to
  /// its cut, and nobody takes over from members.
  private func counts(_ write: Write) -> Bool {
    guard !world.rare.forged.contains(write.dot.replica),
      world.books.counts(write.dot, { world.author(of: $0) })
    else { return false }
    guard let taking = write.withView({ RegisterKey.taking($0) }),
      CreditHolder(taking.from) != .nobody
    else { return true }
    let (holder, taker) = (author(of: taking.from), author(of: taking.by))
    return holder == taker
      || taking.reason != .carried && (holder.map(world.books.outcasts.contains) ?? true)
  }

  /// The key of the device whose incarnation a replica is or was, although every disk may have forgotten it.
  private func author(of replica: ReplicaID) -> PublicKey? {
    world.history.keys[replica] ?? world.author(of: replica)
  }
}
