import PeerSync
import PeerSyncSandboxServer

// Options about purchases.
extension OptionSpec {
  // MARK: Purchases and waiting

  static let listedSince = OptionSpec(
    name: "since", value: "TIME",
    help: Phrase(
      "leave out what happened before, such as 2026-01-31, or nobody knows when (default: nothing)",
      "2026-01-31 같은 시각보다 전이거나 언제인지 모르는 일 생략(기본값: 생략하지 않음)"))
  static let limit = OptionSpec(
    name: "limit", value: "N",
    help: Phrase(
      "the newest N, 1 to \(Daemon.mostListed) (default: 100)", "최신 N건, 1~\(Daemon.mostListed)(기본값: 100)"))
  static let quantity = OptionSpec(
    name: "quantity", value: "N", help: Phrase("how many units (default: 1)", "수량(기본값: 1)"))
  static let id = OptionSpec(
    name: "id", value: "ID",
    help: Phrase(
      "names the spend: running it again changes nothing (default: a new one)",
      "사용 ID. 같은 ID로 다시 실행해도 달라지지 않음(기본값: 새 ID)"))
  static let at = OptionSpec(
    name: "at", value: "TIME",
    help:
      Phrase(
        "when the purchase is made, such as 2026-01-31T00:00:00Z, from 1970 on; sandbox and xcode only (default: now)",
        "구입하는 시각, 예: 2026-01-31T00:00:00Z. 1970년부터이고 sandbox와 xcode에서만(기본값: 지금)")
  )
  static let offer = OptionSpec(
    name: "offer", value: "ID",
    help: Phrase(
      "at the price of this offer, as `peerd store products` lists it (default: the usual price)",
      "이 혜택의 가격으로 구입(`peerd store products` 명령에 나옴, 기본값: 정가)"))
  static let until = OptionSpec(
    name: "until", value: "TIME",
    help: Phrase(
      "when the grant ends, such as 2026-12-31 (default: never)", "부여가 끝나는 시각, 예: 2026-12-31(기본값: 끝나지 않음)"))
  static let digest = OptionSpec(
    name: "digest", value: "HEX",
    help: Phrase("until the digest of the replicated facts is this one", "복제된 기록의 다이제스트가 이 값이 될 때까지"))
  static let entitlement = OptionSpec(
    name: "entitlement", value: "ID[=active|inactive]",
    help: Phrase(
      "until the entitlement is active (or inactive); may repeat",
      "권한을 이용할 수 있을 때까지(inactive: 없을 때까지). 여러 번 쓸 수 있음"), repeats: true)
  static let peers = OptionSpec(
    name: "peers", value: "N", help: Phrase("until at least N peers are connected", "다른 기기 N대 이상이 연결될 때까지"))
  static let timeout = OptionSpec(
    name: "timeout", value: "SECONDS",
    help: Phrase(
      "how long to wait before giving up with exit status 4 (default: 30)",
      "종료 상태 4로 그만두기 전에 기다릴 시간, 초(기본값: 30)"))

  // MARK: The sandbox store

  static let store = OptionSpec(
    name: "store", value: "URL",
    help:
      Phrase(
        "a sandbox store on this machine, as `peerd store` prints it; for the sandbox environment "
          + "(default: the device signs for itself)",
        "이 컴퓨터의 샌드박스 스토어 주소(`peerd store` 명령이 출력). sandbox 환경에서만(기본값: 기기가 직접 서명)"))
  static let account = OptionSpec(
    name: "account", value: "ID",
    help: Phrase(
      "whose purchases they are in the store (default: customer@example.com)",
      "스토어에서 구입하는 계정(기본값: customer@example.com)"))
  static let ofAccount = OptionSpec(
    name: "account", value: "ID",
    help: Phrase(
      "whose purchase is meant (default: the newest one of anybody, or to buy: customer@example.com)",
      "어느 계정의 구입인지(기본값: 모든 계정 가운데 최신, 구입할 때는 customer@example.com)"))
  static let moodAccount = OptionSpec(
    name: "account", value: "ID",
    help: Phrase("whose purchases are meant (default: everybody's)", "어느 계정의 구입인지(기본값: 모든 계정)"))
  static let waitingAccount = OptionSpec(
    name: "account", value: "ID",
    help: Phrase(
      "whose purchase is meant (default: the oldest of anybody)", "어느 계정의 구입인지(기본값: 모든 계정 가운데 가장 오래된 것)"))
  static let namedAccount = OptionSpec(
    name: "account", value: "ID",
    help: Phrase("an account in the place of ACCOUNT (default: ACCOUNT)", "ACCOUNT 대신 쓸 계정(기본값: ACCOUNT)"))
  static let shownAccount = OptionSpec(
    name: "account", value: "ID",
    help: Phrase("show what is of this account (default: everything)", "이 계정의 것만 보기(기본값: 모두)"))
  static let toldAccount = OptionSpec(
    name: "account", value: "ID",
    help: Phrase(
      "tell what it means for this account (default: for everybody)", "이 계정에 생긴 변화만 알림(기본값: 모든 계정)"))
  static let offersAccount = OptionSpec(
    name: "account", value: "ID",
    help: Phrase(
      "list the offers that this account may have now (default: all)", "이 계정이 지금 쓸 수 있는 혜택만 보기(기본값: 모두)"))
  static let last = OptionSpec(
    name: "last", value: "N",
    help: Phrase(
      "how many of the newest purchases and notifications (default: \(SandboxView.usual))",
      "보여 줄 최신 구입과 알림의 개수(기본값: \(SandboxView.usual))"))
  static let timeRate = OptionSpec(
    name: "time-rate", value: "RATE",
    help:
      Phrase(
        "real, sandbox (a month takes 5 minutes), manual (only `peerd store advance` moves the clock), or how many times shorter periods are (default: that of the .storekit file, else as before, else real)",
        "real(실제), sandbox(한 달이 5분), manual(`peerd store advance` 명령으로만 진행), 또는 기간을 몇 배 짧게 "
          + "할지(기본값: .storekit 파일의 값, 없으면 이전 값, 없으면 real)")
  )
  static let begin = OptionSpec(
    name: "begin", value: "TIME",
    help:
      Phrase(
        "what the clock of a new store shows first, such as 2026-01-01; in the past, give devices a clock as early with their --clock-offset (default: the present time)",
        "새 스토어의 시계가 처음 가리킬 시각, 예: 2026-01-01. 과거로 하면 기기의 시계도 --clock-offset 옵션으로 그만큼 늦추세요(기본값: " + "지금)")
  )
  static let notify = OptionSpec(
    name: "notify", value: "URL",
    help:
      Phrase(
        "where App Store Server Notifications are posted, http on this machine; may repeat (default: nowhere)",
        "App Store Server Notifications를 보낼 이 컴퓨터의 http 주소. 여러 번 쓸 수 있음(기본값: 보내지 않음)"),
    repeats: true)
  static let percent = OptionSpec(
    name: "percent", value: "N",
    help: Phrase(
      "refund this part alone, prorated, 1 to 100 (default: all of it)", "일부만 환불할 때의 백분율, 1~100(기본값: 전부)"))
  static let once = OptionSpec(
    name: "once", value: nil,
    help: Phrase("for the next purchase only (default: for all)", "다음 구입에만 적용(기본값: 모두)"))
  static let consent = OptionSpec(
    name: "consent", value: nil,
    help: Phrase("subscribers have to agree (default: they are told)", "구독자의 동의가 필요함(기본값: 알리기만 함)"))
}
