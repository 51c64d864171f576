import Foundation
import PeerSync
import PeerSyncControl

/// `peerd time`: shows what time it is and who vouches for it, and has this device's clock count when a person says so.
struct TimeCommand {
  let accept: Bool
  let isConfirmed: Bool

  func run(_ client: ControlClient, _ console: Console) async throws {
    var answer: TimeBoundsAnswer = try await client.send("GET", "/v1/time")
    if accept {
      try confirm(answer, console)
      answer = try await client.send("POST", "/v1/time", body: AcceptTimeBody(accept: true))
    }
    try console.print(answer) { Self.text(answer, console) }
  }

  static func text(_ answer: TimeBoundsAnswer, _ console: Console) -> String {
    var table = console.table(
      "VOUCHED FOR BY", .whole("AT LEAST"), .whole("AHEAD OF THE CLOCK"), .whole("VOUCHED", .useful))
    for bound in answer.bounds {
      let lead = bound.time.milliseconds - answer.wall.milliseconds
      table.add([
        name(of: bound), console.date(bound.time),
        lead > Limits.clockDriftMilliseconds ? console.style.bad("\(ClockSpan(milliseconds: lead))") : "no",
        console.date.near(bound.vouched, from: answer.wall),
      ])
    }
    let floor = answer.bounds.max { $0.time < $1.time }
    let source =
      answer.source == "clock" ? nil : floor.map { "what \(Table.harmless(name(of: $0))) vouches for" }
    return """
      time   \(console.date(answer.now)), by \(source ?? "this device's clock")
      clock  \(console.date(answer.wall))

      """ + (answer.accepted.map { "a person accepted this clock at \(console.date($0))\n" } ?? "")
        + (answer.mayAccept ? "" : "nobody may accept this clock: the app that made the device forbids it\n")
        + console.section("Bounds", table, isEmpty: answer.bounds.isEmpty)
  }

  private static func name(of bound: TimeBoundsAnswer.Bound) -> String {
    bound.name ?? bound.device ?? "the store"
  }

  /// Asks on a terminal. Elsewhere nobody is there to look at the clock.
  private func confirm(_ answer: TimeBoundsAnswer, _ console: Console) throws {
    guard !isConfirmed else { return }
    guard isatty(STDIN_FILENO) == 1 else {
      throw Failure("there is no terminal to ask on: look at the clock, and say --yes if it is right")
    }
    try console.confirm(
      """
      This device's clock says \(console.date(answer.wall)). What peers have vouched for is dropped, and the clock counts.
      Is it right? [y/N]\u{20}
      """)
  }
}

extension Console {
  /// Asks the person at the terminal.
  ///
  /// - Throws: ``Failure`` unless the answer is yes
  func confirm(_ question: String) throws {
    FileHandle.standardError.write(Data(Console.harmless(question).utf8))
    guard let line = readLine(), ["y", "yes"].contains(line.lowercased()) else {
      throw Failure("nothing was changed")
    }
  }
}
