import PeerSyncCore

/// Searches a small world whole, as a model checker does: three devices, real engines as values, and every order in which messages
/// arrive, devices die, somebody is removed and credits are spent. After each step the checkers of ``World`` look.
///
/// States are remembered by their digest: two that hold the same, in memory and on disks, with the same under way, are one. Those
/// that lie one step further are found next, and never those behind them: so the first path to a broken promise is a shortest one.
///
/// A world takes far more memory than a digest. So of a state only the step is kept by which it was found, and its world is made again
/// from the root: along the tree of those steps, once for each depth, and only where the way goes on.
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
    /// The steps to it, in both languages.
    package var path: [(english: String, korean: String)] = []
  }

  /// A state, as a node of the tree of the steps by which states were found.
  private struct Node {
    /// Which one it is of all that can happen in the state before.
    let step: Int32
    /// Where those stand that were found from here.
    var next: Range<Int32> = 0..<0
    /// Whether one of the newest states is behind it, or it is one.
    var leadsOn = true
  }

  private let bounds: Bounds
  private let root: SmallWorld
  private var report = Report()
  /// The digests of the states.
  private var known: Set<Int>
  /// The states, in the order in which they were found.
  private var nodes = [Node(step: 0)]
  /// Those that were found last: all that are so many steps away.
  private var newest = 0..<1
  /// The way to the state that is looked at.
  private var way: [(world: SmallWorld, step: SmallWorld.Step)] = []

  /// - Parameters:
  ///   - seed: of names and keys
  ///   - sabotage: a fault of the program itself, for seeing the search find it
  package init(_ bounds: Bounds = Bounds(), seed: UInt64 = 1, sabotage: Sabotage? = nil) {
    self.bounds = bounds
    root = SmallWorld(seed: seed, bounds, sabotage)
    known = [root.fingerprint]
  }

  /// Searches, one step deeper at a time, until a promise breaks, everything is searched, or a bound is reached.
  package mutating func run() -> Report {
    report.violation = root.violation
    while !isOver, report.depth < bounds.depth {
      let first = nodes.count
      walk(from: root, at: 0)
      guard !isOver else { break }
      newest = first..<nodes.count
      report.isWhole = newest.isEmpty
      if !newest.isEmpty { report.depth += 1 }
    }
    report.states = known.count
    return report
  }

  private var isOver: Bool {
    report.violation != nil || report.isWhole || known.count >= bounds.states
  }

  /// Finds what is behind the newest states, of those that are behind a state.
  private mutating func walk(from world: SmallWorld, at place: Int) {
    let steps = world.steps
    if newest.contains(place) {
      search(from: world, steps, at: place)
    } else {
      for next in nodes[place].next where nodes[Int(next)].leadsOn && !isOver {
        let step = steps[Int(nodes[Int(next)].step)]
        way.append((world, step))
        walk(from: world.after(step), at: Int(next))
        way.removeLast()
      }
    }
    nodes[place].leadsOn = nodes[place].next.contains { nodes[Int($0)].leadsOn }
  }

  /// Tries all that can happen in one of the newest states.
  private mutating func search(from world: SmallWorld, _ steps: [SmallWorld.Step], at place: Int) {
    let first = Int32(nodes.count)
    for (number, step) in steps.enumerated() where !isOver {
      let next = world.after(step)
      report.steps += 1
      if let violation = next.violation {
        report.violation = violation
        report.path = (way + [(world, step)]).map { $0.world.text(of: $0.step) }
      } else if known.insert(next.fingerprint).inserted {
        nodes.append(Node(step: Int32(number)))
      }
    }
    nodes[place].next = first..<Int32(nodes.count)
  }
}
