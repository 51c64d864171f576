import PeerSyncCore
import PeerSyncSimulation

/// A group in virtual time: engines of the real daemon, with a network, disks and clocks that are simulated.
///
/// The checkers of the simulator look at every step; whatever they find ends what is being done.
actor VirtualBackend: Backend {
  private let world: World
  private let names: [String]
  /// Devices that were stopped on purpose. Those that a fault has brought down come back by themselves.
  private var stopped: Set<Int> = []

  /// How often a device is asked that does not answer.
  private static let tries = 100
  /// How long a device may be down by a fault, in milliseconds.
  private static let longestDown: UInt64 = 600_000
  /// How much of the time that passes is lived through, in milliseconds.
  private static let longestLife: Int64 = 600_000

  /// Makes the devices and pairs them on a calm network: pairing has no second try.
  init(_ testbed: Testbed, seed: UInt64) throws {
    try testbed.requireSense()
    names = testbed.devices
    var faults = testbed.faults.faults
    faults.sabotage = testbed.sabotage
    world = World(seed: seed, faults: .none)
    world.sell(testbed.catalogue.products)
    world.watchTime(true)
    for name in names { try Self.pair(name, testbed, in: world) }
    if let failure = Self.violation(in: world, names) { throw failure }
    world.begin(faults)
  }

  /// Makes a device and has the first one take it in. One after another: each is told of the next.
  private static func pair(_ name: String, _ testbed: Testbed, in world: World) throws {
    let index = world.addDevice(name: name, bundleId: testbed.bundleId)
    world.start(index)
    let catalogue = testbed.catalogue
    let answer =
      index == 0
      ? world.perform(.addProducts(catalogue.products, version: catalogue.version), on: 0)
      : world.join(index, to: 0)
    guard case .done? = answer, world.settle(within: Simulation.healingLimit) else {
      throw TestFailure(.notConverged, "\(name) could not be paired with \(testbed.devices[0])")
    }
  }

  // MARK: Asking

  func perform(_ request: Request, on index: Int) throws -> Answer {
    for _ in 0..<Self.tries {
      try requireUp(index)
      let answer = world.perform(request, on: index)
      try requireNoViolation()
      // Else a fault brought it down before it could answer: whoever asked asks again.
      if let answer { return answer }
    }
    throw TestFailure(.broken(.liveness), "\(names[index]) does not answer")
  }

  func look<Result: Sendable>(at index: Int, _ body: @Sendable (inout EngineView, Now) -> Result) throws
    -> Result
  {
    try requireUp(index)
    let now = world.now(index)
    guard let result = world.read(index, { engine in engine.look { body(&$0, now) } }) else {
      throw TestFailure.misuse("\(names[index]) is down")
    }
    return result
  }

  func isStopped(_ index: Int) -> Bool { stopped.contains(index) }

  private func requireUp(_ index: Int) throws {
    guard !stopped.contains(index) else {
      throw TestFailure.misuse("\(names[index]) is down: start() comes first")
    }
    let isUp = world.wait(for: index, within: Self.longestDown)
    try requireNoViolation()
    guard isUp else { throw TestFailure(.broken(.liveness), "\(names[index]) does not start again") }
  }

  // MARK: What happens

  func part(_ sides: [[Int]]) throws {
    let side = Dictionary(
      sides.enumerated().flatMap { number, side in side.map { ($0, number) } }, uniquingKeysWith: { $1 })
    for left in names.indices {
      for right in names.indices where left < right {
        world.setLink(left, right, isCut: side[left] != side[right])
      }
    }
  }

  func crash(_ indices: [Int]) throws {
    for index in indices where !stopped.contains(index) {
      // One that a fault has brought down is about to start.
      try requireUp(index)
    }
    for index in indices where stopped.insert(index).inserted { world.crash(index) }
  }

  func start(_ index: Int) throws {
    guard stopped.remove(index) != nil else { return }
    world.start(index)
    try requireNoViolation()
  }

  func setClock(_ index: Int, offset: Int64) throws {
    world.setClock(index, offset: offset)
    // Two clocks that are wrong alike are right as far as any device can tell.
    let wrong = names.indices.map(world.clockOffset).filter { abs($0) > Limits.clockDriftMilliseconds / 2 }
    if wrong.count > 1 { world.watchTime(false) }
  }

  func pass(milliseconds: Int64) throws {
    world.pass(milliseconds, livingThrough: Self.longestLife)
    try requireNoViolation()
  }

  func heal() throws {
    world.heal()
    stopped = []
    // What was asked of the devices, coming online, is done.
    world.run(until: world.time + 1_000)
    try requireNoViolation()
  }

  func draw() -> UInt64 { world.draw() }

  // MARK: Waiting

  var clock: UInt64 { world.time }
  var changes: UInt64 { UInt64(world.counts.steps) }
  var patience: UInt64 { Simulation.healingLimit }

  func change(since seen: UInt64, until limit: UInt64) throws {
    world.run(until: min(world.time + 100, limit))
    try requireNoViolation()
  }

  // MARK: Checking

  func checkConverged() throws {
    world.converge(within: Simulation.healingLimit)
    try requireNoViolation()
    world.checkConverged()
    try requireNoViolation()
  }

  /// At the end of a test nothing may be broken that was only seen in the last step.
  func finish() throws { try requireNoViolation() }

  private func requireNoViolation() throws(TestFailure) {
    if let failure = Self.violation(in: world, names) { throw failure }
  }

  /// What a checker has found.
  private static func violation(in world: World, _ names: [String]) -> TestFailure? {
    // With the names of the devices in the place of their numbers.
    let naming = { (detail: String) in
      names.indices.reversed().reduce(detail) { $0.replacing("device \($1)", with: names[$1]) }
    }
    return world.violations.first.map {
      TestFailure(.broken(Invariant($0.promise)), naming($0.detail) + ", \($0.time) ms in")
    }
  }
}
