import PeerSyncCore

/// Makes a failing schedule shorter: hands out candidates one after another, and is told of each whether it still fails.
///
/// First chunks of steps are taken away, halves at first and single steps at last; then each step is made simpler. Whenever that
/// has changed something, it begins again with single steps. (Zeller and Hildebrandt, *Simplifying and Isolating
/// Failure-Inducing Input*, 2002, without the complements: removing chunks in order finds the same minimum.)
struct ScheduleShrinker {
  /// The shortest schedule so far that fails.
  private(set) var steps: [Schedule.Step]
  /// How many candidates were tried.
  private(set) var attempts = 0

  private let testbed: Testbed
  private let limit: Int
  private var phase: Phase
  private var current: [Schedule.Step] = []
  /// Whether this round has changed anything.
  private var isChanged = false

  private enum Phase {
    /// Remove so many steps from there.
    case remove(size: Int, from: Int)
    /// Put this simpler form of a step in its place.
    case simplify(index: Int, choice: Int)
    case over
  }

  init(_ steps: [Schedule.Step], of testbed: Testbed, attempts limit: Int) {
    self.steps = steps
    self.testbed = testbed
    self.limit = limit
    phase = .remove(size: max(1, steps.count / 2), from: 0)
  }

  /// What is to be tried next; nil: it gets no shorter.
  mutating func candidate() -> [Schedule.Step]? {
    while attempts < limit {
      switch phase {
      case .remove(let size, let from) where from < steps.count:
        current = steps
        current.removeSubrange(from..<min(from + size, steps.count))
        attempts += 1
        return current
      case .remove(let size, _):
        phase = size > 1 ? .remove(size: size / 2, from: 0) : .simplify(index: 0, choice: 0)
      case .simplify(let index, let choice) where index < steps.count:
        let simpler = steps[index].simpler(in: testbed)
        guard choice < simpler.count else {
          phase = .simplify(index: index + 1, choice: 0)
          continue
        }
        current = steps
        current[index] = simpler[choice]
        attempts += 1
        return current
      case .simplify:
        phase = isChanged ? .remove(size: 1, from: 0) : .over
        isChanged = false
      case .over: return nil
      }
    }
    return nil
  }

  /// Takes note of whether the candidate fails like the first schedule.
  mutating func take(_ isFailing: Bool) {
    if isFailing { steps = current }
    switch phase {
    case .remove(let size, let from): if !isFailing { phase = .remove(size: size, from: from + size) }
    case .simplify(let index, let choice):
      phase = .simplify(index: index, choice: isFailing ? 0 : choice + 1)
      if isFailing { isChanged = true }
    case .over: break
    }
  }
}

extension Schedule.Step {
  /// The same step with less in it, the simplest first. Each is simpler by an order without an end below, so that this ends.
  fileprivate func simpler(in testbed: Testbed) -> [Schedule.Step] {
    switch self {
    case .buy(let product, let quantity, let label, let name):
      numbers(below: quantity, from: 1).map { .buy(product, quantity: $0, as: label, on: name) }
        + products(before: product, testbed).map { .buy($0, quantity: quantity, as: label, on: name) }
        + devices(before: name, testbed).map { .buy(product, quantity: quantity, as: label, on: $0) }
    case .refund(let label, let name): devices(before: name, testbed).map { .refund(label, on: $0) }
    case .spend(let credit, let amount, let name):
      numbers(below: Int(amount), from: 1).map { .spend(credit, Int64($0), on: name) }
        + devices(before: name, testbed).map { .spend(credit, amount, on: $0) }
    case .setExpiration(let line, let days, let name):
      numbers(below: days ?? 0, from: 1).map { .setExpiration(line, days: $0, on: name) }
        + devices(before: name, testbed).map { .setExpiration(line, days: days, on: $0) }
    case .grant(let entitlement, let days, let name):
      (days == nil ? [] : [.grant(entitlement, days: nil, on: name)])
        + devices(before: name, testbed).map { .grant(entitlement, days: days, on: $0) }
    case .revoke(let entitlement, let name):
      devices(before: name, testbed).map { .revoke(entitlement, on: $0) }
    case .setValue(let key, let value, let name):
      devices(before: name, testbed).map { .setValue(key, to: value, on: $0) }
    case .offline(let name): devices(before: name, testbed).map { .offline($0) }
    case .online(let name): devices(before: name, testbed).map { .online($0) }
    case .crash(let name): devices(before: name, testbed).map { .crash($0) }
    case .start(let name): devices(before: name, testbed).map { .start($0) }
    case .powerCut: testbed.devices.map { .crash($0) }
    case .setClock(let name, let offset):
      durations(below: offset).map { .setClock(name, off: $0) }
        + devices(before: name, testbed).map { .setClock($0, off: offset) }
    case .advance(let duration): durations(below: duration).map { .advance($0) }
    case .partition, .reconnect: []
    }
  }

  private func devices(before name: String, _ testbed: Testbed) -> ArraySlice<String> {
    testbed.devices.prefix { $0 != name }.prefix(1)
  }

  private func products(before id: String, _ testbed: Testbed) -> [String] {
    testbed.catalogue.products.map(\.id).prefix { Name($0) != Name(id) }.prefix(1).map(\.self)
  }

  private func numbers(below number: Int, from least: Int) -> [Int] {
    number > least ? (number / 2 > least ? [least, number / 2] : [least]) : []
  }

  private func durations(below duration: Duration) -> [Duration] {
    let seconds = Int(duration.inMilliseconds / 1000)
    return numbers(below: abs(seconds), from: 1).map { .seconds(seconds < 0 ? -$0 : $0) }
  }
}

extension [Schedule.Step] {
  /// The same steps with purchases called p1, p2, … as they come.
  var withLabelsInOrder: [Schedule.Step] {
    var labels: [String: String] = [:]
    return map { step in
      switch step {
      case .buy(let product, let quantity, let label, let name):
        let new = "p\(labels.count + 1)"
        labels[label] = new
        return .buy(product, quantity: quantity, as: new, on: name)
      case .refund(let label, let name): return .refund(labels[label] ?? label, on: name)
      case .spend, .setExpiration, .grant, .revoke, .setValue, .offline, .online, .partition, .reconnect,
        .crash, .start, .powerCut, .setClock, .advance:
        return step
      }
    }
  }
}
