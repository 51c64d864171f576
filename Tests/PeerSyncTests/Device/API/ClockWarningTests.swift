import Foundation
import PeerSync
import Testing

/// What people are told of a clock names something that helps.
@Suite struct ClockWarningTests {
  private let day: Int64 = 24 * 3_600_000

  private func behind(hasWitness: Bool, mayAccept: Bool) -> String {
    let remedy = ClockRemedy(hasWitness: hasWitness, mayAccept: mayAccept)
    return ClockFinding.behind(400 * day, .peer(DeviceID(high: 1, low: 2)), remedy: remedy).warning { _ in
      "Tablet"
    }.text(in: .english)
  }

  @Test func aClockThatIsRightHasARemedyToo() {
    for (hasWitness, mayAccept) in [(true, true), (true, false), (false, true), (false, false)] {
      let text = behind(hasWitness: hasWitness, mayAccept: mayAccept)
      #expect(text.contains("set the clock right; if it is right, "), "\(text)")
      #expect(text.contains("connect both with a third one") == hasWitness)
      #expect((text.contains("accept it") || text.contains(", or accept this clock")) == mayAccept)
    }
    #expect(behind(hasWitness: false, mayAccept: false).contains("make a new device here"))
  }

  @Test("every finding is told in Korean, spans of time as well") func inKorean() {
    let device = DeviceID(high: 1, low: 2)
    var findings: [ClockFinding] = [
      .behind(day, .store(signed: .epoch), remedy: ClockRemedy(hasWitness: true, mayAccept: true)),
      .withdrawn(device, day), .stampedAhead(day, isAlone: true), .stampedAhead(day, isAlone: false),
      .stampedAnew(3), .heldBackHere(device, day),
    ]
    for (hasWitness, mayAccept) in [(true, true), (true, false), (false, true), (false, false)] {
      let remedy = ClockRemedy(hasWitness: hasWitness, mayAccept: mayAccept)
      findings.append(.behind(day + 3_600_000, .peer(device), remedy: remedy))
    }
    findings += [true, false].map { .heldBackThere(peer: "Tablet", day, isVouchedFor: $0) }
    for finding in findings {
      let text = finding.warning { _ in "Tablet" }.text(in: .korean)
      let words = text.replacingOccurrences(of: "Tablet", with: "").unicodeScalars
      // But for the zone of times, which is written the same everywhere.
      let foreign = words.filter { $0.isASCII && $0.properties.isAlphabetic }.map(String.init)
      #expect(["", "UTC"].contains(foreign.joined()), "\(text)")
    }
    #expect(findings[6].warning { _ in "Tablet" }.text(in: .korean).contains("1일 1시간 늦습니다"))
  }

  @Test func whoeverIsAloneIsNotSentToItsGroup() {
    let (alone, group) = (
      ClockFinding.stampedAhead(day, isAlone: true), ClockFinding.stampedAhead(day, isAlone: false)
    )
    #expect(
      group.warning { _ in "" }.text(in: .english).contains(
        "connect a device of the group whose clock is right"))
    let text = alone.warning { _ in "" }.text(in: .english)
    #expect(!text.contains("of the group") && text.contains("it counts here") && text.contains("pair one"))
  }
}
