// Comparing bytes, eight at a time, where the standard library's `elementsEqual` and `lexicographicallyPrecedes` look at one.

extension UnsafeRawBufferPointer {
  /// Whether both hold the same bytes.
  package func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
    count == other.count && commonPrefix(with: other) == count
  }

  /// Whether these bytes come before others, as `lexicographicallyPrecedes` has it.
  package func precedes(_ other: UnsafeRawBufferPointer) -> Bool {
    let place = commonPrefix(with: other)
    guard place < count, place < other.count else { return count < other.count }
    return self[place] < other[place]
  }

  /// How many bytes both begin with.
  @inline(__always)
  private func commonPrefix(with other: UnsafeRawBufferPointer) -> Int {
    let shorter = Swift.min(count, other.count)
    var place = 0
    while place &+ 8 <= shorter {
      let difference =
        loadUnaligned(fromByteOffset: place, as: UInt64.self)
        ^ other.loadUnaligned(fromByteOffset: place, as: UInt64.self)
      if difference != 0 { return place &+ UInt64(littleEndian: difference).trailingZeroBitCount / 8 }
      place &+= 8
    }
    while place < shorter, self[place] == other[place] { place &+= 1 }
    return place
  }
}

extension [UInt8] {
  /// Whether both hold the same bytes.
  package func hasSameBytes(as other: [UInt8]) -> Bool {
    withUnsafeBytes { own in other.withUnsafeBytes { own.hasSameBytes(as: $0) } }
  }

  /// Whether these bytes come before others.
  package func precedes(_ other: [UInt8]) -> Bool {
    withUnsafeBytes { own in other.withUnsafeBytes { own.precedes($0) } }
  }
}
