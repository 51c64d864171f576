import Foundation
import PeerSyncCore

/// The rules of the house for any text.
enum TextRules {
  // Put together here, so that this file keeps the rules as well.
  private static let reminders = ["TO" + "DO", "FIX" + "ME", "X" + "XX"]
  private static let outside = ["." + "./shared", "/wor" + "k/"]

  /// What is not finished is finished or written down where it belongs, not left behind in the text.
  static func reminders(_ file: TidyFile) -> [Finding] {
    lines(of: file) { line in
      // Whole words: names of temporary files end in a row of such letters.
      let words = line.split { !$0.isLetter }.map(String.init)
      return reminders.first { words.contains($0) }.map { "leaves a reminder (\($0))" }
    }
  }

  static func whitespace(_ file: TidyFile) -> [Finding] {
    var findings = lines(of: file) { line in
      if line.hasSuffix(" ") || line.hasSuffix("\t") || line.hasSuffix("\r") { return "ends in white space" }
      return line.contains("\t") && !file.path.hasSuffix("Makefile") ? "has a tab" : nil
    }
    if !file.text.isEmpty, !file.text.hasSuffix("\n") {
      findings.append(Finding(path: file.path, line: file.lines.count, problem: "ends without a line feed"))
    }
    return findings
  }

  /// A clone works anywhere: nothing names a place outside of it.
  static func places(_ file: TidyFile) -> [Finding] {
    lines(of: file) { line in
      outside.first { line.contains($0) }.map { "names a place outside the repository (\($0))" }
    }
  }

  /// Words that gave way to another one for the same thing, with a small first letter. In two parts, as above. They are found with a
  /// capital one and in the plural as well.
  static let retired = [
    "sh" + "op", "kee" + "per", "device" + "Store", "store" + "Shape", "comp" + "laint", "store" + "Error",
    "store" + "Statements", "birth" + "place", "no" + "Say", "may" + "Walk", "lost their" + " force",
    "written twice" + " under", "talk" + " down", "acquain" + "tance", "address" + "Entry",
    "last" + "Contact",
    "in" + " step", "goes on" + " under", "go on" + " under", "out of" + " force", "signed twice" + " under",
    "acquain" + "ting", "is" + "Level", "even" + "Out", "shut" + "Out", "has" + "Say",
    "rub" + "bish", "kept" + "Commit", "kept" + "Proof", "kept" + "Floor", "kept" + "Ran",
    "under one" + " name",
    "may" + "Have", "JSON" + "Document", "store" + "Floor",
  ]

  /// The same of words that may stand apart.
  nonisolated(unsafe) private static let retiredPairs = [
    /\b[Ss]hut(s|ting)? (\w+ ){0,4}out\b/, /\b[Ee]ven(s|ed|ing)? (\w+ ){0,2}out\b/,
  ]

  /// One thing has one name (docs/glossary.md).
  static func retiredWords(_ file: TidyFile) -> [Finding] {
    let words = retired.flatMap { [$0, $0.capitalizedFirst] }.filter(file.contains)
    return lines(of: file) { line in
      let word = words.first { line.hasWord($0) }
      let pair = retiredPairs.lazy.compactMap { line.firstMatch(of: $0).map { String($0.0) } }.first
      return (word ?? pair).map { "says '\($0)', which goes by another name now: see docs/glossary.md" }
    }
  }

