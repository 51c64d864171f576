import Foundation
import PeerSyncCore
import Testing

/// Foundation's own text of a UUID is the twin.
@Suite struct UUIDTextTests {
  @Test(arguments: [1, 2, 3] as [UInt64]) func isThatOfFoundation(seed: UInt64) throws {
    var random = RandomState(seed: seed)
    for _ in 0..<200 {
      let bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
      let upper = NSUUID(uuidBytes: bytes).uuidString
      for (text, isUpper) in [(upper, true), (upper.lowercased(), false)] {
        #expect(UUIDText.text(bytes, isUpper: isUpper) == Array(text.utf8))
        #expect(UUIDText.bytes(Array(text.utf8)[...], isUpper: isUpper) == bytes)
        if upper.contains(where: \.isLetter) {
          #expect(UUIDText.bytes(Array(text.utf8)[...], isUpper: !isUpper) == nil)
        }
        // One byte that is another one makes it another UUID, or none.
        var other = Array(text.utf8)
        let place = Int.random(in: other.indices, using: &random)
        other[place] ^= 1 << UInt8.random(in: 0...6, using: &random)
        let read = UUIDText.bytes(other[...], isUpper: isUpper)
        #expect(read.map { UUIDText.text($0, isUpper: isUpper) == other } ?? true)
        #expect(UUIDText.bytes(other.dropLast(), isUpper: isUpper) == nil)
      }
    }
  }
}
