import PeerSync

/// Pages of the manual (`man(7)`), made from the ``Grammar``. They are in English, as the commands that index and search them expect.
package enum ManualPage {
  /// Columns of a line before it is escaped.
  private static let width = 66

  /// Of the program.
  package static var overview: String {
    let commands = Grammar.commands.map { tagged($0.name, $0.summary.text(in: .english)) }
    return head("PEERD", "peerd", "keeps in-app purchases the same on all devices of a person, peer to peer")
      + ".SH SYNOPSIS\n.B peerd\nCOMMAND [OPTIONS]\n.SH COMMANDS\n" + commands.joined()
      + ".SH EXIT STATUS\n" + tagged("0", "done") + tagged("1", "refused or failed")
      + tagged("2", "wrong usage") + tagged("3", "no daemon is running there")
      + tagged("4", "a wait timed out")
      + ".SH ENVIRONMENT\n" + tagged("PEERD_DATA", "the data directory, where --data is not given")
      + tagged("NO_COLOR", "leaves the colours out") + tagged("COLUMNS", "how wide what people read may be")
      + ".SH FILES\n"
      + tagged("$XDG_DATA_HOME/peerd, ~/.local/share/peerd", "the data directory, where nothing else is said")
      + ".SH SEE ALSO\n" + Grammar.paged.map { "peerd-\($0.pageName)(1)" }.joined(separator: ",\n") + "\n"
  }

  /// Of one command.
  package static func page(for spec: CommandSpec) -> String {
    let name = "peerd-" + spec.pageName
    let operands = spec.operands.map { $0.isOptional ? "[\($0.name)]" : $0.name }
    let synopsis = (operands + ["[OPTIONS]"]).joined(separator: " ")
    let details = spec.details.text(in: .english)
    let description = details.isEmpty ? "" : ".SH DESCRIPTION\n" + text(details) + "\n"
    let taken = spec.operands.map { operand in
      tagged(operand.name, operand.help.text(in: .english)) + choices(operand.choices)
    }
    let options = spec.allOptions.map { option in
      tagged("--\(option.name)" + (option.value.map { " \($0)" } ?? ""), option.help.text(in: .english))
        + choices(option.choices)
    }
    return head(name.uppercased(), name, spec.summary.text(in: .english))
      + ".SH SYNOPSIS\n.B peerd \(text(spec.name))\n\(text(synopsis))\n" + description
      + (taken.isEmpty ? "" : ".SH OPERANDS\n" + taken.joined())
      + ".SH OPTIONS\n" + options.joined()
      + ".SH EXAMPLES\n.nf\n" + spec.examples.map(example).joined() + ".fi\n"
      + ".SH SEE ALSO\npeerd(1)\n"
  }

  private static func head(_ title: String, _ name: String, _ summary: String) -> String {
    ".TH \(title) 1 \"\" \"peerd \(Version.current)\" \"User Commands\"\n"
      + ".SH NAME\n\(text(name)) \\-\n\(text(summary))\n"
  }

  private static func tagged(_ tag: String, _ meaning: String) -> String {
    ".TP\n.B \(text(tag))\n\(text(meaning))\n"
  }

  private static func choices(_ choices: [(name: String, help: Phrase)]) -> String {
    choices.map { tagged($0.name, $0.help.text(in: .english)) }.joined()
  }

  /// A command to copy: what is too long goes on in the next line.
  private static func example(_ command: String) -> String {
    TextWidth.wrap(command, to: width, hanging: 4).split(separator: "\n")
      .map { String($0).replacing("\\", with: "\\e").replacing("-", with: "\\-") }
      .joined(separator: " \\e\n") + "\n"
  }

  /// As roff shows it: no line begins with a command, and hyphens are those that one types. Lines are short: roff fills them again.
  private static func text(_ text: String) -> String {
    let lines = text.replacing("\n", with: " ")
    return TextWidth.wrap(lines, to: width).replacing("\\", with: "\\e").replacing("-", with: "\\-")
      .split(separator: "\n").map { $0.hasPrefix(".") || $0.hasPrefix("'") ? "\\&" + $0 : String($0) }
      .joined(separator: "\n")
  }
}
