import PeerSyncCore

/// A member whose program was changed: beside what the honest one says it tells others what it likes, under incarnations of its
/// own key that are made for it.
///
/// In each world there is one at most. What it tells is signed, and so it is a member's: all that the others can do is bound what
/// it costs them, and take it back once they have noticed (I10).
struct DishonestMember {
  private let world: World
  private let device: Int

  /// The dishonest member of a world; nil while nobody could be it. The first member that is picked is it from then on.
  init?(in world: World) {
    let candidate = world.rare.dishonest ?? Int(world.chance(UInt64(world.originals.count)))
    guard world.devices[candidate].engine.map({ !$0.isRemoved && $0.group.members.count > 2 }) ?? false
    else { return nil }
    if world.rare.dishonest == nil { world.rare.dishonest = candidate }
    (self.world, device) = (world, candidate)
    world.doubt(device)
    world.books.distrust(world.devices[device].identity.key)
  }

  /// Tells some of those that it is connected with something, or the honest ones remove it.
  func attack() {
    world.counts.rare[.dishonesty, default: 0] += 1
    guard world.chance(4) > 0 || world.rare.forged.isEmpty else { return expel(world.chance(2) == 0) }
    switch world.chance(8) {
    case 0: makeUpLives()
    case 1: contradictItself()
    case 2: removeAccomplice()
    default: say(Attack.allCases[Int(world.chance(UInt64(Attack.allCases.count)))])
    }
  }

  private func say(_ attack: Attack) {
    var forger = forger()
    let writes = writes(of: attack, by: forger.id)
    guard let made = forger.commit(writes) else { return }
    note(made.writes, by: forger.id)
    for session in sessions where world.chance(3) > 0 { world.send(.commit(made.commit), device, session) }
  }

  /// Says one thing to one, and another thing under the same name to another.
  private func contradictItself() {
    let nonce = nonce()
    for session in sessions {
      var forger = Forger(world.devices[device].signer, nonce: nonce)
      guard let made = forger.commit(writes(of: .value, by: forger.id)) else { continue }
      note(made.writes, by: forger.id)
      world.send(.commit(made.commit), device, session)
    }
  }

  /// Takes in a device of its own and removes it, with cuts that name what others write. Then it names what that one has signed.
  private func removeAccomplice() {
    guard let engine = world.devices[device].engine else { return }
    let key = world.devices[device].signer
    let (accomplice, recovery) = (
      SigningKey.simulated(seed: world.random.next()), SigningKey.simulated(seed: world.random.next())
    )
    let founding = MembershipRecord.found(
      name: "Accomplice", recoveryKey: recovery.publicKey, environment: engine.identity.environment,
      bundleId: engine.identity.bundleId, by: accomplice)
    var records = engine.membership
    guard
      let proposal = try? records.proposeMerge(
        host: key.publicKey, joiner: accomplice.publicKey, of: Membership([founding], .simulated))
    else { return }
    let merge = MembershipRecord(
      proposal, host: proposal.signature(by: key), joiner: proposal.signature(by: accomplice))
    _ = records.insert([founding, merge])
    let cuts = world.originals.map {
      Dot(replica: world.devices[$0].disk.replica, sequence: world.chance(2) == 0 ? 1 : 1_000_000)
    }
    guard let removal = try? records.removal(of: accomplice.publicKey, cuts: cuts, by: key) else { return }
    for session in sessions {
      for part in RecordsPart.parts(of: [founding, merge, removal]) {
        world.send(.records(part), device, session)
      }
    }
    nameNumbers(signedBy: accomplice)
  }

  /// Names numbers that a device has signed which was removed: that it had spent, given and taken over what never was.
  private func nameNumbers(signedBy accomplice: SigningKey) {
    let (credit, others) = (World.credit, world.originals.map { world.devices[$0].disk.replica })
    var (life, forger) = (Forger(accomplice, nonce: nonce()), forger())
    let (own, total) = (life.id, Stamp(rawValue: [7, 1_000_000][Int(world.chance(2))]))
    let numbers: [RegisterKey] =
      [.creditRow(credit: credit, replica: own), .creditTransfer(credit: credit, from: own, to: forger.id)]
      + others.flatMap { other -> [RegisterKey] in
        [
          .creditTransfer(credit: credit, from: own, to: other),
          .creditTaking(credit: credit, from: other, by: own),
        ]
      }
    let signed = life.commit(numbers.map { LocalWrite(key: $0.encoded, stamp: total, value: []) })
    let proofs = signed.map { NumberProof.proofs(in: $0.commit.batch, .simulated) } ?? []
    let names = proofs.compactMap { number, proof in
      (try? RegisterKey(decoding: number.key[...]))?.named(by: forger.id).map {
        LocalWrite(key: $0.encoded, stamp: number.stamp, value: proof)
      }
    }
    guard let made = forger.commit(names) else { return }
    note(made.writes, by: forger.id)
    for session in sessions { world.send(.commit(made.commit), device, session) }
  }

