import PeerSync

/// Reads a command line. Nothing here touches the system.
package enum Arguments {
  /// - Parameters:
  ///   - arguments: without the program's name
  ///   - environment: the environment variables
  package static func parse(
    _ arguments: [String], environment: [String: String]
  ) -> Result<Invocation, UsageError> {
    do throws(UsageError) {
      return .success(try invocation(arguments, environment))
    } catch {
      return .failure(error)
    }
  }

  private static func invocation(
    _ arguments: [String], _ environment: [String: String]
  ) throws(UsageError) -> Invocation {
    guard let first = arguments.first, first != "--help", first != "-h" else {
      return plain(.help(topic: nil))
    }
    if first == "--version" { return plain(.version) }
    if first == "help" { return plain(.help(topic: try topic(arguments.dropFirst()))) }
    let (spec, rest) = try command(arguments)
    var values = Values(spec: spec)
    try values.read(rest)
    if values.isSet(.help) { return plain(.help(topic: spec.name)) }
    let built = try spec.build(&values)
    let data = spec.hasData ? try directory(values.text(.data), environment) : ""
    return Invocation(command: built, data: data, json: values.isSet(.json), utc: values.isSet(.utc))
  }

  private static func plain(_ command: Command) -> Invocation {
    Invocation(command: command, data: "", json: false)
  }

  private static func topic(_ words: ArraySlice<String>) throws(UsageError) -> String? {
    words.isEmpty ? nil : try command(Array(words)).0.name
  }

  /// The command that the first word names, or the first two, with the words after it.
  private static func command(
    _ words: [String]
  ) throws(UsageError) -> (CommandSpec, ArraySlice<String>) {
    guard words[0] == "store", words.count > 1, !words[1].hasPrefix("-") else {
      return (try command(words[0]), words.dropFirst())
    }
    if let verb = Grammar.command(named: "store \(words[1])") { return (verb, words.dropFirst(2)) }
    let verbs = Grammar.storeVerbs.map { String($0.name.dropFirst("store ".count)) }
    let guess = Suggestion.nearest(to: words[1], in: verbs)
    let next = guess.map { Phrase.didYouMean($0) } ?? .seeHelp("store")
    throw UsageError(Phrase.noVerb(words[1]) + next)
  }

  private static func command(_ name: String) throws(UsageError) -> CommandSpec {
    if let spec = Grammar.command(named: name) { return spec }
    guard !name.hasPrefix("-") else {
      throw UsageError(Phrase.commandFirst + .seeHelp(""))
    }
    let guess = Suggestion.nearest(to: name, in: Grammar.commands.map(\.name))
    let next = guess.map { Phrase.didYouMean($0) } ?? .seeHelp("")
    throw UsageError(Phrase.noCommand(name) + next)
  }

  /// The data directory: the option, else PEERD_DATA, else `peerd` below $XDG_DATA_HOME or ~/.local/share.
  private static func directory(
    _ option: String?, _ environment: [String: String]
  ) throws(UsageError) -> String {
    func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    if let given = option ?? variable("PEERD_DATA") { return given }
    if let home = variable("XDG_DATA_HOME") { return home + "/peerd" }
    if let home = variable("HOME") { return home + "/.local/share/peerd" }
    throw UsageError(Phrase.noDirectory)
  }
}
