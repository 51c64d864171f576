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
      .text(.vouchedForBy), .whole(.atLeast), .whole(.ahead), .whole(.vouched, .useful))
    for bound in answer.bounds {
      let lead = bound.time.milliseconds - answer.wall.milliseconds
      table.add([
        name(of: bound, console), console.date(bound.time),
        lead > Limits.clockDriftMilliseconds
          ? console.style.bad(console.words(ClockSpan(milliseconds: lead).told)) : console.words(.no),
        console.date.ago(bound.vouched, from: answer.wall),
      ])
    }
    let floor = answer.bounds.max { $0.time < $1.time }
    let source = answer.source == "clock" ? nil : floor.map { Style.harmless(name(of: $0, console)) }
    let accepted = answer.accepted.map { console.words(.clockAccepted(console.date($0))) + "\n" }
    return console.words(.timeBy(console.date(answer.now), voucher: source)) + "\n"
      + console.words(.clockLine(console.date(answer.wall))) + "\n" + (accepted ?? "")
      + (answer.mayAccept ? "" : console.words(.mayNotAccept) + "\n")
      + console.section(.boundsTitle, table, isEmpty: answer.bounds.isEmpty)
  }

  private static func name(of bound: TimeBoundsAnswer.Bound, _ console: Console) -> String {
    bound.name ?? bound.device ?? console.words(.theStore)
  }

  /// Asks on a terminal. Elsewhere nobody is there to look at the clock.
  private func confirm(_ answer: TimeBoundsAnswer, _ console: Console) throws {
    guard !isConfirmed else { return }
    guard isatty(STDIN_FILENO) == 1 else {
      throw Failure(.noTerminalToAccept)
    }
    try console.confirm(.acceptClock(console.date(answer.wall)))
  }
}

extension Console {
  /// Asks the person at the terminal.
  ///
  /// - Throws: ``Failure`` unless the answer is yes
  func confirm(_ question: Phrase) throws {
    Screen.errors().show(Console.harmless(words(question)))
    guard let line = Input.line(), ["y", "yes", "예", "네"].contains(line.lowercased()) else {
      throw Failure(.nothingWasChanged)
    }
  }
}
