/// What people and the world do to a ``DeviceGroup``, step by step: written down, or made up from a seed by
/// ``Testbed/schedule(seed:steps:weights:)``. Its description is Swift code that makes it.
public struct Schedule: Hashable, Sendable, CustomStringConvertible {
  /// What everything follows from that the steps leave open.
  public var seed: UInt64
  /// What happens, in order.
  public var steps: [Step]

  /// Makes a schedule.
  public init(seed: UInt64 = 1, _ steps: [Step]) {
    self.seed = seed
    self.steps = steps
  }

  /// One thing that happens. Devices are named as in ``Testbed/devices``. What a device refuses, and what is asked of one that
  /// is down, is left out, so that a schedule still makes sense when steps of it are taken away.
  public enum Step: Hashable, Sendable {
    /// Buys a product; later steps call the purchase by the label.
    case buy(String, quantity: Int = 1, as: String, on: String)
    /// Refunds the purchase of a label, if there was one.
    case refund(String, on: String)
    /// Spends so many of a credit.
    case spend(String, Int64, on: String)
    /// Writes an explicit date for a line, so many days from now; nil: no cover.
    case setExpiration(String, days: Int?, on: String)
    /// Grants an entitlement, for so many days; nil: for good.
    case grant(String, days: Int?, on: String)
    /// Takes back every grant of an entitlement.
    case revoke(String, on: String)
    /// Writes a value of the app.
    case setValue(String, to: String, on: String)
    /// Cuts a device off, as its user wants it.
    case offline(String)
    /// Lets it back.
    case online(String)
    /// Cuts the sides off from each other: see ``DeviceGroup/partition(_:)``.
    case partition([[String]])
    /// Every device reaches every other one.
    case reconnect
    /// A device dies.
    case crash(String)
    /// It starts again.
    case start(String)
    /// All die.
    case powerCut
    /// Sets a clock so far off, and all others right: of several clocks that are wrong alike nobody could tell.
    case setClock(String, off: Duration)
    /// Time passes.
    case advance(Duration)
  }

  /// Swift code that makes it.
  public var description: String {
    "Schedule(seed: \(seed), [\n" + steps.map { "  \($0),\n" }.joined() + "])"
  }
}

extension Schedule.Step: CustomStringConvertible {
  /// Swift code that makes it.
  public var description: String {
    switch self {
    case .buy(let product, let quantity, let label, let device):
      ".buy(\(code(product)), \(quantity == 1 ? "" : "quantity: \(quantity), ")as: \(code(label)), on: \(code(device)))"
    case .refund(let label, let device): ".refund(\(code(label)), on: \(code(device)))"
    case .spend(let credit, let amount, let device):
      ".spend(\(code(credit)), \(amount), on: \(code(device)))"
    case .setExpiration(let line, let days, let device):
      ".setExpiration(\(code(line)), days: \(code(days)), on: \(code(device)))"
    case .grant(let entitlement, let days, let device):
      ".grant(\(code(entitlement)), days: \(code(days)), on: \(code(device)))"
    case .revoke(let entitlement, let device): ".revoke(\(code(entitlement)), on: \(code(device)))"
    case .setValue(let key, let value, let device):
      ".setValue(\(code(key)), to: \(code(value)), on: \(code(device)))"
    case .offline(let device): ".offline(\(code(device)))"
    case .online(let device): ".online(\(code(device)))"
    case .partition(let sides):
      ".partition([" + sides.map { "[\($0.map(code).joined(separator: ", "))]" }.joined(separator: ", ")
        + "])"
    case .reconnect: ".reconnect"
    case .crash(let device): ".crash(\(code(device)))"
    case .start(let device): ".start(\(code(device)))"
    case .powerCut: ".powerCut"
    case .setClock(let device, let offset): ".setClock(\(code(device)), off: \(code(offset)))"
    case .advance(let duration): ".advance(\(code(duration)))"
    }
  }
}

private func code(_ text: String) -> String { text.debugDescription }

private func code(_ number: Int?) -> String { number.map(String.init) ?? "nil" }

private func code(_ duration: Duration) -> String {
  let milliseconds = duration.inMilliseconds
  return milliseconds.isMultiple(of: 1000)
    ? ".seconds(\(milliseconds / 1000))" : ".milliseconds(\(milliseconds))"
}
