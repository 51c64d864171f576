import Foundation
import PeerSync
import TestSupport
import Testing
import peerd

@Suite("Output for people")
struct OutputTests {
  @Test("colour only on a terminal, and never against NO_COLOR")
  func colour() {
    let style = Style(isTerminal: true, environment: [:])
    #expect(Style.shown(style.good("x")) == "\u{1b}[32mx\u{1b}[0m")
    let unset = Style(isTerminal: true, environment: ["NO_COLOR": ""])
    #expect(Style.shown(unset.bad("x")) == "\u{1b}[31mx\u{1b}[0m")
    for (isTerminal, environment) in [(false, [:]), (true, ["NO_COLOR": "1"]), (true, ["TERM": "dumb"])] {
      #expect(Style(isTerminal: isTerminal, environment: environment).bold("x") == "x")
    }
  }

  @Test(
    "a date that was set to none after everything else had ended is why nothing holds",
    arguments: [
      (#""expires": null"#, true), (#""expires": "2025-01-01T00:00:00Z""#, true),
      (#""expires": "2026-03-01T00:00:00Z""#, false),
    ])
  func setToNone(ended: String, isWhy: Bool) throws {
    func why(active: Bool) throws -> WhyAnswer {
      let text = """
        {"entitlement": {"id": "owls", "active": \(active), \(ended), "presentEnd": null, "because": "", "reasons": []},
        "time": {"now": "2026-04-01T00:00:00Z", "source": "clock", "wall": "2026-04-01T00:00:00Z", "vouchedBy": null, "accepted": null},
        "lines": [{"id": "line", "expires": null, "steps": [], "runs": [],
        "register": {"line": "line", "expires": null, "covers": [], "written": "2026-02-01T00:00:00Z"}}],
        "subscriptions": [], "purchases": [], "credits": [], "grants": [], "unknown": []}
        """
      return try JSON.decode(WhyAnswer.self, from: Array(text.utf8))
    }
    #expect(try why(active: false).setToNone?.line.id == (isWhy ? "line" : nil))
    #expect(try why(active: true).setToNone == nil)
  }

  @Test("columns are as wide as what they show, coloured or not")
  func table() {
    let style = Style(isTerminal: true, environment: [:])
    var table = Table(
      [.text(.same("A")), .text(.same("B"))], style: Style(isTerminal: false, environment: [:]))
    table.add([style.good("long"), "x"])
    table.add(["é", "yy"])
    #expect(Style.shown(table.text) == "A     B\n\u{1b}[32mlong\u{1b}[0m  x\né     yy\n")
  }

  @Test("a name from elsewhere cannot steer the terminal")
  func harmless() {
    var table = Table([.text(.same("A"))], style: Style(isTerminal: false, environment: [:]))
    table.add(["a\u{1b}[2Jb\nc\u{9b}d"])
    #expect(table.text == "A\na\u{fffd}[2Jb\u{fffd}c\u{fffd}d\n")
  }

  @Test(
    "a name neither turns around what follows nor begins a line",
    arguments: ["\u{202e}", "\u{2066}", "\u{200f}", "\u{2028}", "\u{2029}"])
  func harmlessDirection(control: String) { #expect(Console.harmless("a\(control)b") == "a\u{fffd}b") }

  @Test("a whole text is made harmless line by line")
  func harmlessText() {
    let bold = Style(isTerminal: true, environment: [:]).bold("b")
    let text = Console.harmless("a\u{1b}[2J\n\n\(bold)\n")
    #expect(Style.shown(text) == "a\u{fffd}[2J\n\n\u{1b}[1mb\u{1b}[0m\n")
  }

  @Test(
    "a name from elsewhere has no colour, not even one that this program uses",
    arguments: ["0", "1", "2", "31", "32", "33"], [true, false])
  func harmlessColour(code: String, isTerminal: Bool) {
    let style = Style(isTerminal: isTerminal, environment: [:])
    let shown = Style.shown(Console.harmless(style.good("a\u{1b}[\(code)mb") + "\u{1b}[\(code)mc"))
    let name = "a\u{fffd}[\(code)mb"
    #expect(shown == (isTerminal ? "\u{1b}[32m\(name)\u{1b}[0m" : name) + "\u{fffd}[\(code)mc")
    var table = Table([.text(.same("A"))], style: style)
    table.add(["x\u{1b}[\(code)m"])
    #expect(Style.shown(table.text).hasSuffix("\nx\u{fffd}[\(code)m\n"))
  }

  @Test("a name that begins with an accent is coloured as any other")
  func accent() {
    let style = Style(isTerminal: true, environment: [:])
    #expect(Style.shown(Console.harmless(style.good("\u{301}x"))) == "\u{1b}[32m\u{301}x\u{1b}[0m")
  }

  @Test("a host's name is cut to fit between two characters, and never empty")
  func hostNames() {
    #expect(InitCommand.deviceName(ofHost: "phone.local") == "phone.local")
    #expect(InitCommand.deviceName(ofHost: "a\u{7}b\n\u{2028}\u{202e}") == "ab")
    #expect(InitCommand.deviceName(ofHost: "") == "device")
    let long = InitCommand.deviceName(ofHost: String(repeating: "é", count: 200))
    #expect(long == String(repeating: "é", count: 127))
  }

  @Test("what East Asia writes in full width takes two columns, marks and colours none")
  func width() {
    let style = Style(isTerminal: true, environment: [:])
    let cases = [
      ("owls", 4), ("올빼미", 6), ("e\u{301}", 1), ("\u{1112}\u{1161}\u{11ab}", 2), ("日本 x", 6), ("🦉", 2),
      ("🇰🇷", 2), (style.good("올"), 2), ("", 0),
    ]
    for (text, columns) in cases { #expect(TextWidth.columns(text) == columns, "\(text)") }
    #expect(TextWidth.cut(style.good("올빼미"), to: 5) == style.good("올빼…"))
    #expect(TextWidth.cut("올빼미", to: 4) == "올…")
    #expect(TextWidth.cut("owls", to: 4) == "owls")
  }

  @Test("lines are broken between words, and words only where they must be")
  func wrap() {
    #expect(TextWidth.wrap("  one two three", to: 9) == "  one two\n  three")
    #expect(TextWidth.wrap("abcdefgh ij", to: 5) == "abcde\nfgh\nij")
    #expect(TextWidth.wrap("올빼미 둘", to: 6) == "올빼미\n둘")
    #expect(TextWidth.wrap("short", to: 5) == "short")
    #expect(TextWidth.wrap("ok    one two three", to: 13) == "ok    one two\n      three")
    let style = Style(isTerminal: true, environment: [:])
    let ok = style.good("ok   ")
    #expect(TextWidth.wrap("\(ok) one two three", to: 13) == "\(ok) one two\n      three")
    let time = style.faint("2026-11-24 22:00")
    #expect(
      TextWidth.wrap("\(time)  올빼미를 구입했습니다", to: 36) == "\(time)  올빼미를\n                  구입했습니다")
    #expect(TextWidth.wrap("peerd: one two", to: 11, hanging: 2) == "peerd: one\n  two")
  }

  @Test("an address is never broken: what a person clicks on or copies has to work")
  func addresses() {
    let address = "http://127.0.0.1:7500/#token"
    #expect(TextWidth.wrap("ready: open \(address)", to: 20) == "ready: open\n\(address)")
    #expect(TextWidth.wrap("open \(address) now", to: 20) == "open\n\(address)\nnow")
    #expect(TextWidth.wrap("  \(address)", to: 20) == "  \(address)")
  }

  @Test("the history hangs below its sentences, whatever stands before the time and in whatever colour")
  func hanging() {
    let style = Style(isTerminal: true, environment: [:])
    let indent = String(repeating: " ", count: 21)
    for before in ["   ", "by ", " ~ "] {
      for time in ["2026-11-24 22:00", "–               "] {
        let time = style.faint(before + time)
        let wrapped = TextWidth.wrap("\(time)  that was bought here now", to: 42)
        #expect(wrapped == "\(time)  that was bought here\n\(indent)now", "\(wrapped)")
      }
    }
  }

  @Test("a clock that agrees has no sign, and a column that is kept stays without values")
  func nothing() {
    for (lead, text) in [
      (Int64(0), "0.0 s"), (-40, "0.0 s"), (99, "0.0 s"), (-150, "-0.1 s"), (100, "+0.1 s"),
    ] {
      #expect(StatusCommand.skew(lead).text(in: .english) == text)
    }
    let style = Style(isTerminal: false, environment: [:])
    var table = Table(
      [.whole(.same("SETTING")), .text(.same("VALUE")).kept, .text(.same("REST"))], style: style)
    table.add(["log-level", "–", "–"])
    #expect(table.text == "SETTING    VALUE\nlog-level  –\n")
  }

  @Test("what may follow a guess reads well, and each language has its own quotation marks")
  func guesses() {
    let told = Phrase.same("x") + .didYouMean("status") + .seeHelp("")
    #expect(told.text(in: .english) == "x (did you mean 'status'?); see peerd --help")
    #expect(told.text(in: .korean) == "x(비슷한 이름: ‘status’). `peerd --help` 명령을 보세요")
  }

  @Test("every check of doctor has a Korean name, but for Avahi")
  func checks() {
    for id in [
      "device", "space", "settings", "daemon", "database", "port", "addresses", "multicast", "firewall",
    ]
      + ["clock", "store", "time", "group", "dial-back", "status", "version", "peer Phone"]
    {
      let told = Phrase.check(id)
      #expect(told.text(in: .english) == id && told.text(in: .korean).hasHangul, "\(id)")
    }
  }

  @Test("columns give way by importance, then what may be cut is cut")
  func narrowTable() {
    let style = Style(isTerminal: false, environment: [:])
    func table(_ limit: Int) -> String {
      var table = Table(
        [
          .text(.same("NAME")), .whole(.same("DATE")), .text(.same("NOTE"), .useful),
          .whole(.same("ID"), .extra), .text(.same("EMPTY")),
        ], style: style, limit: limit)
      table.add([String(repeating: "n", count: 20), "2026-10-31", "because", "123456", "–"])
      return String(table.text.split(separator: "\n")[1])
    }
    #expect(table(60) == "nnnnnnnnnnnnnnnnnnnn  2026-10-31  because  123456")
    #expect(table(45) == "nnnnnnnnnnnnnnnnnnnn  2026-10-31  because")
    #expect(table(35) == "nnnnnnnnnnnnnnnnnnnn  2026-10-31")
    #expect(table(24) == "nnnnnnnnnnn…  2026-10-31")
  }

  @Test("a long name is cut in the middle, for its end tells it from others")
  func longNames() {
    #expect(TextWidth.cut("Premium for the family", to: 11, inMiddle: true) == "Premi…amily")
    #expect(TextWidth.cut("가족을 위한 프리미엄", to: 11, inMiddle: true) == "가족…리미엄")
    #expect(TextWidth.cut("short", to: 5, inMiddle: true) == "short")
    func row(_ limit: Int) -> String {
      var table = Table(
        [
          .whole(.same("ID")), .name(.same("NAME"), .wanted), .whole(.same("PRICE"), .useful),
          .whole(.same("DATE"), .wanted),
        ], style: Style(isTerminal: false, environment: [:]), limit: limit)
      table.add(["premium", "Premium for the family", "9.99 USD", "2026-10-31"])
      return String(table.text.split(separator: "\n")[1])
    }
    #expect(row(36) == "premium  Premium… family  2026-10-31")
    // What is less wanted goes before a name is cut short.
    #expect(row(44) == "premium  Premium for the family  2026-10-31")
    #expect(row(52).contains("  9.99 USD  "))
  }

  @Test("what is too narrow for whole columns gets them one behind the other, uncut")
  func brokenTable() {
    var table = Table(
      [.whole(.same("ID")), .whole(.same("PRICE"))], style: Style(isTerminal: false, environment: [:]),
      limit: 20)
    table.add(["com.example.premium.monthly", "1.99 USD"])
    let lines = table.text.split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= 20 } && lines.count > 2)
    #expect(lines.joined().replacing(" ", with: "").contains("com.example.premium.monthly1.99USD"))
  }

  @Test("times are short and in the reader's zone, whole when asked for")
  func dates() throws {
    let berlin = DateText(zone: try #require(TimeZone(identifier: "Europe/Berlin")))
    let day = try #require(Instant("2026-07-01"))
    #expect(berlin(day) == "2026-07-01 02:00")
    #expect(berlin(Instant("2026-12-31T23:30:00Z")) == "2027-01-01 00:30")
    #expect(berlin(nil) == "–")
    #expect(berlin.day(try #require(Instant("2029-12-31T23:30:00Z"))) == "1 January 2030")
    let whole = DateText(zone: .gmt, isFull: true)
    #expect(whole(day) == "2026-07-01T00:00:00Z")
    #expect(whole(Instant("2026-07-01T00:00:00.250Z")) == "2026-07-01T00:00:00.250Z")
    #expect(whole.near(day, from: day) == "2026-07-01T00:00:00Z")
  }

  @Test("how far away a time is, in both languages; a begun day to come counts")
  func distances() throws {
    let now = try #require(Instant("2026-07-01"))
    let (english, korean) = (DateText(zone: .gmt), DateText(zone: .gmt, language: .korean))
    let cases: [(Int64, String, String)] = [
      (92 * 86_400_000 - 5, "in 92 days", "92일 후"), (86_400_000, "in 1 day", "1일 후"),
      (3_600_001, "in 2 hours", "2시간 후"), (59_000, "now", "지금"), (-60_000, "1 minute ago", "1분 전"),
      (-2 * 86_400_000 - 5, "2 days ago", "2일 전"),
    ]
    for (offset, inEnglish, inKorean) in cases {
      let time = now.advanced(byMilliseconds: offset)
      #expect(english.distance(to: time, from: now) == inEnglish)
      #expect(korean.distance(to: time, from: now) == inKorean)
    }
    #expect(english(now, from: now.advanced(byMilliseconds: 86_400_000)) == "2026-07-01 00:00, 1 day ago")
  }
}
