import PeerSyncCore
import Testing

/// `peerd bench`: what it prints is for programs.
@Suite("Benchmarks", .paced, .noHang)
struct BenchTests {
  @Test("a benchmark prints one line of JSON: its name, and its figures")
  func line() async throws {
    // The one that takes least.
    let outcome = try await Peerd.run(["bench", "fold"])
    #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
    #expect(outcome.output.hasSuffix("}\n") && outcome.output.split(separator: "\n").count == 1)
    guard let fields = try outcome.json(JSONValue.self).dictionary else {
      Issue.record("no object: \(outcome.output)")
      return
    }
    #expect(fields["bench"] == .string("fold") && fields["purchases"] == .integer(1000))
    guard case .number(let digits)? = fields["coldMilliseconds"], let cold = Double(digits) else {
      Issue.record("no figure: \(outcome.output)")
      return
    }
    #expect(cold > 0)
  }

  @Test("a benchmark that there is not is wrong usage")
  func unknown() async throws {
    let outcome = try await Peerd.run(["bench", "nothing"])
    #expect(outcome.status == 2 && outcome.output.isEmpty)
    #expect(outcome.errors.contains("no benchmark is called 'nothing'; see peerd bench --help"))
  }
}
