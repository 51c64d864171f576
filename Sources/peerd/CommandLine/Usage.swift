/// The help texts, made from the ``Grammar``.
package enum Usage {
  /// Widest line, in columns.
  private static let width = 80

  /// What `peerd --help` prints.
  package static var overview: String {
    let names = Grammar.commands.map { ($0.name, $0.summary) }
    return """
      peerd keeps one person's in-app purchases the same on all of that person's
      devices, peer to peer.

      usage: peerd COMMAND [OPTIONS]

      commands:
      \(columns(names))

      peerd COMMAND --help tells about one command; peerd --version the version.
      Commands about a device or a store take --data DIR (else PEERD_DATA, else
      $XDG_DATA_HOME/peerd). All take --json. Text is made to fit the terminal, or
      $COLUMNS; NO_COLOR leaves the colours out.

      exit status: 0 done; 1 refused or failed; 2 wrong usage; 3 no daemon is
      running there; 4 a wait timed out

      """
  }

  /// What `peerd COMMAND --help` prints.
  package static func help(for spec: CommandSpec) -> String {
    var parts = [wrap("peerd \(spec.name): \(spec.summary)", indent: 0), "usage: \(synopsis(spec))"]
    if !spec.details.isEmpty { parts.append(wrap(spec.details.replacing("\n", with: " "), indent: 0)) }
    if !spec.operands.isEmpty { parts.append(columns(spec.operands.map { ($0.name, $0.help) })) }
    parts += spec.operands.filter { !$0.choices.isEmpty }.map { columns($0.choices) }
    parts.append("options:\n" + columns(spec.allOptions.map { (label($0), $0.help) }))
    for option in spec.allOptions where !option.choices.isEmpty {
      parts.append("--\(option.name):\n" + columns(option.choices))
    }
    if !spec.examples.isEmpty {
      parts.append("examples:\n" + spec.examples.map(example).joined(separator: "\n"))
    }
    return parts.joined(separator: "\n\n") + "\n"
  }

  private static func synopsis(_ spec: CommandSpec) -> String {
    let operands = spec.operands.map { $0.isOptional ? "[\($0.name)]" : $0.name }
    return (["peerd", spec.name] + operands + ["[OPTIONS]"]).joined(separator: " ")
  }

  private static func label(_ option: OptionSpec) -> String {
    "--\(option.name)" + (option.value.map { " \($0)" } ?? "")
  }

  /// Two columns: what, and what it means. A long first column gets a line of its own.
  private static func columns(_ rows: [(String, String)]) -> String {
    let left = min(rows.map(\.0.count).max() ?? 0, 28)
    let lines = rows.map { name, text in
      let wrapped = wrap(text, indent: left + 4)
      guard name.count <= left else {
        return "  \(name)\n" + String(repeating: " ", count: left + 4) + wrapped
      }
      return "  " + name + String(repeating: " ", count: left + 2 - name.count) + wrapped
    }
    return lines.joined(separator: "\n")
  }

  /// A command to copy: what is too long goes on in the next line.
  private static func example(_ text: String) -> String {
    "  " + wrap(text, indent: 6).replacing("\n", with: " \\\n")
  }

  /// Breaks a text between words; lines after the first are indented.
  private static func wrap(_ text: String, indent: Int) -> String {
    var lines = [""]
    for word in text.split(separator: " ") {
      let last = lines[lines.count - 1]
      if !last.isEmpty, last.count + 1 + word.count > width - indent {
        lines.append(String(word))
      } else {
        lines[lines.count - 1] = last.isEmpty ? String(word) : last + " " + word
      }
    }
    return lines.joined(separator: "\n" + String(repeating: " ", count: indent))
  }
}
