import PeerSyncSimulation

/// What goes wrong by itself in virtual time, and how often. Nil, or 0: never.
public struct FaultRates: Hashable, Sendable {
  /// Longest delay of a message.
  public var delay: Duration = .milliseconds(20)
  /// Messages of a thousand that vanish.
  public var loss: Int = 0
  /// Messages of a thousand that come twice.
  public var duplication: Int = 0
  /// Messages of a thousand that overtake others.
  public var reordering: Int = 0
  /// Mean time between partitions; each ends by itself.
  public var partitions: Duration?
  /// Mean time between crashes. One in eight is a power cut for all; each device starts again within two minutes.
  public var crashes: Duration?
  /// How far clocks are off either way, up to two minutes.
  public var skew: Duration = .zero
  /// Mean time between clocks that go wrong by minutes, days or years, each for up to ten minutes.
  public var wildClocks: Duration?

  /// Nothing goes wrong.
  public init() {}

  /// Nothing goes wrong.
  public static let none = FaultRates()

  /// A bad network, and every few minutes a partition, a crash or a wrong clock.
  public static let usual: FaultRates = {
    var rates = FaultRates()
    rates.delay = .milliseconds(200)
    (rates.loss, rates.duplication, rates.reordering) = (5, 10, 10)
    (rates.partitions, rates.crashes) = (.seconds(300), .seconds(400))
    (rates.skew, rates.wildClocks) = (.seconds(120), .seconds(1200))
    return rates
  }()

  /// As the simulator takes them.
  var faults: Faults {
    var faults = Faults.none
    faults.delay = UInt64(clamping: max(1, delay.inMilliseconds))
    faults.loss = UInt64(clamping: loss)
    faults.duplication = UInt64(clamping: duplication)
    faults.reordering = UInt64(clamping: reordering)
    faults.partitionEvery = UInt64(clamping: partitions?.inMilliseconds ?? 0)
    faults.crashEvery = UInt64(clamping: crashes?.inMilliseconds ?? 0)
    faults.skew = min(max(0, skew.inMilliseconds), 120_000)
    faults.wildClockEvery = UInt64(clamping: wildClocks?.inMilliseconds ?? 0)
    return faults
  }
}

extension Duration {
  /// Whole milliseconds, held at the bounds of what fits.
  var inMilliseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    let (sum, carry) = product.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
    guard overflow || carry else { return sum }
    return seconds < 0 ? .min : .max
  }
}
