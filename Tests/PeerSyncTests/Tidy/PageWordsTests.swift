import Foundation
import Testing

/// The word lists of the pages: a page's own and those of all pages are laid over one another.
@Suite("PageWordsTests") struct PageWordsTests {
  private static let shared = "Sources/PeerSync/Control/Pages/parts.js"
  private static let pages = ["Sources/PeerSync/Control/Dashboard/script.js", "Sources/peerd/Lab/words.js"]

  private func keys(_ path: String, _ language: String) throws -> [String] {
    let root = try Repository.whole.get().root
    return PageWords(try String(contentsOf: root.appending(path: path), encoding: .utf8)).keys(of: language)
  }

  @Test("no two words of a page have one key, and each has both languages", arguments: pages)
  func keysAreDistinct(_ page: String) throws {
    var lists: [Set<String>] = []
    for language in ["en", "ko"] {
      let all = try keys(Self.shared, language) + keys(page, language)
      let twice = Dictionary(grouping: all) { $0 }.filter { $0.value.count > 1 }.keys.sorted()
      #expect(all.count > 50)
      #expect(twice == [])
      lists.append(Set(all))
    }
    #expect(lists[0] == lists[1])
  }

  @Test("keys are read past strings, templates and what is nested")
  func reading() {
    let script =
      #"Object.assign(words.en, { a: "b: c, d: e", f: (x, y) => `${x ? `g: ${y}` : ""}, h: i`, j: { k: 1 }, l: 2, });"#
    #expect(PageWords(script).keys(of: "en") == ["a", "f", "j", "l"])
  }
}
