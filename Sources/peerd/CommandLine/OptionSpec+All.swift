import PeerSync

extension OptionSpec {
  // MARK: Every command

  static let data = OptionSpec(
    name: "data", value: "DIR",
    help:
      Phrase(
        "the directory of the device or the store (default: $PEERD_DATA, else $XDG_DATA_HOME/peerd or "
          + "~/.local/share/peerd)",
        "기기나 스토어의 디렉터리(기본값: $PEERD_DATA, 없으면 $XDG_DATA_HOME/peerd 또는 ~/.local/share/peerd)"))
  static let json = OptionSpec(
    name: "json", value: nil,
    help: Phrase("print one JSON document and nothing else on standard output", "표준 출력에 JSON 문서 하나만 출력"))
  static let utc = OptionSpec(
    name: "utc", value: nil,
    help: Phrase(
      "show whole instants, in UTC (default: short ones, in the local zone)",
      "시각을 UTC로 모두 표시(기본값: 현지 시간대로 짧게)"))
  static let help = OptionSpec(name: "help", value: nil, help: Phrase("print this text", "이 도움말 출력"))

  // MARK: init and run

  static let name = OptionSpec(
    name: "name", value: "NAME",
    help: Phrase(
      "what people call the device, in 1 to 255 bytes (default: this host's name)",
      "기기의 이름, 1~255바이트(기본값: 이 호스트의 이름)"))
  static let environment = OptionSpec(
    name: "environment", value: "ENVIRONMENT",
    help: Phrase(
      "sandbox, production or xcode: which store's purchases count; they never mix (default: sandbox)",
      "sandbox, production, xcode: 어느 스토어의 구입을 계산할지 정하며 서로 섞이지 않음(기본값: sandbox)"))
  static let bundleId = OptionSpec(
    name: "bundle-id", value: "ID",
    help: Phrase(
      "the app whose purchases these are, in 1 to 255 bytes (default: com.example.app)",
      "구입이 속한 앱의 번들 ID, 1~255바이트(기본값: com.example.app)"))
  static let trustRoot = OptionSpec(
    name: "trust-root", value: "PEM",
    help:
      Phrase(
        "a root certificate whose store is trusted besides Apple's; may repeat; not in production (default: none)",
        "Apple 말고도 신뢰할 스토어의 루트 인증서. 여러 번 쓸 수 있고 production에서는 쓸 수 없음(기본값: 없음)"),
    repeats: true)
  static let catalog = OptionSpec(
    name: "catalog", value: "FILE",
    help:
      Phrase(
        "the products: peerd's JSON or an Xcode .storekit file; may repeat, later files add to earlier ones",
        "상품: peerd의 JSON 파일 또는 Xcode의 .storekit 파일. 여러 번 쓸 수 있고 나중 파일이 더해짐"),
    repeats: true)
  static let listen = OptionSpec(
    name: "listen", value: "HOST:PORT",
    help: Phrase(
      "where peers reach this device; port 0 picks a free one (default: it dials only)",
      "다른 기기의 연결을 받을 주소. 포트 0은 빈 포트(기본값: 연결만 하고 받지 않음)"))
  static let http = OptionSpec(
    name: "http", value: "HOST:PORT",
    help: Phrase(
      "where HTTP is served, on loopback; port 0 picks a free one (default: 127.0.0.1:0)",
      "HTTP를 제공할 루프백 주소. 포트 0은 빈 포트(기본값: 127.0.0.1:0)"))
  static let peer = OptionSpec(
    name: "peer", value: "HOST:PORT",
    help: Phrase(
      "a member to connect to; may repeat; addresses of members met are remembered (default: those)",
      "연결할 그룹의 기기. 여러 번 쓸 수 있고 만난 기기의 주소는 기억함(기본값: 기억한 주소)"),
    repeats: true)
  static let lan = OptionSpec(
    name: "lan", value: nil,
    help:
      Phrase(
        "be on the local network: --discover, and --listen [::]:7400 unless another address is given (default: not)",
        "로컬 네트워크 사용: --discover와, 다른 주소가 없으면 --listen [::]:7400(기본값: 쓰지 않음)")
  )
  static let discover = OptionSpec(
    name: "discover", value: nil,
    help: Phrase(
      "find members on the local network and be found there, by DNS-SD (default: by addresses alone)",
      "로컬 네트워크에서 DNS-SD로 그룹의 기기를 찾고 알림(기본값: 주소로만)"))
  static let interface = OptionSpec(
    name: "interface", value: "IF",
    help: Phrase(
      "the only network interface to discover on and to tell addresses of, such as eth0 (default: all)",
      "찾기와 주소 알림에 쓸 하나뿐인 네트워크 인터페이스, 예: eth0(기본값: 모두)"))
  static let announce = OptionSpec(
    name: "announce", value: "WHAT",
    help:
      Phrase(
        "all: tell members the addresses that it listens on; none: they are given them by hand (default: all)",
        "all: 연결을 받는 주소를 그룹의 기기에 알림. none: 주소를 직접 지정해 줌(기본값: all)"))
  static let labDevices = OptionSpec(
    name: "devices", value: "NAMES",
    help: Phrase(
      "what the devices are called, divided by commas (default: Phone,Tablet,Mac)",
      "쉼표로 나눈 기기의 이름(기본값: Phone,Tablet,Mac)"))
  static let labData = OptionSpec(
    name: "data", value: "DIR",
    help: Phrase(
      "keep the laboratory there, and go on with the one that is there (default: nothing is left behind)",
      "실험실을 그곳에 남기고, 있으면 이어서 씀(기본값: 아무것도 남기지 않음)"))
  static let open = OptionSpec(
    name: "open", value: nil,
    help: Phrase(
      "show the page in the browser of this desktop (default: its address is printed alone)",
      "이 데스크탑의 브라우저에서 페이지 열기(기본값: 주소만 출력)"))
  static let clockOffset = OptionSpec(
    name: "clock-offset", value: "DURATION",
    help: Phrase(
      "have a clock set off by -90d, +1h30m, P1D or -PT1H; sandbox and xcode only (default: 0s)",
      "시계를 -90d, +1h30m, P1D, -PT1H처럼 어긋나게 함. sandbox와 xcode에서만(기본값: 0s)"))
  static let logFormat = OptionSpec(
    name: "log-format", value: "FORMAT",
    help: Phrase(
      "text or json lines on standard error (default: text)", "표준 오류에 text 또는 json 형식으로 기록(기본값: text)"))
  static let logLevel = OptionSpec(
    name: "log-level", value: "LEVEL",
    help: Phrase(
      "debug, info, warning or error (default: info)", "debug, info, warning, error 가운데 하나(기본값: info)"))

