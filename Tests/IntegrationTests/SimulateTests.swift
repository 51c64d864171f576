import PeerSyncCore
import Testing

@Suite("peerd simulate", .paced, .noHang)
struct SimulateTests {
  private func trace(_ seed: Int) async throws -> String {
    let outcome = try await Peerd.run([
      "simulate", "--seed", "\(seed)", "--devices", "3", "--hours", "6", "--json",
    ])
    #expect(outcome.status == 0, "\(outcome.errors)")
    guard case .array(let runs)? = try outcome.json(JSONValue.self)["runs"],
      case .string(let hash)? = runs.first?["traceHash"]
    else { return "" }
    return hash
  }

  @Test("I8: the same seed gives the same trace hash in two processes, and another seed another")
  func determinism() async throws {
    let seed = Int.random(in: 0...1_000_000)
    async let first = trace(seed)
    async let second = trace(seed)
    let (one, two, other) = (try await first, try await second, try await trace(seed + 1))
    #expect(!one.isEmpty && one == two && one != other, "seed \(seed)")
  }

  @Test("it says what it runs before and which promises held after; wrong options are wrong usage")
  func text() async throws {
    let outcome = try await Peerd.run(["simulate", "--seed", "7", "--devices", "2", "--hours", "1"])
    #expect(outcome.status == 0 && outcome.output.hasPrefix("simulating 2 devices for 1 h"))
    #expect(outcome.output.contains("seed") && outcome.output.contains("holds"))
    #expect(!outcome.output.contains("BROKEN"))
    // Nobody was removed: that promise was not put to the test.
    #expect(outcome.output.contains("not tested (--faults removals)"))
    let rare = try await Peerd.run([
      "simulate", "--seed", "7", "--devices", "3", "--minutes", "90", "--faults", "copies,removals", "--json",
    ])
    #expect(rare.status == 0 && rare.output.contains("\"replay\""), "\(rare.errors)")
    #expect(
      rare.output.contains("peerd simulate --seed 7 --devices 3 --minutes 90 --faults removals,copies"))
    let all = try await Peerd.run([
      "simulate", "--seed", "1", "--devices", "3", "--minutes", "5", "--faults", "all", "--json",
    ])
    #expect(all.status == 0 && all.output.contains("one-way"), "\(all.errors)")
    for wrong in [
      ["--seed", "x"], ["--seed", "-1"], ["--devices", "1"], ["--hours", "0"], ["--seeds", "0"], ["more"],
      ["--minutes", "0"], ["--minutes", "5", "--hours", "1"], ["--faults", "removals,fire"],
      ["--faults", ""],
    ] {
      let outcome = try await Peerd.run(["simulate"] + wrong)
      #expect(outcome.status == 2 && outcome.errors.contains("peerd simulate --help"), "\(wrong)")
    }
  }

  @Test("explore says how much it has searched; wrong bounds are wrong usage")
  func explore() async throws {
    let outcome = try await Peerd.run([
      "explore", "--spends", "0", "--removals", "0", "--crashes", "0", "--json",
    ])
    #expect(outcome.status == 0 && outcome.output.contains("\"whole\":true"), "\(outcome.output)")
    let text = try await Peerd.run(["explore", "--states", "500"])
    #expect(text.status == 0 && text.output.contains("states to a depth of"), "\(text.output)")
    let wrong = try await Peerd.run(["explore", "--states", "0"])
    #expect(wrong.status == 2 && wrong.errors.contains("peerd explore --help"))
  }
}
