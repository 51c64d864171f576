import PeerSync
import Testing

/// Runs tests on a thread of their own, one after another as they wait: on those that tests share they are behind whatever was begun
/// before, for longer than a daemon waits for an answer.
package struct OwnThread: SuiteTrait, TestTrait, TestScoping {
  private let executor: SerialTaskExecutor

  /// Each test of a suite is one.
  package var isRecursive: Bool { true }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    try await withTaskExecutorPreference(executor) { try await function() }
  }

  fileprivate init(_ label: String) { executor = SerialTaskExecutor(label: label) }
}

extension Trait where Self == OwnThread {
  /// On a thread that the tests with this trait share among themselves alone.
  package static var ownThread: Self { OwnThread("tests of a suite") }
}
