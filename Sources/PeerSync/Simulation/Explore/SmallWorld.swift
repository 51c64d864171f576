import PeerSyncCore

/// A world of three devices that are paired, connected and in sync, in which somebody else says what happens next.
struct SmallWorld {
  private let world: World
  private var left: Explorer.Bounds

  private static let names = ["Phone", "Tablet", "Watch"]

  /// One thing that can happen.
  enum Step {
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
    // Time passes only while nothing is under way: stamps do not tell which of two things came first.
    (world.faults.delay, world.faults.pause) = (0, 0)
    world.faults.sabotage = sabotage
  }

  private init(_ world: World, _ left: Explorer.Bounds) { (self.world, self.left) = (world, left) }

  var violation: Violation? { world.violations.first }

  // MARK: What can happen

  /// All that can happen next, in one order.
  var steps: [Step] {
    let underWay = underWay
    // Messages take far less time than anything that a device waits for.
    return underWay + (underWay.isEmpty ? timers : [])
      + each(left.crashes) { [.crash($0)] } + each(left.spends) { [.spend($0)] }
      + each(left.decisions) { [.decide($0)] }
      + each(left.removals) { device in
        world.devices.indices.filter { $0 != device }.map { .remove($0, by: device) }
      }
  }

  /// What is to come, but for what comes to ends that are closed: nobody would notice.
  private var pending: [World.Happening] {
    world.queue.pending.filter { entry in
      switch entry {
      case .arrive(let session, _), .connectionClosed(let session): world.network.isOpen(session)
      default: true
      }
    }
  }

  /// What is on its way. An end hears that its connection is gone behind all that was sent before.
  private var underWay: [Step] {
    let pending = pending
    var (arrivals, closings, restarts): ([Step], [Step], [Step]) = ([], [], [])
    var arriving: Set<SessionID> = []
    for case .arrive(let session, _) in pending where arriving.insert(session).inserted {
      arrivals.append(.arrival(session))
    }
    for entry in pending {
      switch entry {
      case .connectionClosed(let session) where !arriving.contains(session): closings.append(.close(session))
      case .restart(let device): restarts.append(.restart(device))
      default: continue
      }
    }
    return arrivals + closings + restarts
  }

  private var timers: [Step] {
    running.filter { world.devices[$0].scheduledDeadline != nil }.map { .timer($0) }
  }

  private var running: [Int] { world.devices.indices.filter { world.isRunning($0) } }

  private func each(_ left: Int, _ steps: (Int) -> [Step]) -> [Step] {
    left == 0 ? [] : running.flatMap(steps)
  }

  /// What happens in a step, for whoever reads of it.
  func text(of step: Step) -> (english: String, korean: String) {
    switch step {
    case .arrival(let session):
      let bytes =
        world.queue.pending.lazy.compactMap { entry in
          if case .arrive(session, let bytes) = entry { bytes } else { nil }
        }.first ?? []
      let kind = bytes.dropFirst(4).first
      return (
        "\(name(of: session)): \(kind.map { "message \($0)" } ?? "nothing"), \(bytes.count) bytes",
        "\(korean(session)): \(kind.map { "메시지 \($0)" } ?? "없음"), \(bytes.count)바이트"
      )
    case .close(let session):
      return ("\(name(of: session)): the connection is gone", "\(korean(session)): 연결이 끊깁니다")
    case .timer(let device):
      return ("time passes for \(name(device))", "‘\(name(device))’ 기기에서 시간이 지납니다")
    case .restart(let device): return ("\(name(device)) starts", "‘\(name(device))’ 기기를 시작합니다")
    case .crash(let device): return ("\(name(device)) dies", "‘\(name(device))’ 기기가 갑자기 멈춥니다")
    case .spend(let device):
      return ("\(name(device)) spends 3", "‘\(name(device))’ 기기에서 크레딧 3개를 씁니다")
    case .decide(let device): return ("\(name(device)) sets a value", "‘\(name(device))’ 기기에서 값을 정합니다")
    case .remove(let other, let device):
      return (
        "\(name(device)) removes \(name(other))",
        "‘\(name(device))’ 기기에서 ‘\(name(other))’ 기기를 제거합니다"
      )
    }
  }

