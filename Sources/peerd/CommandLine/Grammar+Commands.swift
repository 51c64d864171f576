import PeerSync

// A device and its group.
extension Grammar {
  static let deviceCommands: [CommandSpec] = [
    CommandSpec(
      name: "init",
      summary: Phrase(
        "make a device: its identity, an empty ledger, a group of one", "기기 만들기: 신원, 빈 기록, 혼자인 그룹"),
      details: Phrase(
        """
        The data directory must not hold a device yet. The environment is shown, and cannot be changed later. The
        recovery key is shown once: write it down. `peerd remove --recovery-key` takes it.
        """,
        """
        데이터 디렉터리에 아직 기기가 없어야 합니다. 환경을 표시하며 나중에 바꿀 수 없습니다. 복구 키는 한 번만 보여 주므로 적어
        두세요. `peerd remove --recovery-key` 명령에 씁니다.
        """),
      options: [.name, .environment, .bundleId, .trustRoot, .catalog, .clockOffset, .noTimeAccept],
      examples: ["peerd init --data phone --name Phone --catalog products.json"],
      build: initCommand),
    CommandSpec(
      name: "run", summary: Phrase("run the device's daemon in the foreground", "기기의 데몬을 포그라운드에서 실행"),
      details: Phrase(
        """
        Prints one ready line. SIGTERM and SIGINT stop it cleanly. The control API's address and token are in
        DIR/api.json while it runs; every other command finds the daemon there.
        """,
        """
        준비되면 한 줄을 출력합니다. SIGTERM과 SIGINT 신호로 깨끗하게 멈춥니다. 실행하는 동안 제어 API의 주소와 토큰이
        DIR/api.json 파일에 있고, 다른 명령은 모두 그 파일로 데몬을 찾습니다.
        """),
      options: [
        .listen, .http, .peer, .lan, .discover, .interface, .announce, .store, .account, .clockOffset,
        .logFormat,
        .logLevel,
      ],
      examples: [
        "peerd run --data phone --lan", "peerd run --data phone --listen 127.0.0.1:7401",
        "peerd run --data phone --store http://127.0.0.1:7500",
      ],
      build: runCommand),
    CommandSpec(
      name: "invite",
      summary: Phrase(
        "open a one-time invitation for a new device, good for 10 minutes", "새 기기를 위한 일회용 초대 열기(10분 동안 유효)"),
      examples: ["peerd invite --data phone"], build: { _ throws(UsageError) in .invite }),
    CommandSpec(
      name: "join",
      summary: Phrase("join the group of the device that made an invitation", "초대한 기기의 그룹에 들어가기"),
      details: Phrase("Purchases this device made before come along.", "이 기기에서 전에 구입한 것도 함께 옮겨집니다."),
      operands: [
        OperandSpec(
          name: "URL",
          help:
            Phrase(
              "what `peerd invite` printed on the other device; its code alone, where both run with --lan on one network",
              "다른 기기에서 `peerd invite` 명령이 출력한 것. 두 기기가 한 네트워크에서 --lan 옵션으로 실행 중이면 코드만")
        )
      ],
      examples: [
        "peerd join --data tablet peersync://127.0.0.1:7401/ABCDEFGHJKMN",
        "peerd join --data tablet ABCD-EFGH-JKMN",
      ],
      build: { values throws(UsageError) in
        let url = values.required(0)
        guard InvitationURL(url) != nil || InvitationCode(url) != nil else {
          throw values.error(
            Phrase(
              "'\(url)' is not an invitation such as peersync://127.0.0.1:7401/ABCDEFGHJKMN",
              "‘\(url)’ 값은 peersync://127.0.0.1:7401/ABCDEFGHJKMN 같은 초대가 아닙니다"))
        }
        return .join(url: url)
      }),
    CommandSpec(
      name: "devices", summary: Phrase("list the group's devices", "그룹의 기기 목록 보기"),
      examples: ["peerd devices --data phone"],
      build: { _ throws(UsageError) in .devices }),
    removing,
    CommandSpec(
      name: "time",
      summary: Phrase("show what time it is, and everybody who vouches for one", "지금 시각과 시각을 보증하는 기기 보기"),
      details: Phrase(
        """
        The present is no earlier than what the store signed, and than what paired devices have vouched for. Two devices whose
        clocks were wrong alike stay ahead when they are put right, until a third one of the group bears them out; with two
        alone a person decides. --accept drops what peers have vouched for, so that this device's clock counts: look at the
        clock first. What the store signed stays.
        """,
        """
        현재 시각은 스토어가 서명한 시각이나 그룹의 기기가 보증한 시각보다 이르지 않습니다. 똑같이 틀렸던 두 기기의 시계를 맞추어도
        그룹의 세 번째 기기가 확인해 줄 때까지는 앞선 시각이 남고, 기기가 둘뿐이면 사람이 정합니다. --accept 옵션은 다른
        기기가 보증한 시각을 버리고 이 기기의 시계를 따르게 하므로 먼저 시계를 확인하세요. 스토어가 서명한 시각은 남습니다.
        """),
      options: [.accept, .yes],
      examples: ["peerd time --data phone", "peerd time --data phone --accept"],
      build: { values throws(UsageError) in
        let accept = values.isSet(.accept)
        guard accept || !values.isSet(.yes) else { throw values.error(.goes("--yes", with: "--accept")) }
        return .time(accept: accept, isConfirmed: values.isSet(.yes))
      }),
    CommandSpec(
      name: "offline",
      summary: Phrase(
        "cut the device off from its peers, as an aeroplane mode does", "비행기 모드처럼 기기를 다른 기기에서 끊기"),
      examples: ["peerd offline --data phone"], build: { _ throws(UsageError) in .offline }),
    CommandSpec(
      name: "online", summary: Phrase("let the device back to its peers", "기기를 다른 기기에 다시 연결"),
      examples: ["peerd online --data phone"],
      build: { _ throws(UsageError) in .online }),
  ]

  private static let initCommand: @Sendable (inout Values) throws(UsageError) -> Command = {
    values throws(UsageError) in
    .initialize(
      InitOptions(
        name: try values.name(.name), environment: try values.choice(.environment, default: .sandbox),
        bundleId: try values.name(.bundleId), trustRoots: values.texts(.trustRoot),
        catalogues: values.texts(.catalog), clockOffset: try values.offset(.clockOffset),
        mayAcceptTime: !values.isSet(.noTimeAccept)))
  }
}
