/// The types that a file declares or extends, found by counting braces. A nested type goes by all of its names, `A.B`.
struct SwiftTypes {
  struct Part: Hashable {
    let name: String
    /// Where it begins, from 1.
    let line: Int
    /// How many properties are stored in it.
    var stored = 0
  }

  private(set) var all: [Part] = []
  /// Types that have begun and not ended, with the depth of their braces.
  private var open: [(part: Part, depth: Int)] = []
  /// A type of which the opening brace is still to come.
  private var heading: Part?
  private var depth = 0
  /// Whether the property of the line before is stored if it is watched.
  private var mayBeWatched = false

  init(_ code: SwiftCode) {
    for (index, line) in code.lines.enumerated() {
      read(line, number: index + 1)
      for letter in line.utf8 { count(letter) }
    }
  }

  private static let modifiers: Set<Substring> = [
    "public", "package", "internal", "private", "fileprivate", "nonisolated", "final", "indirect", "weak",
    "unowned", "lazy", "private(set)", "fileprivate(set)", "internal(set)", "package(set)",
    "nonisolated(unsafe)",
  ]
  private static let kinds: Set<Substring> = ["struct", "class", "actor", "enum", "extension", "protocol"]
  private static let members: Set<Substring> = ["func", "var", "let"]

  private mutating func read(_ line: Substring, number: Int) {
    let words = line.split(separator: " ").drop { $0.hasPrefix("@") || Self.modifiers.contains($0) }
    guard let first = words.first else { return }
    if mayBeWatched, ["didSet", "willSet"].contains(first), let last = open.indices.last {
      open[last].part.stored += 1
    }
    mayBeWatched = false
    if Self.kinds.contains(first), let second = words.dropFirst().first, !Self.members.contains(second) {
      let outer = open.last.map { $0.part.name + "." } ?? ""
      let name = second.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
      heading = Part(name: outer + name, line: number)
    } else if first == "let" || first == "var", let last = open.indices.last, open[last].depth == depth {
      // What follows an equals sign is a value, and what follows nothing but a type is worked out.
      let isStored = words.prefix { $0 != "{" }.contains("=") || !words.contains("{")
      if isStored { open[last].part.stored += 1 }
      mayBeWatched = !isStored
    }
  }

  private mutating func count(_ letter: UInt8) {
    if letter == UInt8(ascii: "{") {
      depth += 1
      if let part = heading { open.append((part, depth)) }
      heading = nil
    } else if letter == UInt8(ascii: "}") {
      if let last = open.last, last.depth == depth { all.append(open.removeLast().part) }
      depth -= 1
    }
  }
}
