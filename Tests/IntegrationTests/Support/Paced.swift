import Testing

/// Runs only so many tests at a time. Each starts several daemons, and what they promise within seconds they should
/// not miss because dozens of others start at the same moment.
struct Paced: SuiteTrait, TestTrait, TestScoping {
  private static let turns = Turns(free: 4)

  /// Whether it waits behind none but its like.
  let comesFirst: Bool

  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    await Self.turns.take(first: comesFirst)
    do { try await function() } catch {
      await Self.turns.giveBack()
      throw error
    }
    await Self.turns.giveBack()
  }
}

extension Trait where Self == Paced {
  /// Takes its turn among all integration tests.
  static var paced: Paced { Paced(comesFirst: false) }

  /// Takes its turn before those that are only ``paced``: for a suite whose tests come one after another. If each of them waited behind
  /// all others, the last would run alone, long after everything else.
  static var pacedFirst: Paced { Paced(comesFirst: true) }
}

/// A few turns that many wait for.
private actor Turns {
  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private var waitingFirst: [CheckedContinuation<Void, Never>] = []

  init(free: Int) { self.free = free }

  func take(first: Bool) async {
    await withCheckedContinuation { continuation in
      if free > 0 {
        free -= 1
        continuation.resume()
      } else if first {
        waitingFirst.append(continuation)
      } else {
        waiting.append(continuation)
      }
    }
  }

  func giveBack() {
    if !waitingFirst.isEmpty {
      waitingFirst.removeFirst().resume()
    } else if !waiting.isEmpty {
      waiting.removeFirst().resume()
    } else {
      free += 1
    }
  }
}
