import PeerSync

extension Grammar {
  /// What only looks.
  static let viewCommands: [CommandSpec] = [
    CommandSpec(
      name: "status",
      summary: Phrase(
        "show the device, its peers, lines, entitlements, credits and digest",
        "기기와 다른 기기, 이용 기간, 권한, 크레딧, 다이제스트 보기"),
      examples: ["peerd status --data phone", "peerd status --json"],
      build: { _ throws(UsageError) in .status }),
    CommandSpec(
      name: "dashboard",
      summary: Phrase(
        "print the address of a page that shows the device live and does what it can do",
        "기기를 실시간으로 보고 다룰 수 있는 페이지의 주소 출력"),
      details: Phrase(
        """
        The address holds the token of the device behind its #, where no server sees it: whoever has it may do everything on the
        device.
        """,
        """
        주소의 # 뒤에 서버가 볼 수 없는 기기의 토큰이 들어 있어, 아는 사람은 그 기기에서 무엇이든 할 수 있습니다.
        """),
      options: [.open], examples: ["peerd dashboard --data phone --open", "peerd dashboard --json"],
      build: { values throws(UsageError) in .dashboard(opens: values.isSet(.open)) }),
    CommandSpec(
      name: "why",
      summary: Phrase(
        "prove an entitlement: every purchase and how it was counted", "권한의 근거 보기: 모든 구입과 계산 방식"),
      operands: [
        OperandSpec(
          name: "ENTITLEMENT", help: Phrase("its id, as in `peerd status`", "권한의 ID(`peerd status` 명령에 나옴)"))
      ],
      examples: ["peerd why --data phone random-owls"],
      build: { values throws(UsageError) in .why(entitlement: values.required(0)) }),
    CommandSpec(
      name: "watch",
      summary: Phrase(
        "print changes as they happen, one a line, until interrupted", "중단할 때까지 일어나는 변화를 한 줄에 하나씩 출력"),
      examples: ["peerd watch --data phone --json"], build: { _ throws(UsageError) in .watch }),
    CommandSpec(
      name: "history",
      summary: Phrase(
        "list what has happened and which device did it, the newest last", "일어난 일과 그 일을 한 기기 목록 보기(최신이 마지막)"),
      details: Phrase(
        """
        Of what devices decide, such as dates, grants and values, each device's last decision is listed. Where nobody says when
        something happened, as with spends, it says by when it had: the end of the hour in which this device heard of it.
        """,
        """
        날짜, 부여, 값처럼 기기가 정하는 것은 기기마다 마지막으로 정한 것만 나옵니다. 크레딧 사용처럼 언제 일어났는지 알 수 없는
        일에는 늦어도 언제였는지, 곧 이 기기가 그 일을 안 시간대의 끝이 나옵니다.
        """),
      options: [.listedSince, .limit],
      examples: ["peerd history --data phone", "peerd history --data phone --since 2026-01-01 --limit 20"],
      build: { values throws(UsageError) in
        .history(
          since: try values.time(.listedSince),
          limit: try values.integer(.limit, in: 1...Daemon.mostListed, default: 100))
      }),
    CommandSpec(
      name: "transactions",
      summary: Phrase("list the transactions, with the devices that bought them", "거래와 구입한 기기 목록 보기"),
      examples: ["peerd transactions --data phone"], build: { _ throws(UsageError) in .transactions }),
    CommandSpec(
      name: "wait", summary: Phrase("return when all conditions given hold", "지정한 조건이 모두 맞을 때까지 기다리기"),
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
