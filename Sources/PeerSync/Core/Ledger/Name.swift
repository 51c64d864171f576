/// An identifier compared by its UTF-8 bytes.
///
/// `String` compares by canonical equivalence: "é" in one and in two code points are equal there, yet they are two
/// register keys. Tables keyed by `String` would then depend on the order of arrival.
package struct Name: Hashable, Comparable, Sendable {
  /// The identifier.
  package let text: String

  package init(_ text: String) { self.text = text }

  package static func == (left: Name, right: Name) -> Bool { left.text.hasSameBytes(as: right.text) }

  package static func < (left: Name, right: Name) -> Bool {
    left.text.withBytes(of: right.text) { $0.precedes($1) }
      ?? left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    hasher.combine(UInt8(0xff))
  }
}

extension String {
  /// Whether both are the same UTF-8 bytes.
  func hasSameBytes(as other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    return withBytes(of: other) { $0.hasSameBytes(as: $1) } ?? utf8.elementsEqual(other.utf8)
  }

  /// Looks at the UTF-8 bytes of two texts; nil where another system keeps one of them in its own way, and there are none to look
  /// at.
  fileprivate func withBytes(
    of other: String, _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
  ) -> Bool? {
    utf8.withContiguousStorageIfAvailable { own in
      other.utf8.withContiguousStorageIfAvailable {
        body(UnsafeRawBufferPointer(own), UnsafeRawBufferPointer($0))
      }
    } ?? nil
  }
}

extension Array where Element == String {
  /// The texts in byte order, each once.
  package func sortedUniqueNames() -> [String] {
    var result: [Name] = []
    for name in map(Name.init).sorted() where result.last != name { result.append(name) }
    return result.map(\.text)
  }
}
