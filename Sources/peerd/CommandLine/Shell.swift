import PeerSync

/// A shell that completes what is typed, and the script that has it do so, made from the ``Grammar``.
package enum Shell: String, CaseIterable, Sendable {
  case bash, zsh, fish

  /// Where its script goes.
  var place: Phrase {
    switch self {
    case .bash:
      Phrase(
        "into ~/.local/share/bash-completion/completions/peerd",
        "~/.local/share/bash-completion/completions/peerd 파일로")
    case .zsh: Phrase("into a file _peerd in a directory of $fpath", "$fpath에 있는 디렉터리의 _peerd 파일로")
    case .fish:
      Phrase("into ~/.config/fish/completions/peerd.fish", "~/.config/fish/completions/peerd.fish 파일로")
    }
  }

  package var script: String {
    switch self {
    case .bash: bash
    case .zsh: zsh
    case .fish: fish
    }
  }

  private var names: [String] { Grammar.commands.map(\.name) }

  private static func options(_ spec: CommandSpec) -> String {
    spec.allOptions.map { "--" + $0.name }.joined(separator: " ")
  }

  /// What a command's first operand may be, where that is a few words.
  private static func choices(_ spec: CommandSpec) -> String {
    let verbs = spec.name == "store" ? Grammar.storeVerbs.map { String($0.name.dropFirst(6)) } : []
    let topics = spec.name == "man" ? Grammar.paged.map(\.pageName) : []
    return ((spec.operands.first?.choices.map(\.name) ?? []) + verbs + topics).joined(separator: " ")
  }

  /// Texts between single quotes.
  private static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }

  private var bash: String {
    let cases = Grammar.commands.map { spec in
      "    \(spec.name)) options=\(Self.quoted(Self.options(spec))) words=\(Self.quoted(Self.choices(spec)))"
        + (spec.takesFile ? " files=1 ;;\n" : " ;;\n")
    }
    return """
      # bash completion for peerd
      _peerd() {
        local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} options= words= files=
        if [ "$COMP_CWORD" -eq 1 ]; then
          COMPREPLY=($(compgen -W \(Self.quoted(names.joined(separator: " ") + " help --help --version")) -- "$word"))
          return
        fi
        case ${COMP_WORDS[1]} in
      \(cases.joined())  esac
        case $before in
          --data) COMPREPLY=($(compgen -d -- "$word")); return ;;
          --catalog|--trust-root) COMPREPLY=($(compgen -f -- "$word")); return ;;
        esac
        case $word in
          -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
          *) COMPREPLY=($(compgen -W "$words" -- "$word") ${files:+$(compgen -f -- "$word")}) ;;
        esac
      }
      complete -o filenames -F _peerd peerd

      """
  }

  private var zsh: String {
    let commands = Grammar.commands.map {
      "    \(Self.quoted("\($0.name):\($0.summary.text(in: .english))"))\n"
    }
    let cases = Grammar.commands.map { spec in
      "    \(spec.name)) compadd -- \(Self.options(spec)) \(Self.choices(spec))"
        + (spec.takesFile ? "; _files ;;\n" : " ;;\n")
    }
    return """
      #compdef peerd
      _peerd() {
        local -a commands
        commands=(
      \(commands.joined())  )
        if (( CURRENT == 2 )); then
          _describe command commands
          return
        fi
        case ${words[2]} in
      \(cases.joined())  esac
      }
      _peerd "$@"

      """
  }

  private var fish: String {
    let commands = Grammar.commands.map { spec in
      "complete -c peerd -n __fish_use_subcommand -f -a \(spec.name) -d \(Self.fishQuoted(spec.summary.text(in: .english)))\n"
    }
    let quiet = Grammar.commands.filter { !$0.takesFile }.map(\.name).joined(separator: " ")
    let options = Grammar.commands.flatMap { spec in
      spec.allOptions.map { option in
        "complete -c peerd -n '__fish_seen_subcommand_from \(spec.name)' -l \(option.name)"
          + "\(Self.fishValue(option.value)) -d \(Self.fishQuoted(option.help.text(in: .english)))\n"
      }
        + (Self.choices(spec).isEmpty
          ? []
          : [
            "complete -c peerd -n '__fish_seen_subcommand_from \(spec.name)' -a '\(Self.choices(spec))'\n"
          ])
    }
    return "# fish completion for peerd\n" + commands.joined()
      + "complete -c peerd -n '__fish_seen_subcommand_from \(quiet)' -f\n" + options.joined()
  }

  /// Whether an option takes a value, and whether that names a file.
  private static func fishValue(_ unit: String?) -> String {
    guard let unit else { return "" }
    return ["FILE", "DIR", "PEM"].contains(unit) ? " -r -F" : " -x"
  }

  private static func fishQuoted(_ text: String) -> String {
    "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
  }
}
