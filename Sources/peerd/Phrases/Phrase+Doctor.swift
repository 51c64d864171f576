import PeerSync

// What `peerd doctor` finds, and what to do about it.
extension Phrase {
  static let okMark = Phrase("ok     ", "정상")
  static let warningMark = Phrase("warning", "경고")
  static let failureMark = Phrase("failure", "오류")

  /// What was looked at, by its name in `--json`; that of another device stands behind `peer`.
  package static func check(_ id: String) -> Phrase {
    let korean = [
      "device": "기기", "space": "빈 공간", "settings": "설정", "daemon": "데몬", "database": "데이터베이스", "port": "포트",
      "addresses": "주소", "multicast": "멀티캐스트", "avahi": "Avahi", "firewall": "방화벽", "clock": "컴퓨터의 시계",
      "store": "스토어", "time": "시각", "group": "그룹", "dial-back": "되걸기", "status": "상태", "version": "버전",
    ]
    if id.hasPrefix("peer ") { return Phrase(id, "‘\(id.dropFirst(5))’ 기기") }
    return Phrase(id, korean[id] ?? id)
  }

  static func noDeviceIn(_ path: String) -> Phrase {
    Phrase("there is no device in \(path)", "\(path)에 기기가 없습니다")
  }

  static func makeDevice(_ path: String) -> Phrase {
    Phrase("make one with `peerd init --data \(path)`", "`peerd init --data \(path)` 명령으로 만드세요")
  }

  static func isStore(_ path: String) -> Phrase {
    Phrase("\(path) holds a sandbox store and no device", "\(path)에는 기기가 아니라 샌드박스 스토어가 있습니다")
  }

  static let nameDevice = Phrase(
    "name a device's directory with --data; `peerd store show` tells how a store stands",
    "--data 옵션으로 기기의 디렉터리를 지정하세요. 스토어는 `peerd store show` 명령으로 볼 수 있습니다")

  static func ownersAlone(_ path: String) -> Phrase {
    Phrase("\(path) is its owner's alone", "\(path) 디렉터리는 소유자만 쓸 수 있습니다")
  }

  static func changeModes(_ path: String) -> Phrase {
    Phrase(
      "chmod 700 \(path), and chmod 600 the file named, if it is yours",
      "자신의 것이면 chmod 700 \(path), 앞의 파일은 chmod 600 명령을 쓰세요")
  }

  static let bringStoreBack = Phrase(
    "keep what is left of the store: the daemon does not start without the rest",
    "남은 스토어 파일을 그대로 두세요. 나머지가 없으면 데몬이 시작되지 않습니다")

  static let bringRootBack = Phrase(
    "bring it back from a backup, or remove it: then what that store has sold does not count here",
    "백업에서 되돌리거나 지우세요. 지우면 그 스토어에서 판 것이 여기서 계산되지 않습니다")
  static let mendFirst = Phrase(
    "the daemon does not start before that is mended", "이 문제를 해결하기 전에는 데몬이 시작되지 않습니다")

  static let roomUnknown = Phrase("the room on the disk cannot be told", "디스크의 빈 공간을 알 수 없습니다")
  static func checkThere(_ path: String) -> Phrase {
    Phrase("check that \(path) is there", "\(path) 디렉터리가 있는지 확인하세요")
  }

  static func room(_ mebibytes: UInt64) -> Phrase {
    Phrase("\(mebibytes) MiB are free", "빈 공간 \(mebibytes) MiB")
  }
  static let makeRoom = Phrase(
    "make room: a daemon stops when the disk is full", "공간을 확보하세요. 디스크가 가득 차면 데몬이 멈춥니다")
  static let makeRoomSoon = Phrase("make room soon", "곧 공간을 확보하세요")

  static let databaseWhole = Phrase(
    "it is whole, and every checksum fits", "손상되지 않았고, 모든 체크섬이 맞습니다")
  static func databaseDamaged(_ what: Phrase) -> Phrase {
    Phrase("it is damaged: ", "손상되었습니다: ") + what
  }

  static let startToMend = Phrase(
    "start the daemon: it leaves out what is spoilt, says so, and peers bring it back",
    "데몬을 시작하세요. 손상된 것을 빼고 알린 뒤, 다른 기기에서 다시 가져옵니다")

