import Foundation
import PeerSync

/// One of the program's two streams of text, and how wide the terminal is that shows it.
struct Screen: Sendable {
  private let descriptor: Int32
  /// Whether a person's terminal shows what is written.
  let isTerminal: Bool
  /// What fits side by side; nil where nobody looks at it on a terminal: what reads a pipe wants whole lines.
  let columns: Int?

  /// Results. `COLUMNS` asks for short lines in a pipe as well.
  static func output(_ environment: [String: String]) -> Screen {
    Screen(STDOUT_FILENO, asked: environment["COLUMNS"])
  }

  /// What went wrong, questions and the log. In a pipe each is one line, whatever `COLUMNS` says.
  static func errors(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> Screen {
    Screen(STDERR_FILENO, asked: isatty(STDERR_FILENO) == 1 ? environment["COLUMNS"] : nil)
  }

  private init(_ descriptor: Int32, asked: String?) {
    self.descriptor = descriptor
    isTerminal = isatty(descriptor) == 1
    var size = winsize()
    if let asked = asked.flatMap({ Int($0) }), asked > 0 {
      columns = max(asked, Self.least)
    } else if isTerminal, ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 {
      columns = max(Int(size.ws_col), Self.least)
    } else {
      columns = nil
    }
  }

  /// Below that nothing can be read anyway.
  private static let least = 20

  /// A text whose lines are no wider than the terminal.
  ///
  /// - Parameter hanging: columns before what follows a line's first part; nil: as its label says
  func fitting(_ text: String, hanging: Int? = nil) -> String {
    guard let columns else { return text }
    return text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { TextWidth.wrap(String($0), to: columns, hanging: hanging) }.joined(separator: "\n")
  }

  /// Shows a text, as well as that goes: nobody is left to be told that it cannot be shown.
  func show(_ text: String, hanging: Int? = nil) {
    _ = Output.write(Array(fitting(text, hanging: hanging).utf8), to: descriptor)
  }
}
