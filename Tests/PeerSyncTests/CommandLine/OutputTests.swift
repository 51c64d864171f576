import Foundation
import PeerSyncCore
import Testing
import peerd

@Suite("Output for people")
struct OutputTests {
  @Test("colour only on a terminal, and never against NO_COLOR")
  func colour() {
    #expect(Style(isTerminal: true, environment: [:]).good("x") == "\u{1b}[32mx\u{1b}[0m")
    #expect(Style(isTerminal: true, environment: ["NO_COLOR": ""]).bad("x") == "\u{1b}[31mx\u{1b}[0m")
    for (isTerminal, environment) in [(false, [:]), (true, ["NO_COLOR": "1"]), (true, ["TERM": "dumb"])] {
      #expect(Style(isTerminal: isTerminal, environment: environment).bold("x") == "x")
    }
  }

  @Test("columns are as wide as what they show, coloured or not")
  func table() {
    let style = Style(isTerminal: true, environment: [:])
    var table = Table(["A", "B"], style: Style(isTerminal: false, environment: [:]))
    table.add([style.good("long"), "x"])
    table.add(["é", "yy"])
    #expect(table.text == "A     B\n\u{1b}[32mlong\u{1b}[0m  x\né     yy\n")
  }

  @Test("a name from elsewhere cannot steer the terminal")
  func harmless() {
    var table = Table([], style: Style(isTerminal: false, environment: [:]))
    table.add(["a\u{1b}[2Jb\nc\u{9b}d"])
    #expect(table.text == "\na\u{fffd}[2Jb\u{fffd}c\u{fffd}d\n")
  }

  @Test("a whole text is made harmless line by line")
  func harmlessText() {
    #expect(
      Console.harmless("a\u{1b}[2J\n\n\u{1b}[1mb\u{1b}[0m\n") == "a\u{fffd}[2J\n\n\u{1b}[1mb\u{1b}[0m\n")
  }

  @Test("a host's name is cut to fit between two characters, and never empty")
  func hostNames() {
    #expect(InitCommand.deviceName(ofHost: "phone.local") == "phone.local")
    #expect(InitCommand.deviceName(ofHost: "a\u{7}b\n") == "ab")
    #expect(InitCommand.deviceName(ofHost: "") == "device")
    let long = InitCommand.deviceName(ofHost: String(repeating: "é", count: 200))
    #expect(long == String(repeating: "é", count: 127))
  }

  @Test("times are in the reader's zone, with the instant behind them")
  func dates() throws {
    let berlin = DateText(zone: try #require(TimeZone(identifier: "Europe/Berlin")))
    #expect(berlin(Instant("2026-07-01")).hasPrefix("2026-07-01 02:00:00 "))
    #expect(berlin(Instant("2026-12-31T23:30:00Z")).hasPrefix("2027-01-01 00:30:00 "))
    #expect(berlin(Instant("2026-07-01")).hasSuffix(" (2026-07-01T00:00:00Z)"))
    let utc = DateText(zone: try #require(TimeZone(identifier: "UTC")))
    #expect(utc(Instant("2026-07-01T00:00:00.250Z")).hasSuffix(" (2026-07-01T00:00:00.250Z)"))
    #expect(utc(nil) == "–")
  }
}