  static let restartToMend = Phrase(
    "restart the daemon: it leaves out what is spoilt, says so, and peers bring it back",
    "데몬을 다시 시작하세요. 손상된 것을 빼고 알린 뒤, 다른 기기에서 다시 가져옵니다")
  static let databaseOlder = Phrase(
    "it is whole, and of an older peerd, without all of its checksums",
    "손상되지 않았지만 이전 peerd로 만들어 체크섬이 다 있지는 않습니다")
  static let startToBringUp = Phrase(
    "start the daemon once, then ask again", "데몬을 한 번 시작한 뒤 다시 확인하세요")
  static let databaseBusy = Phrase(
    "it changes so fast that it could not be looked at", "바뀌는 속도가 빨라 확인하지 못했습니다")
  static let askAgain = Phrase("ask again later, or stop the daemon first", "나중에 다시 하거나, 먼저 데몬을 멈추세요")

  static let listensNot = Phrase(
    "it does not listen, so no device can dial it or join it", "연결을 받지 않아 다른 기기가 연결하거나 그룹에 들어올 수 없습니다")
  static func letListen(_ directory: String) -> Phrase {
    let config = "peerd config --data \(directory)"
    return Phrase(
      "`\(config) listen HOST:PORT` or `\(config) lan yes`, then start it again",
      "`\(config) listen HOST:PORT` 또는 `\(config) lan yes` 명령 뒤에 다시 시작하세요")
  }
  static func listens(on address: String) -> Phrase {
    Phrase("it listens on \(address)", "\(address)에서 연결을 받습니다")
  }
  static func isFree(_ address: String) -> Phrase { Phrase("\(address) is free", "\(address) 주소를 쓸 수 있습니다") }
  static func cannotListen(on address: String, _ reason: Phrase) -> Phrase {
    Phrase("it cannot listen on \(address): ", "\(address)에서 연결을 받을 수 없습니다: ") + reason
  }

  static func otherPort(_ directory: String) -> Phrase {
    let command = "peerd config --data \(directory) listen HOST:PORT"
    return Phrase(
      "stop what uses it (`ss -ltnp`), or choose another with `\(command)`",
      "그 주소를 쓰는 프로그램을 멈추거나(`ss -ltnp`) `\(command)` 명령으로 다른 주소를 고르세요")
  }

  static let addressesUnknown = Phrase("the system does not say which there are", "시스템의 주소를 알 수 없습니다")
  static let lookWithIP = Phrase("look with `ip address`", "`ip address` 명령으로 확인하세요")
  static func onlyHere(_ address: String) -> Phrase {
    Phrase("only this machine reaches \(address)", "\(address)에는 이 컴퓨터에서만 연결할 수 있습니다")
  }

  static func listenElsewhere(_ directory: String) -> Phrase {
    let command = "peerd config --data \(directory) listen [::]:7400"
    return Phrase(
      "for devices elsewhere `\(command)`, then start it again",
      "다른 컴퓨터의 기기를 위해서는 `\(command)` 명령 뒤에 다시 시작하세요")
  }
  static let noAddress = Phrase("this machine has no address on a network", "이 컴퓨터에 네트워크 주소가 없습니다")
  static let oneLink = Phrase(
    "this machine has addresses of one link alone (169.254.0.0/16, fe80::/10)",
    "이 컴퓨터에는 한 링크에서만 쓰이는 주소(169.254.0.0/16, fe80::/10)뿐입니다")
  static let oneLinkDoes = Phrase(
    "devices on that link find each other; for others connect it to a network",
    "그 링크의 기기끼리는 서로 찾습니다. 다른 기기를 위해서는 네트워크에 연결하세요")
  static func discoverOnLink(_ directory: String) -> Phrase {
    let command = "peerd config --data \(directory) lan yes"
    return Phrase(
      "devices on that link find each other after `\(command)`; for others connect it to a network",
      "`\(command)` 명령을 쓰면 그 링크의 기기끼리는 서로 찾습니다. 다른 기기를 위해서는 네트워크에 연결하세요")
  }
  static let connectNetwork = Phrase("connect it to one", "네트워크에 연결하세요")
  static func told(_ addresses: String) -> Phrase {
    Phrase("others are told \(addresses)", "다른 기기에 알리는 주소: \(addresses)")
  }

