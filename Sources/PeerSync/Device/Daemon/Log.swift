#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What a daemon tells the person who runs it: one line per event, on standard error unless said otherwise.
public struct Log: Sendable {
  /// How much an event matters.
  public enum Level: Int, Sendable, CaseIterable, Comparable {
    /// For whoever looks for a fault.
    case debug
    /// The ordinary course of things.
    case info
    /// Something to look into.
    case warning
    /// The daemon cannot do its work.
    case error

    /// Less urgent comes first.
    public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
  }

  /// How a line looks.
  public enum Format: String, Sendable, CaseIterable {
    /// For people: time, level, message, `name=value`.
    case text
    /// For programs: one JSON object of strings.
    case json
    /// For systemd's journal, which keeps the time itself: a priority in angle brackets, message, `name=value`. See `sd-daemon(3)`.
    case journal
  }

  /// Events below it are left out.
  public let level: Level
  /// See ``Format``.
  public let format: Format

  private let write: @Sendable (String) -> Void
  private let isOver = Guarded(false)

  /// Makes a log.
  ///
  /// - Parameters:
  ///   - level: events below it are left out
  ///   - format: how a line looks
  ///   - write: takes a line with its line feed; nil: standard error
  public init(
    level: Level = .info, format: Format = .text, write: (@Sendable (String) -> Void)? = nil
  ) {
    self.level = level
    self.format = format
    self.write = write ?? Self.writeToStandardError
  }

  /// Logs an event.
  public func callAsFunction(
    _ level: Level, _ message: String, _ fields: KeyValuePairs<String, String> = [:]
  ) {
    guard level >= self.level else { return }
    let line = line(level, message, fields)
    isOver.withLock { if !$0 { write(line) } }
  }

  /// Logs why everything ends, whatever the level. What is logged after it is left out: it stays the last line.
  func end(_ message: String) {
    let line = line(.error, message, [:])
    isOver.withLock { isOver in
      if !isOver { write(line) }
      isOver = true
    }
  }

  /// A log to the same place that ends by itself.
  func beginning() -> Log { Log(level: level, format: format, write: write) }

  private func line(_ level: Level, _ message: String, _ fields: KeyValuePairs<String, String>) -> String {
    LogLine(level: level, message: message, fields: Array(fields), time: SystemClock().now().wall)[format]
  }

  private static func writeToStandardError(_ line: String) {
    let bytes = Array(line.utf8)
    // One call, so that lines of several threads do not mix. A log that cannot be written stops nothing.
    _ = systemWrite(bytes)
  }
}

/// One event, ready to be put into words.
struct LogLine {
  let level: Log.Level
  let message: String
  let fields: [(key: String, value: String)]
  let time: Instant

  subscript(format: Log.Format) -> String {
    switch format {
    case .text: text + "\n"
    case .json: json + "\n"
    case .journal: "<\(priority)>\(words)\n"
    }
  }

  private var text: String { "\(timestamp) \("\(level)".uppercased()) \(words)" }

  private var words: String {
    let pairs = fields.map { "\($0.key)=\(Self.quoted($0.value, always: false))" }
    return ([Self.escaped(message)] + pairs).joined(separator: " ")
  }

  /// As `syslog(3)` counts.
  private var priority: Int {
    switch level {
    case .debug: 7
    case .info: 6
    case .warning: 4
    case .error: 3
    }
  }

  private var json: String {
    let pairs = [("time", timestamp), ("level", "\(level)"), ("message", message)] + fields.map { ($0, $1) }
    return "{" + pairs.map { Self.quoted($0.0) + ":" + Self.quoted($0.1) }.joined(separator: ",") + "}"
  }

  /// ISO 8601 in UTC, with milliseconds.
  private var timestamp: String {
    var seconds = time_t(time.milliseconds / 1000)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    let date = [parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday].map { Self.padded($0, 2) }
    let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { Self.padded($0, 2) }
    let fraction = Self.padded(Int32(time.milliseconds % 1000), 3)
    return date.joined(separator: "-") + "T" + clock.joined(separator: ":") + "." + fraction + "Z"
  }

  private static func padded(_ number: Int32, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(width - digits.count, 0)) + digits
  }

  private static func quoted(_ text: String, always: Bool = true) -> String {
    let isPlain = !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x22 && $0 != 0x5c && $0 < 0x7f }
    return isPlain && !always ? text : "\"" + escaped(text, quotes: true) + "\""
  }

  /// Control characters never reach a terminal: a peer's name could otherwise rewrite what was logged before it.
  private static func escaped(_ text: String, quotes: Bool = false) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x22 where quotes, 0x5c where quotes: result += "\\" + String(scalar)
      case 0..<0x20, 0x7f..<0xa0, 0x2028, 0x2029, 0x200e, 0x200f, 0x202a...0x202e, 0x2066...0x2069:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

private func systemWrite(_ bytes: [UInt8]) -> Int { write(STDERR_FILENO, bytes, bytes.count) }
