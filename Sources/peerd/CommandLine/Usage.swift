import PeerSync

/// The help texts, made from the ``Grammar``.
package struct Usage {
  /// Widest line, in columns.
  private static let width = 80

  private let language: SentenceLanguage

  /// - Parameter language: the reader's
  package init(in language: SentenceLanguage) { self.language = language }

  /// What `peerd --help` prints.
  package var overview: String {
    let commands = columns(Grammar.commands.map { ($0.name, words($0.summary)) })
    return switch language {
    case .english: english(commands)
    case .korean: korean(commands)
    }
  }

  private func english(_ commands: String) -> String {
    """
    peerd keeps one person's in-app purchases the same on all of that person's
    devices, peer to peer.

    usage: peerd COMMAND [OPTIONS]

    commands:
    \(commands)

    peerd COMMAND --help tells about one command; peerd --version the version.
    Commands about a device or a store take --data DIR (else PEERD_DATA, else
    $XDG_DATA_HOME/peerd). All take --json. Text is made to fit the terminal, or
    $COLUMNS; NO_COLOR leaves the colours out.

    exit status: 0 done; 1 refused or failed; 2 wrong usage; 3 no daemon is
    running there; 4 a wait timed out

    """
  }

  private func korean(_ commands: String) -> String {
    """
    peerd는 한 사람의 앱 내 구입을 그 사람의 모든 기기에서 똑같이 유지합니다.
    서버 없이 기기끼리 동기화합니다.

    사용법: peerd COMMAND [OPTIONS]

    명령:
    \(commands)

    peerd COMMAND --help는 명령의 도움말을, peerd --version은 버전을 출력합니다.
    기기나 스토어를 다루는 명령에는 --data DIR 옵션을 씁니다. 없으면 PEERD_DATA,
    그것도 없으면 $XDG_DATA_HOME/peerd를 씁니다. 모든 명령에 --json 옵션을 쓸 수
    있습니다. 텍스트는 터미널이나 $COLUMNS의 폭에 맞추고, NO_COLOR를 설정하면
    색을 쓰지 않습니다.

    종료 상태: 0 완료, 1 거절 또는 실패, 2 잘못된 사용법, 3 실행 중인 데몬 없음,
    4 기다리는 시간이 지남

    """
  }

  /// What `peerd COMMAND --help` prints.
  package func help(for spec: CommandSpec) -> String {
    let usage = words(Phrase("usage", "사용법"))
    var parts = [
      wrap("peerd \(spec.name): \(words(spec.summary))", indent: 0), "\(usage): \(synopsis(spec))",
    ]
    let details = words(spec.details).replacing("\n", with: " ")
    if !details.isEmpty { parts.append(wrap(details, indent: 0)) }
    if !spec.operands.isEmpty { parts.append(columns(spec.operands.map { ($0.name, words($0.help)) })) }
    parts += spec.operands.filter { !$0.choices.isEmpty }.map { choices($0.choices) }
    let options = words(Phrase("options", "옵션"))
    parts.append("\(options):\n" + columns(spec.allOptions.map { (label($0), words($0.help)) }))
    for option in spec.allOptions where !option.choices.isEmpty {
      parts.append("--\(option.name):\n" + choices(option.choices))
    }
    if !spec.examples.isEmpty {
      let examples = words(Phrase("examples", "예"))
      parts.append("\(examples):\n" + spec.examples.map(example).joined(separator: "\n"))
    }
    return parts.joined(separator: "\n\n") + "\n"
  }

  private func words(_ phrase: Phrase) -> String { phrase.text(in: language) }

  private func synopsis(_ spec: CommandSpec) -> String {
    let operands = spec.operands.map { $0.isOptional ? "[\($0.name)]" : $0.name }
    return (["peerd", spec.name] + operands + ["[OPTIONS]"]).joined(separator: " ")
  }

  private func label(_ option: OptionSpec) -> String {
    "--\(option.name)" + (option.value.map { " \($0)" } ?? "")
  }

  private func choices(_ choices: [(name: String, help: Phrase)]) -> String {
    columns(choices.map { ($0.name, words($0.help)) })
  }

  /// Two columns: what, and what it means. A long first column gets a line of its own.
  private func columns(_ rows: [(String, String)]) -> String {
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
  private func example(_ text: String) -> String {
    "  " + wrap(text, indent: 6).replacing("\n", with: " \\\n")
  }

  /// Breaks a text between words; lines after the first are indented.
  private func wrap(_ text: String, indent: Int) -> String {
    var lines = [""]
    for word in text.split(separator: " ") {
      let last = lines[lines.count - 1]
      if !last.isEmpty, TextWidth.columns(last + " " + word) > Self.width - indent {
        lines.append(String(word))
      } else {
        lines[lines.count - 1] = last.isEmpty ? String(word) : last + " " + word
      }
    }
    return lines.joined(separator: "\n" + String(repeating: " ", count: indent))
  }
}