  static func reached(by name: String, at addresses: String) -> Phrase {
    Phrase("\(name) reached this device at \(addresses)", "\(name)에서 이 기기에 연결됨: \(addresses)")
  }

  static func notReached(at addresses: String) -> Phrase {
    Phrase(", and not at \(addresses)", ". 연결되지 않은 주소: \(addresses)")
  }

  static func reachedNowhere(by name: String, _ addresses: String) -> Phrase {
    Phrase(
      "\(name) does not reach this device at \(addresses)", "\(name)에서 이 기기에 연결할 수 없음: \(addresses)")
  }

  static let openPort = Phrase(
    "let the firewall of this device, and of what lies between, take TCP connections to that port; until then this device has to dial "
      + "the others",
    "이 기기와 그 사이의 방화벽이 그 포트로 오는 TCP 연결을 받게 하세요. 그때까지는 이 기기가 다른 기기에 연결해야 합니다")

  static func dialBackUnknown(_ name: String) -> Phrase {
    Phrase(
      "\(name) was asked to dial this device, and did not answer or knows of no address",
      "\(name)에 이 기기로 연결해 보라고 했으나, 대답이 없거나 아는 주소가 없습니다")
  }

  static func runs(_ program: String?) -> Phrase {
    guard let program else { return .same("") }
    return Phrase(", runs version \(program)", ", 버전 \(program)")
  }
  static func multicast(on names: String) -> Phrase { Phrase("possible on \(names)", "\(names)에서 가능합니다") }
  static func multicastNot(on name: String) -> Phrase {
    Phrase("\(name) is not up, or takes none", "\(name) 인터페이스가 꺼져 있거나 지원하지 않습니다")
  }

  static func multicastNot(onOthers names: String) -> Phrase {
    Phrase(", not on \(names)", ". \(names)에서는 안 됩니다")
  }

  static let multicastNowhere = Phrase(
    "no interface that is up takes it", "켜져 있는 인터페이스 가운데 지원하는 것이 없습니다")
  static let notNeeded = Phrase("; it is not needed", ". 필요하지 않습니다")
  static let findByAddress = Phrase(
    "connect the network, or find devices by --peer HOST:PORT", "네트워크에 연결하거나 --peer HOST:PORT 옵션으로 기기를 찾으세요")

  static func avahiOff(isThere: Bool) -> Phrase {
    isThere
      ? Phrase("it runs; discovery is off", "실행 중입니다. 찾기는 꺼져 있습니다")
      : Phrase("it does not run; discovery is off", "실행 중이 아닙니다. 찾기는 꺼져 있습니다")
  }

  static let avahiMissing = Phrase(
    "avahi-daemon does not run, so devices do not find each other", "avahi-daemon이 실행 중이 아니어서 기기들이 서로 찾지 못합니다"
  )
  static let installAvahi = Phrase(
    "install and start it: sudo apt-get install avahi-daemon", "설치하고 시작하세요: sudo apt-get install avahi-daemon"
  )
  static func avahiForbids(_ settings: String) -> Phrase {
    Phrase("its configuration forbids to announce: \(settings)", "설정에서 알림을 금지했습니다: \(settings)")
  }

  static let changeAvahi = Phrase(
    "change /etc/avahi/avahi-daemon.conf and restart avahi-daemon",
    "/etc/avahi/avahi-daemon.conf 파일을 고치고 avahi-daemon을 다시 시작하세요")
  static let avahiAllows = Phrase(
    "it runs, and its configuration allows to announce", "실행 중이고, 설정에서 알림을 허용합니다")

  static func firewallOn(_ name: String) -> Phrase { Phrase("\(name) is on", "\(name) 방화벽이 켜져 있습니다") }
  static func letIn(_ command: String) -> Phrase {
    Phrase("let peers in: \(command)", "다른 기기를 허용하세요: \(command)")
  }
  static let noFirewall = Phrase(
    "neither ufw nor firewalld is on; rules of nftables are not looked at",
    "ufw와 firewalld가 꺼져 있습니다. nftables 규칙은 확인하지 않습니다")

  static let clockKept = Phrase("a time service keeps it", "시각 서비스가 시계를 맞춥니다")
  static let clockNotKept = Phrase("no time service was found that keeps it", "시계를 맞추는 시각 서비스가 없습니다")
  static let keepClock = Phrase(
    "turn a time service on: sudo timedatectl set-ntp true", "시각 서비스를 켜세요: sudo timedatectl set-ntp true")

