import PeerSync

struct SimulateCommand {
  let options: SimulateOptions

  func run(_ console: Console) throws {
    throw Failure("the simulation is not part of this build yet")
  }
}

struct BenchCommand {
  let name: String

  func run(_ console: Console) async throws {
    throw Failure("the benchmark '\(name)' is not part of this build yet")
  }
}