  /// Shows each of the others 130 incarnations that it shows nobody else.
  private func makeUpLives() {
    for session in sessions.prefix(2) {
      for _ in 0..<130 {
        var forger = forger()
        guard let made = forger.commit(writes(of: .value, by: forger.id)) else { continue }
        note(made.writes, by: forger.id)
        world.send(.commit(made.commit), device, session)
      }
    }
  }

  /// Shows each of the others hundreds of membership records that it shows nobody else.
  func fillRecords() {
    world.counts.rare[.fullSets, default: 0] += 1
    guard let records = world.devices[device].engine?.membership.records,
      let founding = records.first(where: { $0.founds(world.devices[device].identity.key) })
    else { return }
    let author = founding.hash(.simulated)
    let parent = records.first { $0.joins(author) }?.hash(.simulated) ?? author
    for (place, session) in sessions.enumerated() {
      let made = (0..<300).map { number -> MembershipRecord in
        let payload = [UInt8(place), UInt8(number >> 8), UInt8(number & 255)]
        return signed(.other(kind: 200, author: author, payload: payload), behind: parent)
      }
      for part in RecordsPart.parts(of: made) { world.send(.records(part), device, session) }
    }
    world.rare.forged.insert(forger().id)
  }

  // MARK: What the others do

  /// One of the others that knows it removes it.
  ///
  /// - Parameter takesBack: whether with all that it has decided
  func expel(_ takesBack: Bool) {
    let others = world.originals.filter { other in
      other != device
        && world.devices[other].engine?.group.isMember(world.devices[device].identity.key) == true
    }
    guard !others.isEmpty else { return }
    let other = others[Int(world.chance(UInt64(others.count)))]
    world.remove(world.device(device), by: other, takingBack: takesBack ? .everything : .nothing)
  }

  // MARK: Parts

  private func signed(_ body: MembershipRecord.Body, behind parent: ContentHash) -> MembershipRecord {
    let bytes = MembershipRecord(parents: [parent], body: body, signatures: []).signedBytes
    let signature = world.devices[device].signer.sign(bytes)
    return MembershipRecord(parents: [parent], body: body, signatures: [signature])
  }

  private var sessions: [SessionID] { world.network.openSessions(of: device) }

  private func nonce() -> Nonce { Nonce(high: world.random.next(), low: world.random.next()) }

  private func forger() -> Forger { Forger(world.devices[device].signer, nonce: nonce()) }

  private func writes(of attack: Attack, by replica: ReplicaID) -> [LocalWrite] {
    let others = world.originals.map { world.devices[$0].disk.replica }
    let writes = attack.writes(by: replica, among: others, at: world.trueTime, using: &world.random)
    // Until it is removed its word on what a product buys counts like anybody's.
    if attack == .product {
      for write in writes { (try? Product(decoding: write.value[...])).map { world.sales.raise($0) } }
    }
    return writes
  }

  /// Others may come to claim it.
  private func note(_ writes: WriteBatch, by replica: ReplicaID) {
    world.rare.forged.insert(replica)
    _ = world.history.note(
      Durable([.written(writes)]), by: replica, of: world.devices[device].identity.key, at: world.trueTime)
    world.history.doubt(replica)
  }
}

extension MembershipRecord {
  /// Whether it is the founding of a device.
  fileprivate func founds(_ key: PublicKey) -> Bool {
    if case .found(let founding) = body { founding.key == key } else { false }
  }

  /// Whether by it a founding came under a group.
  fileprivate func joins(_ founding: ContentHash) -> Bool {
    if case .merge(let merge) = body { merge.joiner == founding } else { false }
  }
}
