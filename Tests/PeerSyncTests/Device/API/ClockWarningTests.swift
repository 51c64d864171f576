import PeerSync
import Testing

/// What people are told of a clock names something that helps.
@Suite struct ClockWarningTests {
  private let day: Int64 = 24 * 3_600_000

  private func behind(hasWitness: Bool, mayAccept: Bool) -> String {
    let remedy = ClockRemedy(hasWitness: hasWitness, mayAccept: mayAccept)
    return ClockFinding.behind(400 * day, .peer(DeviceID(high: 1, low: 2)), remedy: remedy).warning { _ in
      "Tablet"
    }
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

  @Test func whoeverIsAloneIsNotSentToItsGroup() {
    let (alone, group) = (
      ClockFinding.stampedAhead(day, isAlone: true), ClockFinding.stampedAhead(day, isAlone: false)
    )
    #expect(group.warning { _ in "" }.contains("connect a device of the group whose clock is right"))
    let text = alone.warning { _ in "" }
    #expect(!text.contains("of the group") && text.contains("it counts here") && text.contains("pair one"))
  }
}