  /// What an app shows to its users, and a program reads, is not told what to type at a shell: the command line adds that.
  static func shellCommands(_ file: TidyFile) -> [Finding] {
    guard file.path.hasPrefix("Sources/PeerSync/"), file.path.hasSuffix(".swift"),
      !shellTexts.contains(where: { file.path.hasPrefix($0) })
    else { return [] }
    return lines(of: file) { line in
      let code = line.prefix(upTo: line.firstRange(of: #/(^|\s)\/\//#)?.lowerBound ?? line.endIndex)
      return code.contains(#/"[^"]*(`peerd [a-z]|[ `]--[a-z]{3})/#)
        ? "tells somebody what to type at a shell" : nil
    }
  }

  /// What only the command line shows: how a simulation is replayed, what its client says, why a directory cannot be opened, and
  /// sentences about what happened.
  private static let shellTexts = [
    "Sources/PeerSync/Simulation/", "Sources/PeerSync/Control/Client/",
    "Sources/PeerSync/Device/Storage/StorageError.swift", "Sources/PeerSync/Device/API/Sentences/",
  ]

  /// Case numbers such as [A1] are those of the document that states them.
  static func cases(_ file: TidyFile, known: Set<String>) -> [Finding] {
    lines(of: file) { line in
      let unknown = line.matches(of: /\[([A-E]\d{1,2})\]/).map { String($0.1) }.first { !known.contains($0) }
      return unknown.map { "\($0) is not a case of docs/semantics.md" }
    }
  }

  /// The numbers that a document states.
  static func cases(in document: String) -> Set<String> {
    Set(document.matches(of: /\[([A-E]\d{1,2})\]/).map { String($0.1) })
  }

  /// Relative links lead somewhere, and their anchors to a heading.
  static func links(_ file: TidyFile, exists: (String) -> Bool, text: (String) -> String) -> [Finding] {
    guard file.isMarkdown else { return [] }
    return lines(of: file) { line in
      line.matches(of: /\]\(([^()\s]+)\)/).compactMap { problem(String($0.1), file, exists, text) }.first
    }
  }

  private static func problem(
    _ link: String, _ file: TidyFile, _ exists: (String) -> Bool, _ text: (String) -> String
  ) -> String? {
    guard !link.contains("://"), !link.hasPrefix("mailto:") else { return nil }
    let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let path = parts[0].isEmpty ? file.path : resolve(parts[0], from: file.path)
    guard exists(path) else { return "links to \(path), which is not there" }
    guard parts.count > 1, !anchors(of: text(path)).contains(parts[1]) else { return nil }
    return "links to a heading #\(parts[1]) that \(path) does not have"
  }

  private static func resolve(_ link: String, from path: String) -> String {
    var parts = path.split(separator: "/").dropLast()
    for part in link.split(separator: "/") where part != "." {
      if part == ".." { parts = parts.dropLast() } else { parts.append(part) }
    }
    return parts.joined(separator: "/")
  }

  /// The anchors that a reader on the web gives the headings.
  private static func anchors(of text: String) -> Set<String> {
    let headings = text.split(separator: "\n").filter { $0.hasPrefix("#") }
    return Set(
      headings.map { heading in
        let words = heading.drop { $0 == "#" || $0 == " " }.lowercased()
        return String(
          words.filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" }.map { $0 == " " ? "-" : $0 })
      })
  }

  private static func lines(of file: TidyFile, _ judge: (Substring) -> String?) -> [Finding] {
    file.lines.enumerated().compactMap { index, line in
      judge(line).map { Finding(path: file.path, line: index + 1, problem: $0) }
    }
  }
}

/// Rules that look at the repository as a whole.
enum WholeRules {
  /// Constants of `Limits` that nothing uses and no document names.
  static func idleLimits(_ limits: String, users: [TidyFile], documentation: String) -> [String] {
    let names = limits.matches(of: /static let (\w+)/).map { String($0.1) }
    return names.filter { name in
      !users.contains { $0.text.contains("Limits.\(name)") } && !documentation.contains("`\(name)`")
        && !limits.contains("= \(name)")
    }
  }

  /// Constants of `Limits` or `HTTPLimits` that no test names.
  static func untestedLimits(_ limits: String, tests: [TidyFile]) -> [String] {
    let named = Set(tests.flatMap { $0.text.matches(of: /Limits\.(\w+)/).map { String($0.1) } })
    return limits.matches(of: /static let (\w+)/).map { String($0.1) }.filter { !named.contains($0) }
  }

  static let typeFiles = 12
  static let storedProperties = 20

  /// Types of Sources that are spread over more files, or store more properties, than a reader keeps in mind.
  static func largeTypes(_ files: [TidyFile]) -> [String] {
    var paths: [String: Set<String>] = [:]
    var stored: [String: Int] = [:]
    for file in files where file.isSource {
      for part in SwiftTypes(file.code).all {
        paths[part.name, default: []].insert(file.path)
        stored[part.name] = max(stored[part.name] ?? 0, part.stored)
      }
    }
    return paths.keys.sorted().filter {
      paths[$0, default: []].count > typeFiles || stored[$0, default: 0] > storedProperties
    }
  }

  /// Names that the documentation does not show as code.
  static func unmentioned(_ names: [String], in documentation: String) -> [String] {
    names.filter { !documentation.contains($0) }
  }
}

extension String {
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}

extension StringProtocol {
  /// Whether a word, or its plural, stands here, by itself or as a part of a name in camel case.
  fileprivate func hasWord(_ word: String) -> Bool {
    ranges(of: word).contains { range in
      let isPlural = !word.contains(" ") && self[range.upperBound...].hasPrefix("s")
      let end = isPlural ? index(after: range.upperBound) : range.upperBound
      return !continues(before: range.lowerBound) && !continues(after: end)
    }
  }

  /// Whether a word goes on in front of a place: a capital letter begins a new one.
  private func continues(before place: Index) -> Bool {
    guard place > startIndex, place < endIndex else { return false }
    return self[index(before: place)].isLetter && !self[place].isUppercase
  }

  /// Whether a word goes on at a place.
  private func continues(after place: Index) -> Bool { place < endIndex && self[place].isLowercase }
}
