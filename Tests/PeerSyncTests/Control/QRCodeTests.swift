import PeerSyncControl
import Testing

@Suite struct QRCodeTests {
  private let url = "peersync://192.168.178.22:7401/ABCDEFGHJKMN"

  @Test("the code has its three finders, and a quiet zone of four modules")
  func shape() throws {
    let code = try #require(QRCode(url))
    #expect(code.width >= 21 && (code.width - 21) % 4 == 0)
    for (row, column) in [(0, 0), (0, code.width - 7), (code.width - 7, 0)] {
      for side in 0..<7 {
        #expect(code.isDark(row: row, column: column + side) && code.isDark(row: row + side, column: column))
      }
      #expect(!code.isDark(row: row + 1, column: column + 1) && code.isDark(row: row + 3, column: column + 3))
    }
    #expect(QRCode("") == nil && QRCode(String(repeating: "x", count: 5000)) == nil)
  }

  @Test("a line of text shows two rows, none wider than a terminal, and every module is as in the code")
  func text() throws {
    let code = try #require(QRCode(url))
    let lines = code.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(Array.init)
    let side = code.width + 8
    #expect(lines.count == (side + 1) / 2 && lines.allSatisfy { $0.count == side } && side <= 80)
    for (number, line) in lines.enumerated() {
      for (place, character) in line.enumerated() {
        let (row, column) = (2 * number - 4, place - 4)
        let isLast = row + 1 >= code.width + 4
        #expect("▄ ".contains(character) == code.isDark(row: row, column: column))
        #expect("▀ ".contains(character) == (isLast || code.isDark(row: row + 1, column: column)))
      }
    }
    #expect(lines[0].allSatisfy { $0 == "█" } && lines[1].allSatisfy { $0 == "█" })
  }
}
