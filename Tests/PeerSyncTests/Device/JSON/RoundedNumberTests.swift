import Foundation
import PeerSync
import PeerSyncSimulation
import Testing

/// An amount is what was written, or refused.
@Suite struct RoundedNumberTests {
  @Test(arguments: [
    "2.9999999999999999999", "0.99999999999999999999", "1.00000000000000000001", "-3.00000000000000000001",
    "9007199254740993.0", "9.007199254740993e15", "29999999999999999999e-19", "1e-9223372036854775808",
    "1e-400",
    "1e-99999999999999999999", "0.0000000000000000000001e22000000000000000000000", "1E18",
    "9223372036854775807.0",
  ])
  func whatWouldBeRoundedIsRefused(number: String) {
    // Those that are no finite number Foundation refuses itself.
    let isFinite = Double(number).map(\.isFinite) ?? false
    #expect(RoundedNumber.isIn(Array(number.utf8)) == isFinite)
    let document = Array(#"{"text":"\"1.0\\","amount":\#(number)}"#.utf8)
    #expect(throws: DecodingError.self) {
      try JSON.decode([String: Int].self, from: Array("{\"amount\":\(number)}".utf8))
    }
    #expect(RoundedNumber.isIn(document) == isFinite)
  }

  @Test(arguments: [
    "0", "3", "3.0", "3.000e0", "30e-1", "0.3E+1", "0.0", "-0", "0e0", "0e-9999999999999999999",
    "9007199254740993",
    "9223372036854775807", "0.30000000000000004", "2.5", "1e3", "\"2.9999999999999999999\"",
    "\"\\\"2.9999999999999999999\"",
    "[1,2.50,\"e\"]", "-", "+.e", "true",
  ])
  func whatIsWhatWasWrittenIsTaken(document: String) {
    #expect(!RoundedNumber.isIn(Array(document.utf8)))
  }

  /// A whole number is one however it is written, and a digit far behind makes it none.
  @Test func aDigitFarBehindCounts() throws {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<2_000 {
      let (whole, zeros) = (
        Int64.random(in: 1..<1 << 50, using: &random), Int.random(in: 0...20, using: &random)
      )
      let padding = String(repeating: "0", count: zeros)
      for text in ["\(whole).\(padding)0", "\(whole)\(padding)e-\(zeros)", "-\(whole)\(padding).0E-\(zeros)"]
      {
        #expect(!RoundedNumber.isIn(Array(text.utf8)))
        #expect(
          try JSON.decode([Int64].self, from: Array("[\(text)]".utf8)).map(\.magnitude) == [whole.magnitude])
      }
      let rounded = "\(whole).00000000000000000\(padding)1"
      #expect(RoundedNumber.isIn(Array(rounded.utf8)))
    }
  }
}
