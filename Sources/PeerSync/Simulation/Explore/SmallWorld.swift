import PeerSyncCore

/// A world of three devices that are paired, connected and in sync, in which somebody else says what happens next.
struct SmallWorld {
  private let world: World
  private var left: Explorer.Bounds

  private static let names = ["Phone", "Tablet", "Watch"]

  /// One thing that can happen.
  struct Step {
    let happening: Happening
    let text: String

    enum Happening {
      /// The next bytes that are under way to an end arrive.
      case arrival(SessionID)
      /// An end hears that its connection is gone.
      case close(SessionID)
      /// Time passes until a device has something to do.
      case timer(Int)
      case restart(Int)
      case crash(Int)
      case spend(Int)
      case decide(Int)
      case remove(Int, by: Int)
    }
  }

  /// Makes the devices: the first has bought five credits, and all know of them.
  init(seed: UInt64, _ bounds: Explorer.Bounds, _ sabotage: Sabotage?) {
    left = bounds
    world = World(seed: seed, faults: .none)
    let five = Product(id: "five", type: .consumable, credit: World.credit, amount: 5)
    for name in Self.names {
      let device = world.addDevice(name: name, bundleId: World.bundleId)
      world.start(device)
      _ = world.perform(.addProducts([five], version: 0), on: device)
    }
    for joiner in 1..<Self.names.count { _ = world.join(joiner, to: 0) }
    _ = world.perform(.purchase(PurchaseOrder("five", at: world.trueTime), id: 1), on: 0)
    _ = world.settle(within: Simulation.healingLimit)
    world.run(until: world.time + 1_000)
    world.faults.delay = 0
    world.faults.sabotage = sabotage
  }

  private init(_ world: World, _ left: Explorer.Bounds) { (self.world, self.left) = (world, left) }

  var violation: Violation? { world.violations.first }

  // MARK: What can happen

  /// All that can happen next, in one order.
  var steps: [Step] {
    let underWay = arrivals + closings + restarts
    // Messages take far less time than anything that a device waits for.
    return underWay + (underWay.isEmpty ? timers : []) + crashes + spends + decisions + removals
  }

  private func name(_ device: Int) -> String { Self.names[device] }

  private func name(of session: SessionID) -> String {
    "\(name(world.network.device(of: session))) from \(name(world.network.device(of: world.network.peer(of: session))))"
  }

  private var arrivals: [Step] {
    var first: Set<SessionID> = []
    return world.queue.pending.compactMap { entry in
      guard case .arrive(let session, let bytes) = entry, first.insert(session).inserted else { return nil }
      let kind = bytes.dropFirst(4).first.map { "message \($0)" } ?? "nothing"
      return Step(happening: .arrival(session), text: "\(name(of: session)): \(kind), \(bytes.count) bytes")
    }
  }

  /// An end hears of it behind all that was sent before.
  private var closings: [Step] {
    let arriving = Set(
      world.queue.pending.compactMap { if case .arrive(let session, _) = $0 { session } else { nil } })
    return world.queue.pending.compactMap { entry in
      guard case .connectionClosed(let session) = entry, !arriving.contains(session) else { return nil }
      return Step(happening: .close(session), text: "\(name(of: session)): the connection is gone")
    }
  }

  private var restarts: [Step] {
    world.queue.pending.compactMap { entry in
      guard case .restart(let device) = entry else { return nil }
      return Step(happening: .restart(device), text: "\(name(device)) starts")
    }
  }

  private var timers: [Step] {
    running.compactMap { device in
      guard world.devices[device].scheduledDeadline != nil else { return nil }
      return Step(happening: .timer(device), text: "time passes for \(name(device))")
    }
  }

  private var running: [Int] { world.devices.indices.filter { world.isRunning($0) } }

  private func each(_ count: Int, _ happening: (Int) -> Step.Happening, _ verb: String) -> [Step] {
    count == 0 ? [] : running.map { Step(happening: happening($0), text: "\(name($0)) \(verb)") }
  }

  private var crashes: [Step] { each(left.crashes, { .crash($0) }, "dies") }
  private var spends: [Step] { each(left.spends, { .spend($0) }, "spends 3") }
  private var decisions: [Step] { each(left.decisions, { .decide($0) }, "sets a value") }

