import PeerSync

/// One option of a command.
package struct OptionSpec: Sendable {
  /// Without the dashes.
  package let name: String
  /// What stands for the value in the help; nil: the option takes none.
  package let value: String?
  /// With unit and default.
  package let help: Phrase
  package var repeats = false
  /// The words that its value may be or list, with what each means, where these are few.
  package var choices: [(name: String, help: Phrase)] = []
}

/// One word that a command takes besides its options.
package struct OperandSpec: Sendable {
  package let name: String
  package let help: Phrase
  package var isOptional = false
  /// Whether it is that very word, and no other.
  package var isFixed = false
  /// The words that it may be, with what each means, where these are few.
  package var choices: [(name: String, help: Phrase)] = []
}

/// One command: what it takes, what it says about itself, and how its values become a ``Command``.
package struct CommandSpec: Sendable {
  package let name: String
  /// One line for the list of commands.
  package let summary: Phrase
  /// What the list does not say.
  package var details = Phrase.same("")
  package var operands: [OperandSpec] = []
  package var options: [OptionSpec] = []
  package var examples: [String] = []
  /// Whether the command works on a device's data directory.
  package var hasData = true
  package let build: @Sendable (inout Values) throws(UsageError) -> Command

  /// Its name where no space may be.
  package var pageName: String { name.replacing(" ", with: "-") }

  /// Whether it takes the name of a file as an operand.
  package var takesFile: Bool { operands.contains { $0.name == "FILE" } }

  /// The command's own options and those of every command.
  package var allOptions: [OptionSpec] {
    options + (hasData ? [.data] : []) + [.json] + (hasData ? [.utc] : []) + [.help]
  }
}

/// All commands, in the order of the help.
package enum Grammar {
  package static let commands: [CommandSpec] =
    deviceCommands + purchaseCommands + viewCommands + recordCommands + storeCommands + setupCommands + [lab]
    + toolCommands

  /// What has a page in the manual: the commands, and the verbs of `store`.
  package static let paged: [CommandSpec] = commands + storeVerbs

  /// The command of a page such as `run` or `store-buy`.
  package static func page(named name: String) -> CommandSpec? {
    paged.first { $0.pageName == name || $0.name == name }
  }

  package static func command(named name: String) -> CommandSpec? {
    (commands + storeVerbs).first { $0.name == name }
  }
}
