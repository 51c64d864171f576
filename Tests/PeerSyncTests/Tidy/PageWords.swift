import Foundation

/// The word lists of a page's scripts: `Object.assign(words.en, { key: …, … })`.
struct PageWords {
  private let script: String

  init(_ script: String) { self.script = script }

  /// The keys of the lists of a language, in order, doubles included.
  func keys(of language: String) -> [String] {
    script.components(separatedBy: "Object.assign(words.\(language), {").dropFirst().flatMap {
      Self.keys(in: $0)
    }
  }

  /// The keys of an object whose opening brace is behind: what is inside of braces, strings and templates is no key.
  private static func keys(in text: String) -> [String] {
    var (keys, open, word, isKey, last) = ([String](), [Character](), "", true, Character(" "))
    for letter in text {
      defer { last = letter }
      switch (open.last, letter) {
      case ("\""?, "\""), ("`"?, "`"): open.removeLast()
      case ("`"?, "{") where last == "$": open.append("{")
      case ("\""?, _), ("`"?, _): break
      case (_, "\""), (_, "`"), (_, "{"), (_, "("), (_, "["): open.append(letter)
      case (nil, "}"): return keys
      case (_, "}"), (_, ")"), (_, "]"): open.removeLast()
      case (nil, ","): (word, isKey) = ("", true)
      case (nil, ":") where isKey:
        keys.append(word)
        isKey = false
      case (nil, _) where isKey && !letter.isWhitespace: word.append(letter)
      default: break
      }
    }
    return keys
  }
}
