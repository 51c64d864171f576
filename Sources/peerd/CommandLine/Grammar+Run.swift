import PeerSync

// What `peerd run` is told.
extension Grammar {
  static let runCommand: @Sendable (inout Values) throws(UsageError) -> Command = {
    values throws(UsageError) in
    let told = RunSettings(values)
    let options = try runOptions(values, told)
    // What is missing here may be among what the device was told before.
    if told[.listen] != nil, told[.discover] ?? told[.lan] != nil { try options.check() }
    return .run(options)
  }

  /// The options of a run with settings of before.
  ///
  /// - Parameter rest: the options that do not stay
  package static func runOptions(_ settings: RunSettings, and rest: RunOptions) throws(UsageError)
    -> RunOptions
  {
    var values = Values(spec: runSpec)
    try values.read(settings.words[...])
    var options = try runOptions(values, settings)
    (options.http, options.announces, options.clockOffset) = (rest.http, rest.announces, rest.clockOffset)
    try options.check()
    return options
  }

  private static let runSpec = CommandSpec(
    name: "run", summary: "", options: RunSettings.options, build: runCommand)

  private static func runOptions(
    _ values: Values, _ told: RunSettings
  ) throws(UsageError) -> RunOptions {
    let isLocal = values.isSet(.lan)
    let everywhere = isLocal ? Address(host: "::", port: 7400) : nil
    let isSilent = told[.listen] == [RunSettings.none]
    let listen = isSilent ? nil : try values.numericAddresses(.listen).last ?? everywhere
    return RunOptions(
      told: told, listen: listen, http: try values.loopback(.http),
      peers: told[.peer] == [RunSettings.none] ? [] : try values.reachableAddresses(.peer),
      discovers: isLocal || values.isSet(.discover), interface: values.text(.interface),
      announces: try values.choice(.announce, default: Announcement.all) == .all,
      clockOffset: try values.offset(.clockOffset),
      store: told[.store] == [RunSettings.none] ? nil : try values.store(), account: values.text(.account),
      log: LogOptions(
        format: try values.choice(.logFormat, default: .text),
        level: try values.choice(.logLevel, default: .info)))
  }
}

extension RunOptions {
  /// Refuses what does not go together.
  package func check() throws(UsageError) {
    guard !discovers || listen != nil else { throw wrong("--discover goes with --listen, or take --lan") }
    if discovers, let listen, (try? Socket.requireLoopback(listen)) != nil {
      throw wrong(
        "no other device reaches \(listen), so there is nothing to announce: listen on an address of the network, on 0.0.0.0:PORT or "
          + "on [::]:PORT, or leave --lan and --discover out")
    }
    guard interface == nil || discovers else { throw wrong("--interface goes with --lan or --discover") }
    guard announces || !discovers else {
      throw wrong("--announce none goes without --lan and --discover, which announce the device")
    }
  }

  private func wrong(_ text: String) -> UsageError { UsageError("\(text); see peerd run --help") }
}

/// What a device tells its members of where it listens.
private enum Announcement: String, CaseIterable {
  case all
  case none
}