  static let noTimeAccept = OptionSpec(
    name: "no-time-accept", value: nil,
    help: Phrase(
      "nobody may run `peerd time --accept` on this device, for good (default: whoever runs it may)",
      "이 기기에서 `peerd time --accept` 명령을 영구히 금지(기본값: 누구나 쓸 수 있음)"))
  static let accept = OptionSpec(
    name: "accept", value: nil,
    help:
      Phrase(
        "drop what peers have vouched for, for this device's clock is right; asks first, on a terminal "
          + "(default: show who vouches for what)",
        "이 기기의 시계가 맞으므로 다른 기기가 보증한 시각을 버림. 터미널에서는 먼저 물음(기본값: 무엇을 어느 기기가 보증하는지 보기)"))
  static let yes = OptionSpec(
    name: "yes", value: nil,
    help: Phrase("do not ask (default: ask; without a terminal, refuse)", "묻지 않음(기본값: 물음. 터미널이 없으면 거절)"))
  static let yesOrScript = OptionSpec(
    name: "yes", value: nil,
    help: Phrase(
      "do not ask (default: ask on a terminal; without one, go ahead)", "묻지 않음(기본값: 터미널에서는 묻고, 없으면 진행)"))
  static let all = OptionSpec(
    name: "all", value: nil,
    help:
      Phrase(
        "take back all that it ever decided; asks first, on a terminal (default: what it has decided counts on)",
        "그 기기에서 정한 것을 모두 되돌림. 터미널에서는 먼저 물음(기본값: 정한 것은 그대로 유효)")
  )

  static let fromLost = OptionSpec(
    name: "from", value: "lost",
    help:
      Phrase(
        "from devices that nobody in the group has ever met, and that are lost, for good (default: from earlier lives of this "
          + "device, and from removed devices)",
        "그룹의 어느 기기도 만난 적이 없는 분실된 기기에서 완전히 넘겨받음(기본값: 이 기기의 이전 저장소와 제거된 기기에서)"))
  static let since = OptionSpec(
    name: "since", value: "TIME",
    help:
      Phrase(
        "take back what it decided since then: what had not reached this device by the hour before; asks first, on a "
          + "terminal (default: what it has decided counts on)",
        "그때부터 정한 것 가운데 이 기기가 그 시간대까지 몰랐던 것을 되돌림. 터미널에서는 먼저 물음(기본값: 정한 것은 그대로 유효)"))

  static let disown = OptionSpec(
    name: "disown", value: "DEVICE",
    help:
      Phrase(
        "a device that it let in and that goes with it; may repeat (default: they stay; with a recovery key, on a terminal, it asks)",
        "그 기기가 들인 기기 가운데 함께 제거할 기기. 여러 번 쓸 수 있음(기본값: 남음. 복구 키를 쓰면 터미널에서 물음)"),
    repeats: true)

  static let recoveryKey = OptionSpec(
    name: "recovery-key", value: "KEY",
    help:
      Phrase(
        "the key printed when the group was founded; -: read it from standard input, so that no other user of "
          + "the machine sees it among the processes (default: by this device's own right)",
        "그룹을 만들 때 출력된 키. -: 이 컴퓨터의 다른 사용자가 프로세스 목록에서 볼 수 없도록 표준 입력에서 읽음(기본값: 이 기기의 권한으로 제거)"))
}
