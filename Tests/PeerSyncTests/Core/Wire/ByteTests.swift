import PeerSyncCore
import Testing

@Suite struct ByteTests {
  private func bytes(_ write: (inout ByteWriter) -> Void) -> [UInt8] {
    var writer = ByteWriter()
    write(&writer)
    return writer.bytes
  }

  private func reader(_ bytes: [UInt8]) -> ByteReader { ByteReader(bytes) }

  @Test func numbersComeBack() throws {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<5_000 {
      let number = random.number()
      let signed = Int64(bitPattern: random.number())
      var reader = reader(
        bytes {
          $0.write(varint: number)
          $0.write(signedVarint: signed)
          $0.write(word: number)
          $0.write(short: UInt16(truncatingIfNeeded: number))
        })
      #expect(try reader.varint() == number)
      #expect(try reader.signedVarint() == signed)
      #expect(try reader.word() == number)
      #expect(try reader.short() == UInt16(truncatingIfNeeded: number))
      try reader.finish()
    }
  }

  /// Worked values: LEB128 as in DWARF 5, section 7.6; zigzag.
  @Test func workedValues() {
    #expect(bytes { $0.write(varint: 127) } == [0x7f])
    #expect(bytes { $0.write(varint: 128) } == [0x80, 0x01])
    #expect(bytes { $0.write(varint: .max) } == Array(repeating: 0xff, count: 9) + [0x01])
    #expect(bytes { $0.write(signedVarint: -1) } == [0x01])
    #expect(bytes { $0.write(signedVarint: 1) } == [0x02])
    #expect(bytes { $0.write(text: "é") } == [0x02, 0xc3, 0xa9])
    #expect(bytes { $0.write(length: 0x0102_0304) } == [1, 2, 3, 4])
  }

  @Test func numbersAreNoLongerThanNeeded() {
    for wrong: [UInt8] in [[0x80, 0x00], [0xff, 0x80, 0x00], Array(repeating: 0xff, count: 9) + [0x02]] {
      #expect(throws: WireError.malformed) {
        var reader = reader(wrong)
        return try reader.varint()
      }
    }
    #expect(throws: WireError.malformed) {
      var reader = reader(Array(repeating: 0xff, count: 9) + [0x81, 0x01])
      return try reader.varint()
    }
  }

  @Test func textIsUTF8() {
    for wrong: [UInt8] in [[1, 0xff], [2, 0xc0, 0x80], [3, 0xed, 0xa0, 0x80]] {
      #expect(throws: WireError.malformed) {
        var reader = reader(wrong)
        return try reader.text()
      }
    }
  }

  @Test func instantsStayWithinTheCalendar() throws {
    for (milliseconds, isWithin) in [
      (Limits.earliestMilliseconds, true), (Limits.earliestMilliseconds - 1, false),
      (Limits.latestMilliseconds, true), (Limits.latestMilliseconds + 1, false), (.min, false), (.max, false),
    ] {
      var reader = reader(bytes { $0.write(signedVarint: milliseconds) })
      if isWithin {
        #expect(try reader.instant().milliseconds == milliseconds)
      } else {
        #expect(throws: WireError.beyondLimit) { try reader.instant() }
      }
    }
  }

  @Test func absurdLengths() {
    for length in [UInt64(Int.max), .max, 1 << 62] {
      #expect(throws: WireError.beyondLimit) {
        var reader = reader(bytes { $0.write(varint: length) })
        return try reader.text()
      }
    }
    #expect(throws: WireError.truncated) {
      var reader = reader([5, 1, 2])
      return try reader.bytes(atMost: 100)
    }
    #expect(throws: WireError.truncated) {
      var reader = reader([1, 2])
      return try reader.raw(-1)
    }
  }
}
