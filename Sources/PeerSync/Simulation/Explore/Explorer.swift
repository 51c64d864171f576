import PeerSyncCore

/// Searches a small world whole, as a model checker does: three devices, real engines as values, and every order in which messages
/// arrive, devices die, somebody is removed and credits are spent. After each step the checkers of ``World`` look.
///
/// States are remembered by their digest: two that hold the same, in memory and on disks, with the same under way, are one. The
/// search goes deeper by one step at a time, so that the first path to a broken promise is a shortest one.
package struct Explorer {
  /// How much may happen in the small world.
  package struct Bounds: Hashable, Sendable {
    package var spends = 2
    package var decisions = 1
    package var removals = 1
    package var crashes = 1
    /// Longest path, in steps.
    package var depth = 40
    /// Most states.
    package var states = 100_000

    package init() {}
  }

  /// What was found.
  package struct Report: Sendable {
    /// Different states.
    package var states = 0
    /// Steps that were tried, those that led to a state that was known included.
    package var steps = 0
    /// The longest path of which everything was searched.
    package var depth = 0
    /// Whether there is nothing beyond that depth.
    package var isWhole = false
    package var violation: Violation?
    /// The steps to it.
    package var path: [String] = []
  }

  private let bounds: Bounds
  private let root: SmallWorld
  private var report = Report()
  /// The states that were met, and how many steps were left to go from there.
  private var known: [UInt64: Int] = [:]
  private var path: [String] = []
  /// Whether the bound of this round has cut something off.
  private var isCut = false

  /// - Parameters:
  ///   - seed: of names and keys
  ///   - sabotage: a fault of the program itself, for seeing the search find it
  package init(_ bounds: Bounds = Bounds(), seed: UInt64 = 1, sabotage: Sabotage? = nil) {
    self.bounds = bounds
    root = SmallWorld(seed: seed, bounds, sabotage)
  }

  /// Searches, one step deeper at a time, until a promise breaks, everything is searched, or a bound is reached.
  package mutating func run() -> Report {
    report.violation = root.violation
    for depth in 1...bounds.depth where !isOver {
      (known, isCut) = ([root.fingerprint: depth], false)
      search(root, depth)
      report.states = known.count
      if isOver { break }
      report.depth = depth
      report.isWhole = !isCut
    }
    return report
  }

  private var isOver: Bool {
    report.violation != nil || report.isWhole || known.count >= bounds.states
  }

  private mutating func search(_ world: SmallWorld, _ left: Int) {
    let steps = world.steps
    if left == 0 {
      if !steps.isEmpty { isCut = true }
      return
    }
    for step in steps where !isOver {
      let next = world.after(step)
      report.steps += 1
      path.append(step.text)
      defer { path.removeLast() }
      if let violation = next.violation {
        (report.violation, report.path) = (violation, path)
        return
      }
      let fingerprint = next.fingerprint
      if let before = known[fingerprint], before >= left - 1 { continue }
      known[fingerprint] = left - 1
      search(next, left - 1)
    }
  }
}