  private var removals: [Step] {
    guard left.removals > 0 else { return [] }
    return running.flatMap { device in
      world.devices.indices.filter { $0 != device }.map { other in
        Step(happening: .remove(other, by: device), text: "\(name(device)) removes \(name(other))")
      }
    }
  }

  // MARK: What then happens

  /// The world after a step. This one stays as it is.
  func after(_ step: Step) -> SmallWorld {
    var next = SmallWorld(World(copying: world), left)
    next.take(step.happening)
    next.world.settleNow()
    next.checkAgreement()
    return next
  }

  private mutating func take(_ happening: Step.Happening) {
    switch happening {
    case .arrival(let session):
      world.happenNext { if case .arrive(session, _) = $0 { true } else { false } }
    case .close(let session):
      world.happenNext { if case .connectionClosed(session) = $0 { true } else { false } }
    case .timer(let device):
      world.happenNext { if case .deadline(device, _) = $0 { true } else { false } }
    case .restart(let device): world.happenNext { if case .restart(device) = $0 { true } else { false } }
    case .crash(let device):
      left.crashes -= 1
      world.crash(device)
      world.queue.schedule(.restart(device: device), at: world.time)
    case .spend(let device):
      let spending = Spending(credit: World.credit, amount: 3, id: "spend \(left.spends)")
      left.spends -= 1
      world.request(.spend(spending), of: device)
    case .decide(let device):
      left.decisions -= 1
      world.request(.setValue(key: "v", [UInt8(device)]), of: device)
    case .remove(let other, let device):
      left.removals -= 1
      world.remove(world.device(other), by: device)
    }
  }

  /// Devices that are connected with nothing under way hold the same.
  private func checkAgreement() {
    guard world.violations.isEmpty, arrivals.isEmpty, closings.isEmpty, restarts.isEmpty else { return }
    for one in running {
      for other in running where one < other {
        guard let left = world.devices[one].engine, let right = world.devices[other].engine,
          left.peers.contains(where: { $0.device == right.identity.device && $0.isConnected }),
          right.peers.contains(where: { $0.device == left.identity.device && $0.isConnected }),
          left.replica.digest != right.replica.digest || left.group != right.group
        else { continue }
        world.report(
          .convergence, "\(name(one)) and \(name(other)) have nothing more to say, and hold different things")
      }
    }
  }

  // MARK: Remembering

  /// The digest of a state: what each device holds, in memory and on its disk, with whom it is connected, and what is under way.
  /// What time it is plays no part.
  var fingerprint: UInt64 {
    var hash = SipHash(wide: false)
    for device in world.devices { device.combine(into: &hash) }
    for entry in world.queue.pending {
      switch entry {
      case .arrive(let session, let bytes):
        combine(session, into: &hash)
        bytes.withUnsafeBytes { hash.combine(SipHash.hash64($0)) }
      case .connectionClosed(let session): combine(session, into: &hash)
      case .restart(let device): hash.combine(UInt64(device))
      default: continue
      }
    }
    for count in [left.spends, left.decisions, left.removals, left.crashes] { hash.combine(UInt64(count)) }
    hash.combine(last: UnsafeRawBufferPointer(start: nil, count: 0))
    return hash.finish64()
  }

  private func combine(_ session: SessionID, into hash: inout SipHash) {
    hash.combine(UInt64(world.network.device(of: session)) << 8 | session.rawValue & 1)
    hash.combine(UInt64(world.network.device(of: world.network.peer(of: session))))
  }
}

extension SimulatedDevice {
  fileprivate func combine(into hash: inout SipHash) {
    hash.combine(disk.registers.digest.low)
    hash.combine(disk.claims.hash)
    hash.combine(UInt64(disk.records.count))
    hash.combine(disk.replica.low)
    guard let engine else { return hash.combine(1) }
    hash.combine(engine.replica.digest.low)
    hash.combine(engine.replica.vectorHash)
    hash.combine(UInt64(engine.holdings.outbox.unsaved.count) << 8 | (engine.isFenced ? 1 : 0))
    for peer in engine.peers { hash.combine((peer.isConnected ? 2 : 0) | (peer.isInSync ? 1 : 0)) }
  }
}
