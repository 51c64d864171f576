import PeerSync

// Looking after a device and the program itself.
extension Grammar {
  static let setupCommands: [CommandSpec] = [
    CommandSpec(
      name: "config", summary: "show or set what `peerd run` goes on with",
      details: """
        What `run` is told stays: the next `run` goes on with it, and what it is told then takes the place of what was said before.
        This shows and sets the same, in settings.json of the data directory, for the next start. No daemon has to run. The value
        none is as if the option had never been given; --lan and --discover are yes or none; several peers have commas between.
        """,
      operands: [
        OperandSpec(
          name: "SETTING", help: "one of these (default: all):", isOptional: true,
          choices: RunSettings.options.map { ($0.name, $0.help) }),
        OperandSpec(
          name: "VALUE", help: "what it is to be from the next start on (default: show it)", isOptional: true),
      ],
      examples: [
        "peerd config --data phone", "peerd config --data phone listen 127.0.0.1:7401",
        "peerd config --data phone store none",
      ],
      build: { values throws(UsageError) in
        if let name = values.operand(0), RunSettings.option(named: name) == nil {
          let known = RunSettings.options.map(\.name)
          let guess = Suggestion.nearest(to: name, in: known).map { Phrase.didYouMean("'\($0)'") }
          throw values.error(.noSetting(name) + (guess ?? .same(": \(known.joined(separator: ", "))")))
        }
        return .configure(name: values.operand(0), value: values.operand(1))
      }),
    CommandSpec(
      name: "doctor", summary: "check the set-up, and say what to do about what is wrong",
      details: """
        The data directory, the space left, the database, the port, addresses, multicast, Avahi, firewalls, the clock, the store, and
        each device of the group: ok, a warning or a failure. It changes nothing, and works with and without a running daemon. The exit
        status is 1 when anything fails.
        """,
      examples: ["peerd doctor --data phone", "peerd doctor --data phone --json"],
      build: { _ throws(UsageError) in .doctor }),
    CommandSpec(
      name: "leave", summary: "take this device out of its group, for good",
      details: """
        What it bought stays with the group, and with it. What it decides from then on counts nowhere else, and it joins no group
        again: make a new device with `peerd init` for that. The others hear of it when they are met. Asks on a terminal.
        """,
      options: [.yes], examples: ["peerd leave --data tablet", "peerd leave --data tablet --yes"],
      build: { values throws(UsageError) in .leave(isConfirmed: values.isSet(.yes)) }),
    CommandSpec(
      name: "rename", summary: "call this device something else, on every device of its group",
      operands: [OperandSpec(name: "NAME", help: "1 to 255 bytes of text without control characters")],
      examples: ["peerd rename --data tablet Kitchen"],
      build: { values throws(UsageError) in .rename(to: try values.name(values.required(0), called: "NAME")) }
    ),
    CommandSpec(
      name: "version", summary: "print the version", examples: ["peerd version", "peerd version --json"],
      hasData: false, build: { _ throws(UsageError) in .version }),
    CommandSpec(
      name: "completions", summary: "print completions for a shell",
      operands: [
        OperandSpec(
          name: "SHELL", help: "one of these:", choices: Shell.allCases.map { ($0.rawValue, $0.place) })
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
      name: "man", summary: "print a manual page, in roff",
      operands: [
        OperandSpec(name: "COMMAND", help: "of this command (default: of peerd itself)", isOptional: true)
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
