/// A client of one device in a storm (`scripts/storm/client.py`), which writes down what it asked for and what became of it.
struct StormClient: Sendable {
  private let script: NamespaceScript

  /// Starts it where the device lives.
  init(of device: PeerdProcess, in namespace: String, seed: Int, history: String) throws {
    script = try NamespaceScript(
      "storm/client.py", [device.data, device.name, "\(seed)", history], in: namespace)
  }

  /// Has it ask for nothing more, and waits until it has its last answer.
  func rest() async throws { _ = try await script.tell("rest", expecting: "resting") }

  /// Has it read once more.
  ///
  /// - Returns: what the device holds, as its digest
  func read() async throws -> String { try await script.tell("read", expecting: "read ") }
}
