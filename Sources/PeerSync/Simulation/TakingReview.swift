import PeerSyncCore

/// What a device takes over of credits that are spent, or with somebody else, as nobody that it could ask knows.
///
/// A disk that was set back may have held the only word on what a life had spent, given away or taken over, or on who belongs to the
/// group. Then a person who has a device take over what such a life held has some of it spent twice; so has one who takes over
/// from a copy that still runs out of reach. And of a device that no member has met a dishonest member may say that it is lost, and that it
/// took over what that one holds: who removes it without taking that back has it taken over from there. Everything else that is taken too
/// much is a fault of the device: it is not to take over from such a life unasked.
struct TakingReview {
  private let world: World
  private let device: Int
  private let counting: Counting
  /// Whether somebody that the device takes for a member has ever forgotten anything, or was copied.
  private let isForgetful: Bool
  /// The devices that the taker could ask, itself included.
  private let asked: [Int]

  /// Nil where nobody that the device takes for a member has ever forgotten anything, or was copied, and nobody is dishonest.
  init?(of device: Int, in world: World) {
    guard let engine = world.devices[device].engine else { return nil }
    isForgetful = engine.group.members.contains { world.books.isForgetful($0.key) }
    guard isForgetful || !world.rare.forged.isEmpty else { return nil }
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
    min(taking.moved, (isForgetful ? max(forgotten(of: taking), 0) : 0) + pretended(of: taking))
  }

  /// What a dishonest member from whom something is taken says that it has taken over from devices of which the taker knows nothing, as
  /// far as these hold it.
  private func pretended(of taking: Taking) -> Int64 {
    guard world.rare.forged.contains(taking.from), let replica = world.devices[device].engine?.replica else {
      return 0
    }
    let honest = world.devices[device].disk.registers.writes.filter {
      !world.rare.forged.contains($0.dot.replica)
    }
    return world.devices[device].disk.registers.writes.reduce(0) { sum, write in
      let lost: ReplicaID
      switch try? RegisterKey(decoding: write.key[...]) {
      case .creditTaking(taking.credit, let from, taking.from),
        .creditLost(taking.credit, let from, taking.from):
        lost = from
      default: return sum
      }
      guard replica.incarnation(of: lost) == nil else { return sum }
      let amount = min(Int64(clamping: write.stamp.rawValue), Limits.creditTotal)
      let held = rights(of: taking.credit, by: lost, honest)
      return sum + min(amount, max(held, 0))
    }
  }

  private func forgotten(of taking: Taking) -> Int64 {
    let disks = asked.flatMap { world.devices[$0].disk.registers.writes }
    let known = disks.filter { $0.withView { counting.includes(undecided: $0) } }
    let knownLeft = rights(of: taking.credit, by: taking.from, known)
    let all = known + world.history.writes(of: .credit).filter { counts($0) }
    let left = rights(of: taking.credit, by: taking.from, all)
    // Whoever lives that life goes on spending what it has.
    let kept = isLived(taking.from) ? 0 : max(left, 0)
    return min(taking.moved, max(knownLeft, 0)) - kept
  }

  /// What a life holds by some writes.
  private func rights(of credit: String, by life: ReplicaID, _ writes: [Write]) -> Int64 {
    let holder = CreditHolder(life)
    let issued = world.devices[device].engine?.ledger { $0.holding(of: credit, by: holder).issued } ?? 0
    let identity = world.devices[device].identity
    var ledger = Ledger(environment: identity.environment, bundleId: identity.bundleId)
    for write in writes where write.key.first == RegisterKind.credit.rawValue {
      ledger.apply(key: write.key[...], value: write.value[...], stamp: write.stamp)
    }
    var holding = ledger.holding(of: credit, by: holder)
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
