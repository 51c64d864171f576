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
    name: "run", summary: .same(""), options: RunSettings.options, build: runCommand)

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
    guard !discovers || listen != nil else {
      throw wrong(
        Phrase(
          "--discover goes with --listen, or take --lan",
          "--discover 옵션은 --listen 옵션과 함께 쓰거나, 대신 --lan 옵션을 쓰세요"))
    }
    if discovers, let listen, (try? Socket.requireLoopback(listen)) != nil {
      throw wrong(
        Phrase(
          "no other device reaches \(listen), so there is nothing to announce: listen on an address of the network, on 0.0.0.0:PORT or "
            + "on [::]:PORT, or leave --lan and --discover out",
          "다른 기기가 \(listen)에 연결할 수 없어 알릴 것이 없습니다. 네트워크의 주소나 0.0.0.0:PORT, [::]:PORT에서 연결을 받거나, "
            + "--lan 옵션과 --discover 옵션을 빼세요"))
    }
    guard interface == nil || discovers else {
      throw wrong(
        Phrase(
          "--interface goes with --lan or --discover",
          "--interface 옵션은 --lan 옵션이나 --discover 옵션과 함께 씁니다"))
    }
    guard announces || !discovers else {
      throw wrong(
        Phrase(
          "--announce none goes without --lan and --discover, which announce the device",
          "--announce none은 기기를 알리는 --lan, --discover 옵션과 함께 쓸 수 없습니다"))
    }
  }

  private func wrong(_ phrase: Phrase) -> UsageError { UsageError(phrase + .seeHelp("run")) }
}

/// What a device tells its members of where it listens.
private enum Announcement: String, CaseIterable {
  case all
  case none
}
