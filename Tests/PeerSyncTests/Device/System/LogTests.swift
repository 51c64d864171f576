import Foundation
import PeerSync
import Synchronization
import Testing

@Suite struct LogTests {
  private final class Lines: Sendable {
    let all = Mutex<[String]>([])
  }

  private func log(_ format: Log.Format, _ level: Log.Level = .info) -> (Log, Lines) {
    let lines = Lines()
    return (Log(level: level, format: format) { line in lines.all.withLock { $0.append(line) } }, lines)
  }

  @Test func textIsOneLine() throws {
    let (log, lines) = log(.text)
    log(.info, "connected", ["name": "My \u{1b}[31mPhone\n\u{202e}", "plain": "a-b", "empty": ""])
    let line = try #require(lines.all.withLock { $0.first })
    #expect(
      line.hasSuffix("Z INFO connected name=\"My \\u001b[31mPhone\\u000a\\u202e\" plain=a-b empty=\"\"\n"))
    #expect(line.dropFirst(4).hasPrefix("-"))
  }

  @Test func jsonIsJSON() throws {
    let (log, lines) = log(.json)
    log(.warning, "say \"hi\" \\ \u{0}", ["name": "é\t"])
    let line = try #require(lines.all.withLock { $0.first })
    let object = try JSONDecoder().decode([String: String].self, from: Data(line.utf8))
    #expect(object["message"] == "say \"hi\" \\ \u{0}")
    #expect(object["name"] == "é\t")
    #expect(object["level"] == "warning")
    #expect(line.filter { $0 == "\n" }.count == 1)
  }

  @Test func aJournalGetsPrioritiesAndKeepsTheTimeItself() {
    let (log, lines) = log(.journal, .debug)
    for level in Log.Level.allCases { log(level, "a\nb", ["name": "x y"]) }
    #expect(
      lines.all.withLock { $0 } == [7, 6, 4, 3].map { "<\($0)>a\\u000ab name=\"x y\"\n" })
  }

  @Test func lowerLevelsAreLeftOut() {
    let (log, lines) = log(.text, .warning)
    log(.info, "no")
    log(.error, "yes")
    #expect(lines.all.withLock { $0.count } == 1)
  }
}
