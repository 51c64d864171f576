import PeerSync
import PeerSyncSimulation

// Options of the tools for developers.
extension OptionSpec {
  // MARK: simulate

  static let seed = OptionSpec(
    name: "seed", value: "S",
    help: Phrase(
      "the seed; the same seed gives the same run (default: a fresh one, printed)",
      "시드. 시드가 같으면 실행도 같음(기본값: 새 시드, 출력됨)"))
  static let simulated = OptionSpec(
    name: "simulated", value: nil,
    help: Phrase("play it in virtual time (default: by real processes)", "가상 시간에 재생(기본값: 실제 프로세스로)"))
  static let seeds = OptionSpec(
    name: "seeds", value: "N",
    help: Phrase("how many seeds, counting up (default: 1)", "차례로 실행할 시드의 개수(기본값: 1)"))
  static let simulatedDevices = OptionSpec(
    name: "devices", value: "N", help: Phrase("how many devices (default: 3)", "기기의 수(기본값: 3)"))
  static let hours = OptionSpec(
    name: "hours", value: "H",
    help: Phrase("virtual time, in hours (default: 24)", "가상 시간의 길이, 시간 단위(기본값: 24)"))
  static let minutes = OptionSpec(
    name: "minutes", value: "M",
    help: Phrase("virtual time, in minutes (default: 24 hours)", "가상 시간의 길이, 분 단위(기본값: 24시간)"))
  static let rareFaults = OptionSpec(
    name: "faults", value: "LIST",
    help: Phrase(
      "what else goes wrong: any of these, with commas between, or all (default: none of them)",
      "더 잘못될 것: 다음 가운데 여럿을 쉼표로 나누거나 all(기본값: 없음)"),
    choices: RareFault.allCases.map { ($0.rawValue, $0.told) })

  // MARK: explore

  static let exploredStates = OptionSpec(
    name: "states", value: "N",
    help: Phrase("how many states at most (default: 100000)", "상태의 최대 개수(기본값: 100000)"))
  static let depth = OptionSpec(
    name: "depth", value: "N", help: Phrase("longest path, in steps (default: 40)", "가장 긴 경로의 단계 수(기본값: 40)"))
  static let spends = OptionSpec(
    name: "spends", value: "N", help: Phrase("how often somebody spends (default: 2)", "크레딧을 쓰는 횟수(기본값: 2)"))
  static let decisions = OptionSpec(
    name: "decisions", value: "N",
    help: Phrase("how often somebody sets a value (default: 1)", "값을 정하는 횟수(기본값: 1)"))
  static let removals = OptionSpec(
    name: "removals", value: "N",
    help: Phrase("how often somebody removes a device (default: 1)", "기기를 제거하는 횟수(기본값: 1)"))
  static let crashes = OptionSpec(
    name: "crashes", value: "N", help: Phrase("how often a device dies (default: 1)", "기기가 죽는 횟수(기본값: 1)"))
}

extension RareFault {
  /// ``summary``, in every language.
  fileprivate var told: Phrase { Phrase(summary, korean) }

  private var korean: String {
    switch self {
    case .removals: "기기가 제거됨"
    case .backups: "디스크가 이전 상태로 되돌려짐"
    case .copies: "실행 중인 기기가 복사됨"
    case .dishonesty: "그룹의 한 기기가 다른 기기에 마음대로 거짓을 말함"
    case .fullSets: "그룹의 한 기기가 구성원 기록을 한도까지 채움"
    case .catalogues: "상품이 바뀜"
    case .databases: "데이터베이스만 되돌려짐"
    case .rot: "데이터베이스의 행이 사라짐"
    case .reclaims: "사람이 크레딧을 넘겨받게 함"
    case .imports: "다른 기기에서 내보낸 것을 사람이 가져옴"
    case .store: "샌드박스 스토어가 팔고, 갱신하고, 환불함"
    case .oneWay: "링크가 한 방향으로만 전달함"
    case .clocks: "여러 시계가 똑같이 틀림"
    case .lives: "기기의 저장소가 수십 번 새로 시작됨"
    }
  }
}
