import Testing

/// Runs only so many tests at a time. Each starts several daemons, and what they promise within seconds they should
/// not miss because dozens of others start at the same moment.
struct Paced: SuiteTrait, TestTrait, TestScoping {
  private static let turns = Turns(free: 4)

  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    await Self.turns.take()
    do { try await function() } catch {
      await Self.turns.giveBack()
      throw error
    }
    await Self.turns.giveBack()
  }
}

extension Trait where Self == Paced {
  /// Takes its turn among all integration tests.
  static var paced: Paced { Paced() }
}

/// A few turns that many wait for.
private actor Turns {
  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(free: Int) { self.free = free }

  func take() async {
    await withCheckedContinuation { continuation in
      guard free > 0 else { return waiting.append(continuation) }
      free -= 1
      continuation.resume()
    }
  }

  func giveBack() {
    if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
  }
}
