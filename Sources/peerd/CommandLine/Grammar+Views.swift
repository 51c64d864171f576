import PeerSync

extension Grammar {
  /// What only looks.
  static let viewCommands: [CommandSpec] = [
    CommandSpec(
      name: "status", summary: "show the device, its peers, lines, entitlements, credits and digest",
      examples: ["peerd status --data phone", "peerd status --json"],
      build: { _ throws(UsageError) in .status }),
    CommandSpec(
      name: "dashboard",
      summary: "print the address of a page that shows the device live and does what it can do",
      details: """
        The address holds the token of the device behind its #, where no server sees it: whoever has it may do everything on the
        device.
        """,
      options: [.open], examples: ["peerd dashboard --data phone --open", "peerd dashboard --json"],
      build: { values throws(UsageError) in .dashboard(opens: values.isSet(.open)) }),
    CommandSpec(
      name: "why", summary: "prove an entitlement: every purchase and how it was counted",
      operands: [OperandSpec(name: "ENTITLEMENT", help: "its id, as in `peerd status`")],
      examples: ["peerd why --data phone random-owls"],
      build: { values throws(UsageError) in .why(entitlement: values.required(0)) }),
    CommandSpec(
      name: "watch", summary: "print changes as they happen, one a line, until interrupted",
      examples: ["peerd watch --data phone --json"], build: { _ throws(UsageError) in .watch }),
    CommandSpec(
      name: "history", summary: "list what has happened and which device did it, the newest last",
      details: """
        Of what devices decide, such as dates, grants and values, each device's last decision is listed. Where nobody says when
        something happened, as with spends, it says by when it had: the end of the hour in which this device heard of it.
        """,
      options: [.listedSince, .limit],
      examples: ["peerd history --data phone", "peerd history --data phone --since 2026-01-01 --limit 20"],
      build: { values throws(UsageError) in
        .history(
          since: try values.time(.listedSince),
          limit: try values.integer(.limit, in: 1...Daemon.mostListed, default: 100))
      }),
    CommandSpec(
      name: "transactions", summary: "list the transactions, with the devices that bought them",
      examples: ["peerd transactions --data phone"], build: { _ throws(UsageError) in .transactions }),
    CommandSpec(
      name: "wait", summary: "return when all conditions given hold",
      options: [.digest, .entitlement, .peers, .timeout],
      examples: ["peerd wait --data phone --peers 2 --entitlement random-owls=active --timeout 10"],
      build: waitCommand),
  ]

  private static let waitCommand: @Sendable (inout Values) throws(UsageError) -> Command = {
    values throws(UsageError) in
    var entitlements: [WaitOptions.Entitlement] = []
    for text in values.texts(.entitlement) { entitlements.append(try values.entitlement(text)) }
    let peers = values.isSet(.peers) ? try values.integer(.peers, in: 0...Limits.replicas, default: 0) : nil
    let digest = try values.digest(.digest)
    guard digest != nil || peers != nil || !entitlements.isEmpty else {
      throw values.error(
        Phrase(
          "say what to wait for: --digest, --entitlement or --peers",
          "무엇을 기다릴지 --digest, --entitlement, --peers 옵션으로 지정하세요"))
    }
    return .wait(
      WaitOptions(
        digest: digest, entitlements: entitlements, peers: peers, timeoutSeconds: try values.seconds(.timeout)
      ))
  }
}
