import PeerSyncCore

/// How often each kind of step comes in a generated ``Schedule``, beside the others; 0: never.
public struct ScheduleWeights: Hashable, Sendable {
  /// Of ``Schedule/Step/buy(_:quantity:as:on:)``.
  public var buy = 8
  /// Of ``Schedule/Step/refund(_:on:)``.
  public var refund = 3
  /// Of ``Schedule/Step/spend(_:_:on:)``.
  public var spend = 5
  /// Of ``Schedule/Step/setExpiration(_:days:on:)``.
  public var setExpiration = 1
  /// Of ``Schedule/Step/grant(_:days:on:)``.
  public var grant = 1
  /// Of ``Schedule/Step/revoke(_:on:)``.
  public var revoke = 1
  /// Of ``Schedule/Step/setValue(_:to:on:)``.
  public var setValue = 1
  /// Of ``Schedule/Step/offline(_:)``.
  public var offline = 1
  /// Of ``Schedule/Step/online(_:)``.
  public var online = 2
  /// Of ``Schedule/Step/partition(_:)``.
  public var partition = 3
  /// Of ``Schedule/Step/reconnect``.
  public var reconnect = 3
  /// Of ``Schedule/Step/crash(_:)``.
  public var crash = 2
  /// Of ``Schedule/Step/start(_:)``.
  public var start = 3
  /// Of ``Schedule/Step/powerCut``.
  public var powerCut = 1
  /// Of ``Schedule/Step/setClock(_:off:)``.
  public var setClock = 1
  /// Of ``Schedule/Step/advance(_:)``.
  public var advance = 4

  /// Mostly people, and now and then the world.
  public init() {}

  /// Mostly people, and now and then the world.
  public static let usual = ScheduleWeights()
}

extension Testbed {
  /// Makes up a schedule. The same seed, testbed and weights give the same one.
  public func schedule(seed: UInt64, steps: Int = 30, weights: ScheduleWeights = .usual) -> Schedule {
    var generator = ScheduleGenerator(self, seed: seed)
    return Schedule(seed: seed, (0..<max(0, steps)).compactMap { _ in generator.next(weights) })
  }
}

/// Makes up steps that mostly make sense: what is refunded was bought before, and what is started is down.
private struct ScheduleGenerator {
  private let testbed: Testbed
  private var random: RandomState
  private var purchases = 0
  private var down: [String] = []

  init(_ testbed: Testbed, seed: UInt64) {
    self.testbed = testbed
    random = RandomState(seed: seed)
  }

  private typealias Maker = (inout ScheduleGenerator) -> Schedule.Step?

  /// - Returns: nil when there is nothing of the kind whose turn it is
  mutating func next(_ weights: ScheduleWeights) -> Schedule.Step? {
    let kinds = kinds(weights).filter { $0.0 > 0 }
    var turn = Int(random.next() % UInt64(max(1, kinds.reduce(0) { $0 + $1.0 })))
    for (weight, make) in kinds {
      if turn < weight { return make(&self) }
      turn -= weight
    }
    return nil
  }

  private func kinds(_ weights: ScheduleWeights) -> [(Int, Maker)] {
    [
      (weights.buy, { $0.buy() }), (weights.refund, { $0.refund() }), (weights.spend, { $0.spend() }),
      (weights.setExpiration, { $0.setExpiration() }), (weights.grant, { $0.grant() }),
      (weights.revoke, { it in it.pick(it.entitlements).map { .revoke($0, on: it.device()) } }),
      (weights.setValue, { .setValue("key\($0.number(3))", to: "\($0.number(100))", on: $0.device()) }),
      (weights.offline, { .offline($0.device()) }), (weights.online, { .online($0.device()) }),
      (weights.partition, { $0.partition() }), (weights.reconnect, { _ in .reconnect }),
      (weights.crash, { $0.crash() }), (weights.start, { $0.start() }),
      (weights.powerCut, { $0.powerCut() }), (weights.setClock, { $0.setClock() }),
      (weights.advance, { .advance(.seconds([1, 10, 300, 86_400][$0.number(4)])) }),
    ]
  }

  // MARK: Steps

  private mutating func buy() -> Schedule.Step? {
    guard let product = pick(testbed.catalogue.products) else { return nil }
    purchases += 1
    return .buy(product.id, quantity: 1 + number(4) / 3, as: "p\(purchases)", on: device())
  }

  private mutating func refund() -> Schedule.Step? {
    purchases == 0 ? nil : .refund("p\(1 + number(purchases))", on: device())
  }

  private mutating func spend() -> Schedule.Step? {
    pick(testbed.catalogue.products.compactMap(\.boughtCredit)).map {
      .spend($0, Int64(1 + number(4)), on: device())
    }
  }

  private mutating func setExpiration() -> Schedule.Step? {
    pick(testbed.catalogue.products.compactMap(\.line)).map {
      .setExpiration($0, days: number(4) == 0 ? nil : number(90), on: device())
    }
  }

  private mutating func grant() -> Schedule.Step? {
    pick(entitlements).map { .grant($0, days: number(2) == 0 ? nil : 1 + number(30), on: device()) }
  }

  private mutating func partition() -> Schedule.Step {
    var sides: [[String]] = [[], []]
    for device in testbed.devices { sides[number(2)].append(device) }
    return .partition(sides.filter { !$0.isEmpty })
  }

  private mutating func crash() -> Schedule.Step {
    let device = device()
    if !down.contains(device) { down.append(device) }
    return .crash(device)
  }

  private mutating func start() -> Schedule.Step? {
    guard let device = pick(down) else { return nil }
    down.removeAll { $0 == device }
    return .start(device)
  }

  private mutating func powerCut() -> Schedule.Step {
    down = testbed.devices
    return .powerCut
  }

  private mutating func setClock() -> Schedule.Step {
    let size = [0, 600, 86_400, 63_072_000][number(4)]
    return .setClock(device(), off: .seconds(number(3) == 0 ? -size : size))
  }

  // MARK: Choices

  private var entitlements: [String] { testbed.catalogue.products.flatMap { $0.entitlements ?? [] } }

  private mutating func number(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }

  private mutating func pick<Element>(_ elements: [Element]) -> Element? {
    elements.isEmpty ? nil : elements[number(elements.count)]
  }

  private mutating func device() -> String { testbed.devices[number(testbed.devices.count)] }
}
