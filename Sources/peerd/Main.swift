import PeerSync

/// The program's entry point.
@main
enum Main {
  static func main() async throws {
    for line in try await Benchmark(rawValue: CommandLine.arguments[1])!.run() { print(line.json) }
  }
}
