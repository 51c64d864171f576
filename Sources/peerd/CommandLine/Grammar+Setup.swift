import PeerSync

// Looking after a device and the program itself.
extension Grammar {
  static let setupCommands: [CommandSpec] = [
    CommandSpec(
      name: "config",
      summary: Phrase("show or set what `peerd run` goes on with", "`peerd run` 명령이 이어서 쓰는 설정을 보거나 바꾸기"),
      details: Phrase(
        """
        What `run` is told stays: the next `run` goes on with it, and what it is told then takes the place of what was said before.
        This shows and sets the same, in settings.json of the data directory, for the next start. No daemon has to run. The value
        none is as if the option had never been given; --lan and --discover are yes or none; several peers have commas between.
        """,
        """
        `run` 명령의 옵션은 남아서 다음 `run` 명령이 이어서 쓰고, 그때 지정한 것이 이전 것을 대신합니다. 이 명령은 데이터
        디렉터리의 settings.json 파일에 있는 같은 설정을 보거나 다음 시작에 쓰도록 바꿉니다. 데몬이 실행 중이 아니어도
        됩니다. none 값은 옵션을 쓴 적이 없는 것과 같습니다. --lan 옵션과 --discover 옵션은 yes 또는
        none이고, 여러 기기는 쉼표로 나눕니다.
        """),
      operands: [
        OperandSpec(
          name: "SETTING", help: Phrase("one of these (default: all):", "다음 가운데 하나(기본값: 모두):"),
          isOptional: true,
          choices: RunSettings.options.map { ($0.name, $0.help) }),
        OperandSpec(
          name: "VALUE",
          help: Phrase(
            "what it is to be from the next start on (default: show it)", "다음 시작부터 쓸 값(기본값: 지금 값 보기)"),
          isOptional: true),
      ],
      examples: [
        "peerd config --data phone", "peerd config --data phone listen 127.0.0.1:7401",
        "peerd config --data phone store none",
      ],
      build: { values throws(UsageError) in
        if let name = values.operand(0), RunSettings.option(named: name) == nil {
          let known = RunSettings.options.map(\.name)
          let guess = Suggestion.nearest(to: name, in: known).map { Phrase.didYouMean($0) }
          throw values.error(.noSetting(name) + (guess ?? .same(": \(known.joined(separator: ", "))")))
        }
        return .configure(name: values.operand(0), value: values.operand(1))
      }),
    CommandSpec(
      name: "doctor",
      summary: Phrase("check the set-up, and say what to do about what is wrong", "설정을 점검하고 문제를 해결하는 방법 보기"),
      details: Phrase(
        """
        The data directory, the space left, the database, the port, addresses, multicast, Avahi, firewalls, the clock, the store, and
        each device of the group: ok, a warning or a failure. It changes nothing, and works with and without a running daemon. The exit
        status is 1 when anything fails.
        """,
        """
        데이터 디렉터리, 빈 공간, 데이터베이스, 포트, 주소, 멀티캐스트, Avahi, 방화벽, 시계, 스토어와 그룹의 각 기기를
        정상, 경고, 오류로 알려 줍니다. 아무것도 바꾸지 않으며 데몬이 실행 중이 아니어도 됩니다. 오류가 있으면 종료 상태는
        1입니다.
        """),
      examples: ["peerd doctor --data phone", "peerd doctor --data phone --json"],
      build: { _ throws(UsageError) in .doctor }),
    CommandSpec(
      name: "leave", summary: Phrase("take this device out of its group, for good", "이 기기를 그룹에서 완전히 빼기"),
      details: Phrase(
        """
        What it bought stays with the group, and with it. What it decides from then on counts nowhere else, and it joins no group
        again: for that make a new device in another directory, with `peerd init --data NEWDIR`, then `peerd join`. The others hear of it
        when they are met. Asks on a terminal.
        """,
        """
        구입한 것은 그룹과 이 기기에 그대로 남습니다. 그때부터 이 기기에서 정하는 것은 다른 곳에서 인정되지 않고, 다시는 그룹에
        들어갈 수 없습니다. 그러려면 `peerd init --data NEWDIR` 명령으로 다른 디렉터리에 새 기기를 만들고 `peerd join` 명령을
        쓰세요. 다른 기기는 만났을 때 이를 압니다. 터미널에서는 먼저 묻습니다.
        """),
      options: [.yes], examples: ["peerd leave --data tablet", "peerd leave --data tablet --yes"],
      build: { values throws(UsageError) in .leave(isConfirmed: values.isSet(.yes)) }),
    CommandSpec(
      name: "rename",
      summary: Phrase(
        "call this device something else, on every device of its group", "그룹의 모든 기기에서 이 기기의 이름 바꾸기"),
      operands: [
        OperandSpec(
          name: "NAME",
          help: Phrase(
            "1 to 255 bytes of text without control or formatting characters",
            "제어 문자나 서식 문자가 없는 1~255바이트의 텍스트"))
      ],
      examples: ["peerd rename --data tablet Kitchen"],
      build: { values throws(UsageError) in .rename(to: try values.name(values.required(0), called: "NAME")) }
    ),
    CommandSpec(
      name: "version", summary: Phrase("print the version", "버전 출력"),
      examples: ["peerd version", "peerd version --json"],
      hasData: false, build: { _ throws(UsageError) in .version }),
    CommandSpec(
      name: "completions", summary: Phrase("print completions for a shell", "셸의 자동 완성 스크립트 출력"),
      operands: [
        OperandSpec(
          name: "SHELL", help: Phrase("one of these:", "다음 가운데 하나:"),
          choices: Shell.allCases.map { ($0.rawValue, $0.place) })
      ],
      examples: ["peerd completions bash"],
      hasData: false,
      build: { values throws(UsageError) in
        guard let shell = Shell(rawValue: values.required(0)) else {
          let known = Shell.allCases.map(\.rawValue).joined(separator: ", ")
          throw values.error(.isOne(of: known, "SHELL", not: values.required(0)))
        }
        return .completions(shell)
      }),
    CommandSpec(
      name: "man", summary: Phrase("print a manual page, in roff", "매뉴얼 페이지를 roff 형식으로 출력"),
      operands: [
        OperandSpec(
          name: "COMMAND",
          help: Phrase("of this command (default: of peerd itself)", "매뉴얼을 볼 명령(기본값: peerd 자체)"),
          isOptional: true)
      ],
      examples: ["peerd man", "peerd man run"], hasData: false,
      build: { values throws(UsageError) in
        if let name = values.operand(0), Grammar.page(named: name) == nil {
          throw values.error(.noCommand(name))
        }
        return .manual(command: values.operand(0))
      }),
  ]
}