  private func name(_ device: Int) -> String { Self.names[device] }

  private func korean(_ session: SessionID) -> String {
    let (end, other) = (
      world.network.device(of: session), world.network.device(of: world.network.peer(of: session))
    )
    return "‘\(name(end))’ 기기(상대 ‘\(name(other))’ 기기)"
  }

  private func name(of session: SessionID) -> String {
    "\(name(world.network.device(of: session))) from \(name(world.network.device(of: world.network.peer(of: session))))"
  }

  // MARK: What then happens

  /// The world after a step. This one stays as it is.
  func after(_ step: Step) -> SmallWorld {
    var next = SmallWorld(World(copying: world), left)
    next.take(step)
    next.world.settleNow()
    next.checkAgreement()
    return next
  }

  private mutating func take(_ step: Step) {
    switch step {
    case .arrival(let session):
      world.happenNext { if case .arrive(session, _) = $0 { true } else { false } }
    case .close(let session):
      world.happenNext { if case .connectionClosed(session) = $0 { true } else { false } }
    case .timer(let device):
      world.happenNext(isInTime: true) { if case .deadline(device, _) = $0 { true } else { false } }
    case .restart(let device): world.happenNext { if case .restart(device) = $0 { true } else { false } }
    case .crash(let device):
      left.crashes -= 1
      world.crash(device)
      world.queue.schedule(.restart(device: device), at: world.time)
    case .spend(let device):
      // Named so that it does not tell what others have done before.
      let id = "\(device) \(world.devices[device].disk.registers.count)"
      let spending = Spending(credit: World.credit, amount: 3, id: id)
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
    guard world.violations.isEmpty, underWay.isEmpty else { return }
    for one in running {
      for other in running where one < other {
        guard let left = world.devices[one].engine, let right = world.devices[other].engine,
          left.replica.digest != right.replica.digest || left.group != right.group,
          left.peers.contains(where: { $0.device == right.identity.device && $0.isConnected }),
          right.peers.contains(where: { $0.device == left.identity.device && $0.isConnected })
        else { continue }
        world.report(
          .convergence, "\(name(one)) and \(name(other)) have nothing more to say, and hold different things")
      }
    }
  }

  // MARK: Remembering

  /// The digest of a state: what each device holds, in memory and on its disk, with whom it is connected and how far the two have
  /// compared, and what is under way. What time it is plays no part, nor what came first on different connections.
  var fingerprint: Int {
    var hasher = Hasher()
    for device in world.devices { device.combine(into: &hasher, world.network) }
    hasher.combine(left)
    var connections: [End: [[UInt8]]] = [:]
    for entry in pending {
      switch entry {
      case .arrive(let session, let bytes):
        connections[End(session, world.network), default: []].append(bytes)
      // No message has no bytes.
      case .connectionClosed(let session): connections[End(session, world.network), default: []].append([])
      case .restart(let device): hasher.combine(device)
      default: continue
      }
    }
    hasher.combine(connections)
    return hasher.finalize()
  }

  /// One end of a connection, whichever of many between the two devices it is.
  fileprivate struct End: Hashable {
    private let device: Int
    private let peer: Int
    private let hasDialled: Bool

    init(_ session: SessionID, _ network: VirtualNetwork) {
      device = network.device(of: session)
      peer = network.device(of: network.peer(of: session))
      hasDialled = session.rawValue & 1 == 1
    }
  }
}

extension SimulatedDevice {
  fileprivate func combine(into hasher: inout Hasher, _ network: VirtualNetwork) {
    hasher.combine(disk.registers.digest)
    hasher.combine(disk.claims.hash)
    hasher.combine(disk.records.count)
    hasher.combine(disk.replica)
    guard let engine else { return hasher.combine(false) }
    hasher.combine(engine.replica.digest)
    hasher.combine(engine.replica.vectorHash)
    hasher.combine(engine.holdings.outbox.unsaved.count)
    hasher.combine(engine.isFenced)
    hasher.combine(engine.escrow.pending.count)
    for session in engine.network.sessions.all {
      hasher.combine(SmallWorld.End(session.id, network))
      hasher.combine(session.isReady)
      hasher.combine(session.flow?.comparison)
      hasher.combine(session.flow?.incoming == nil)
    }
  }
}
