import PeerSyncCore

/// What the checkers remember from one step to the next, so that a step costs in proportion to what it changed.
struct CheckedState {
  var floors = KnownFloors()
  /// How far the claims of each device have been checked.
  private var claims: [Int: VersionVector] = [:]
  /// The view that each device was last found to have, rightly.
  private var views: [Int: (facts: FactsKey, present: Instant, view: LedgerView)] = [:]
  /// What each device held when it was last asked whether its view is to be looked at.
  private var lookedAt: [Int: Digest] = [:]
  /// Ledgers made from scratch of what devices hold or held lately. They are asked again as time goes on.
  private var ledgers: [FactsKey: Ledger] = [:]
  /// What registers say, as long as they hold the same.
  private var readings: [RegisterID: Reading] = [:]
  /// After how many checks everything is read again.
  private var nextTurn = 64
  /// The checkers' own random numbers: checking more or less does not change what happens.
  private var random: RandomState

  /// More ledgers than these are forgotten: devices behind need those of a few steps back, and older ones nobody.
  private static let ledgersLimit = 64
  /// The view of a device that holds more writes than these is checked only after a change, and then at random: so often that it
  /// costs as much a change as folding these.
  private static let foldedWrites: UInt64 = 48

  init(seed: UInt64) { random = RandomState(seed: ~seed) }

  /// Writes in an order in which they could come.
  mutating func shuffled(_ writes: [Write]) -> [Write] { writes.shuffled(using: &random) }

  /// Whether it is time to read everything a device holds, once more after so many checks: the more it holds, the more
  /// rarely.
  mutating func isTurn(after checks: Int, holding count: Int) -> Bool {
    guard checks >= nextTurn else { return false }
    nextTurn = checks + 64 + count / 8
    return true
  }

  // MARK: Claims

  /// What a device claims and has not been checked for yet. It counts as checked from now on.
  mutating func newClaims(of device: Int, in vector: VersionVector) -> [Dot] {
    var known = claims[device, default: VersionVector()]
    guard vector != known else { return [] }
    // A cut lowers the vector: then everything is looked at again.
    if !vector.covers(known) { known = VersionVector() }
    claims[device] = vector
    return vector.entries(beyond: known).flatMap { entry in
      ((known[entry.replica] + 1)...entry.sequence).map { Dot(replica: entry.replica, sequence: $0) }
    }
  }

  /// From now on all that a device claims is to be checked again.
  mutating func forgetClaims(of device: Int) { claims[device] = nil }

  // MARK: Views

  /// Which promise a device's view breaks: it is that of a ledger made from scratch, from the same writes in an order of its
  /// own. Nothing that the device holds is left out, and the order of arrival does not matter. Devices that hold the same are
  /// compared with one fold, so they answer alike.
  ///
  /// - Parameters:
  ///   - held: what the device holds
  ///   - instant: when it is the view
  mutating func fault(
    in view: LedgerView, of device: Int, _ identity: Identity, holding held: PlainRegisters,
    _ counting: Counting, at instant: Instant
  ) -> Fault? {
    // Hardly ever does a decision not count.
    let isWhole =
      counting.last.isEmpty && held.greatestDecision <= counting.ceiling && held.takings == 0
    let writes = isWhole ? held.writes : held.counted(counting)
    let digest = isWhole ? held.digest : writes.reduce(into: Digest()) { $0.add($1.digest) }
    let lives = counting.lives(naming: isWhole ? [] : writes)
    let facts = FactsKey(digest: digest, lives: lives)
    // Comparing a view with itself is quick: its lists are the same buffers.
    if let last = views[device], last.facts == facts, last.present == instant, last.view == view {
      return nil
    }
    // Held once, or what asking fills would be copied.
    var ledger = ledgers.removeValue(forKey: facts) ?? ledger(of: writes, identity, lives)
    let fold = ledger.view(at: instant)
    if ledgers.count == Self.ledgersLimit { ledgers = [:] }
    ledgers[facts] = ledger
    guard view == fold else { return fault(of: device, identity, writes, lives, fold, at: instant) }
    views[device] = (facts, instant, view)
    return nil
  }