  static let clockBehind = Phrase(
    "this device's clock is behind what others vouch for", "이 기기의 시계가 다른 기기가 보증한 시각보다 늦습니다")
  static let setClock = Phrase("set the clock; see `peerd time`", "시계를 맞추세요. `peerd time` 명령을 보세요")
  static let clockCounts = Phrase("this device's clock counts", "이 기기의 시계를 따릅니다")

  static let alone = Phrase(
    "it is alone in its group: what is lost here is lost", "그룹에 혼자 있어, 여기서 잃으면 되찾을 수 없습니다")
  static let isRemoved = Phrase(
    "it was removed from its group: what it decides counts nowhere else",
    "그룹에서 제거되었습니다. 여기서 정한 것은 다른 곳에서 계산되지 않습니다")
  static let makeAnother =
    Phrase("make a new device in another directory: ", "다른 디렉터리에 새 기기를 만들어 그룹에 들어가게 하세요: ") + .newDevice
  static let invite = Phrase(
    "`peerd invite` here, and `peerd join` on another device",
    "여기서 `peerd invite`, 다른 기기에서 `peerd join` 명령을 쓰세요")
  static func othersConnected(_ count: Int, of all: Int) -> Phrase {
    Phrase(
      "\(count) of \(all) other device\(all == 1 ? "" : "s") connected",
      "다른 기기 \(all)대 가운데 \(count)대가 연결되었습니다")
  }

  static let startAnother = Phrase("start a daemon on another device", "다른 기기에서 데몬을 시작하세요")
  static let goOnline = Phrase("this device is offline: `peerd online`", "이 기기는 오프라인입니다: `peerd online`")

  static func seen(_ ago: String?) -> Phrase {
    ago.map { Phrase("last seen \($0)", "마지막 연결 \($0)") } ?? Phrase("never seen", "연결한 적 없음")
  }

  static func itsClock(_ skew: Phrase?) -> Phrase {
    skew.map { Phrase(", its clock ", ", 그 시계 ") + $0 } ?? Phrase(", clock not known", ", 그 시계는 알 수 없음")
  }

  static func isConnected(at address: String?) -> Phrase {
    Phrase("connected\(address.map { " at \($0)" } ?? "")", "연결됨\(address.map { "(\($0))" } ?? "")")
  }

  static let notConnected = Phrase("not connected, ", "연결 안 됨, ")
  static func at(_ address: String?) -> Phrase {
    address.map { Phrase(", at \($0)", ", 주소 \($0)") } ?? Phrase(", no address known", ", 주소를 알 수 없음")
  }

  static let setWrongClock = Phrase(
    "set the clock that is wrong; see `peerd time`", "틀린 시계를 맞추세요. `peerd time` 명령을 보세요")
  static let startOrRemove = Phrase(
    "start its daemon, or `peerd remove` it if it is gone", "그 기기의 데몬을 시작하거나, 없어졌으면 `peerd remove` 명령으로 제거하세요"
  )

  static let noDaemonRuns = Phrase(
    "none is running; what only it can tell is left out", "실행 중이 아닙니다. 데몬만 알 수 있는 것은 뺐습니다")
  static let daemonAnswers = Phrase("it runs, and answers", "실행 중이고 응답합니다")
  static func daemonFails(_ reason: Phrase) -> Phrase {
    Phrase("it does not answer as it should: ", "제대로 응답하지 않습니다: ") + reason
  }

  static let restart = Phrase("stop it and start it again", "멈추고 다시 시작하세요")
  static func mendSettings(_ path: String) -> Phrase {
    Phrase("mend or remove \(path)", "\(path) 파일을 고치거나 지우세요")
  }

  static func storeAnswers(_ url: String) -> Phrase {
    Phrase("the store at \(url) answers", "\(url) 스토어가 응답합니다")
  }

  static func storeSilent(_ url: String) -> Phrase {
    Phrase("the store at \(url) does not answer", "\(url) 스토어가 응답하지 않습니다")
  }

  static func startStore(at address: String) -> Phrase {
    Phrase(
      "start it with `peerd store --data DIR --http \(address)`",
      "`peerd store --data DIR --http \(address)` 명령으로 시작하세요")
  }
}
