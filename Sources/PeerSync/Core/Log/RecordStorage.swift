/// Memory for records: words in pages of one size, handed out one after another and given back all at once.
///
/// A record is named by the number of its first word. Pages never move, so that growing copies nothing and leaves no
/// doubled buffer behind. The owner makes sure that a record lies within one page and that a copy of the owning value
/// copies the storage before it writes.
final class RecordStorage: @unchecked Sendable {
  /// Words of one page: 256 KiB, room for the largest record many times over.
  static let pageWords = 1 << 15

  private var pages: [UnsafeMutablePointer<UInt64>] = []
  /// Words handed out so far, with those left unused at the ends of pages. Word 0 is never a record: 0 means none.
  private(set) var usedWords = 1

  init() {}

  /// A copy with the same record names.
  init(copying other: RecordStorage) {
    usedWords = other.usedWords
    pages = other.pages.map { page in
      let copy = Self.makePage()
      copy.update(from: page, count: Self.pageWords)
      return copy
    }
  }

  deinit {
    for page in pages { page.deallocate() }
  }

  /// Bytes of all pages.
  var allocatedBytes: Int { pages.count * Self.pageWords * 8 }

  /// Room for a record of so many words, at most a page; its words hold anything.
  func allocate(_ words: Int) -> UInt32 {
    if usedWords % Self.pageWords + words > Self.pageWords || usedWords % Self.pageWords == 0 {
      usedWords = (usedWords + Self.pageWords - 1) / Self.pageWords * Self.pageWords
    }
    if usedWords + words > pages.count * Self.pageWords { pages.append(Self.makePage()) }
    defer { usedWords += words }
    return UInt32(truncatingIfNeeded: usedWords)
  }

  /// The record of that name.
  @inline(__always)
  subscript(record: UInt32) -> UnsafeMutablePointer<UInt64> {
    pages[Int(record) / Self.pageWords] + Int(record) % Self.pageWords
  }

  private static func makePage() -> UnsafeMutablePointer<UInt64> {
    // Left as it comes: every word of a record is written before it is read, and touching 256 KiB twice costs time.
    UnsafeMutablePointer<UInt64>.allocate(capacity: pageWords)
  }
}