  /// Whether the view of a device is looked at in this step: see ``foldedWrites``.
  mutating func isToBeFolded(_ held: PlainRegisters.Summary, of device: Int) -> Bool {
    let isChanged = lookedAt.updateValue(held.digest, forKey: device) != held.digest
    let count = UInt64(held.count)
    return count <= Self.foldedWrites || isChanged && random.chance(count) < Self.foldedWrites
  }

  /// Which promise a view breaks that has to be the fold of writes.
  mutating func fault(
    in view: LedgerView, of device: Int, _ identity: Identity, writes: [Write], _ lives: DeviceLives,
    at instant: Instant
  ) -> Fault? {
    let fold = fold(writes, identity, lives, at: instant)
    return view == fold ? nil : fault(of: device, identity, writes, lives, fold, at: instant)
  }

  /// Says which promise a wrong view breaks.
  private mutating func fault(
    of device: Int, _ identity: Identity, _ writes: [Write], _ lives: DeviceLives, _ expected: LedgerView,
    at instant: Instant
  ) -> Fault {
    let folds = (0..<8).map { _ in fold(writes, identity, lives, at: instant) }
    if !folds.allSatisfy({ $0 == folds[0] }) {
      return Fault(.determinism, "device \(device): the order of arrival matters")
    }
    if folds[0] != expected { return Fault(.convergence, "device \(device): same digest, other view") }
    return Fault(.noLostRenewal, "device \(device): its view is not the fold of all purchases")
  }

  private mutating func fold(
    _ writes: [Write], _ identity: Identity, _ lives: DeviceLives, at instant: Instant
  ) -> LedgerView {
    var ledger = ledger(of: writes, identity, lives)
    return ledger.view(at: instant)
  }

  /// A ledger made from scratch.
  mutating func ledger(of writes: [Write], _ identity: Identity, _ lives: DeviceLives) -> Ledger {
    var ledger = Ledger(environment: identity.environment, bundleId: identity.bundleId)
    ledger.know(lives)
    let parts = Self.parts(of: writes)
    // Places are shuffled, and not what stands there: there are thousands.
    for place in Array(writes.indices).shuffled(using: &random) {
      ledger.apply(reading(of: writes[place], parts))
    }
    return ledger
  }

  /// What a register says where these parts are there.
  private mutating func reading(of write: Write, _ parts: [RegisterID: [UInt8]]) -> RegisterReading {
    let register = write.register
    if let known = readings[register], known.stamp == write.stamp, known.value.hasSameBytes(as: write.value),
      known.parts.allSatisfy({ parts[$0] != nil })
    {
      return known.reading
    }
    var asked: [RegisterID] = []
    var reader = StoreReader(verifier: .simulated, trustedRoots: SimulatedStore.trustedRoots)
    let reading = reader.read(key: write.key[...], value: write.value[...], stamp: write.stamp) {
      let part = RegisterID(key: $0.encoded, author: write.dot.replica)
      asked.append(part)
      return parts[part]
    }
    if reading.isLasting { readings[register] = Reading(reading, of: write, parts: asked) }
    return reading
  }

  private static func parts(of writes: [Write]) -> [RegisterID: [UInt8]] {
    let parts = writes.filter { $0.key.first == RegisterKind.storePart.rawValue }
    return Dictionary(parts.map { ($0.register, $0.value) }) { first, _ in first }
  }

  /// What a register said, with what it held and the keys of the parts that it is made of. It is shared, as every fold hands out
  /// thousands.
  private final class Reading {
    let reading: RegisterReading
    let stamp: Stamp
    let value: [UInt8]
    let parts: [RegisterID]

    init(_ reading: RegisterReading, of write: Write, parts: [RegisterID]) {
      (self.reading, self.stamp, self.value, self.parts) = (reading, write.stamp, write.value, parts)
    }
  }

  /// A promise that a view breaks.
  struct Fault {
    let promise: Violation.Promise
    let detail: String

    init(_ promise: Violation.Promise, _ detail: String) {
      self.promise = promise
      self.detail = detail
    }
  }

  /// What a ledger is made from.
  private struct FactsKey: Hashable {
    let digest: Digest
    let lives: DeviceLives
  }
}

/// What one step of a device was about.
struct DeviceStep {
  let events: [Event]
  let durable: Durable
  let now: Now
}
