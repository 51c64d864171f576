/// `peerd bench`: runs a benchmark and prints its figures.
struct BenchCommand {
  let benchmark: Benchmark

  func run(_ console: Console) async throws {
    let signals = Cleanup.whenStopped()
    defer { withExtendedLifetime(signals) {} }
    for figures in try await benchmark.run() { try console.print(document: figures.json) }
  }
}
