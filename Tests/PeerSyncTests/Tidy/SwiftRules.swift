import Foundation

/// The rules of the house for Swift files. Each takes one file and says where it is broken.
enum SwiftRules {
  static let fileLines = 400
  static let functionLines = 70

  /// The core imports nothing, and what is simulated the core alone: no clock, no socket, no file can come in.
  static func purity(_ file: TidyFile) -> [Finding] {
    guard let allowed = file.pureImports else { return [] }
    return matches(of: /^\s*(@\w+\s+)*(public |package |internal )?import\b.*/, in: file) { line in
      allowed.contains { line == "import \($0)" } ? nil : "a pure target imports the core alone (\(line))"
    }
  }

  /// A file of Sources begins with something that says what it is about.
  static func openingComment(_ file: TidyFile) -> [Finding] {
    guard file.isSource else { return [] }
    let lines = file.lines.map { $0.trimmingCharacters(in: .whitespaces) }
    let body = lines.drop {
      $0.isEmpty || $0.hasPrefix("#") || $0.contains("import ") && !$0.hasPrefix("//")
    }
    guard let first = body.first else { return [Finding(path: file.path, line: 0, problem: "is empty")] }
    // An extension may leave it to its first member.
    let speaks = first.hasPrefix("extension ") ? body.dropFirst().first { !$0.isEmpty } ?? "" : first
    guard !speaks.hasPrefix("//") else { return [] }
    return [Finding(path: file.path, line: body.startIndex + 1, problem: "begins with nothing documented")]
  }

  static func fileLength(_ file: TidyFile) -> [Finding] {
    guard file.isSwift, file.lines.count > fileLines + 1 else { return [] }
    return [
      Finding(path: file.path, line: 0, problem: "has \(file.lines.count - 1) lines, more than \(fileLines)")
    ]
  }

  static func functionLength(_ file: TidyFile) -> [Finding] {
    guard file.isSwift else { return [] }
    return SwiftFunctions(file.code).all.filter { $0.lines > functionLines }.map {
      Finding(
        path: file.path, line: $0.line, problem: "a function of \($0.lines) lines, more than \(functionLines)"
      )
    }
  }

  /// Nothing traps on purpose where a value could be missing: input from outside would find it.
  static func forcing(_ file: TidyFile) -> [Finding] {
    guard file.isSource else { return [] }
    return matches(of: /\b(try|as)!|[\w)\]>?]!(?![=\w])/, in: file) { "forces what may fail (\($0))" }
  }

  /// The files that may make sources of Dispatch: one for a descriptor that is never given up, and one for time.
  static let sources = ["Poller.swift", "Timers.swift"].map { "Sources/PeerSync/Device/Threads/\($0)" }

  /// On Linux Dispatch may read its note of a descriptor that it has freed, once the source of it is cancelled.
  static func dispatchSources(_ file: TidyFile) -> [Finding] {
    guard file.isSource, !sources.contains(file.path) else { return [] }
    return matches(of: /DispatchSource|DispatchIO|readabilityHandler|writeabilityHandler/, in: file) {
      "descriptors are watched by a Poller, and time by Timers (\($0))"
    }
  }

  /// The file that waits for a process as it should be done.
  static let waiting = "Sources/peerd/Rehearse/Process+Waiting.swift"

  /// Foundation asks without a pause whether a process has ended, on most threads.
  static func busyWaits(_ file: TidyFile) -> [Finding] {
    guard file.isSwift, file.path != waiting else { return [] }
    return matches(of: /waitUntil[E]xit/, in: file) { _ in "a process is waited for with waitUntilEnd()" }
  }

  private static func matches(
    of pattern: Regex<some Any>, in file: TidyFile, _ problem: (Substring) -> String?
  ) -> [Finding] {
    file.code.lines.enumerated().compactMap { index, line in
      guard let match = line.firstMatch(of: pattern), let problem = problem(line[match.range]) else {
        return nil
      }
      return Finding(path: file.path, line: index + 1, problem: problem)
    }
  }
}

/// The functions of a file, found by counting braces.
struct SwiftFunctions {
  struct Function {
    /// Where it begins, from 1.
    let line: Int
    /// From its first line to its closing brace.
    let lines: Int
  }

  private(set) var all: [Function] = []

  init(_ code: SwiftCode) {
    let text = code.text
    for match in text.matches(of: /\b(func\b|init[?<(]|deinit\b|subscript\b)/) {
      guard let body = Self.body(in: text[match.range.upperBound...]) else { continue }
      let line = text[..<match.range.lowerBound].count { $0 == "\n" } + 1
      all.append(Function(line: line, lines: text[match.range.lowerBound..<body].count { $0 == "\n" } + 1))
    }
  }

  /// The end of the body that belongs to a signature; nil for a requirement or a call, which have none.
  private static func body(in text: Substring) -> String.Index? {
    guard let opening = text.firstIndex(where: { $0 == "{" || $0 == "}" }), text[opening] == "{" else {
      return nil
    }
    let signature = text[..<opening]
    guard signature.firstMatch(of: /\b(func|init|deinit|subscript|var|let|case|return|self)\b/) == nil,
      signature.count(where: { $0 == "\n" }) < 16
    else { return nil }
    var depth = 0
    for index in text[opening...].indices {
      if text[index] == "{" { depth += 1 }
      if text[index] == "}" { depth -= 1 }
      if depth == 0 { return index }
    }
    return nil
  }
}
