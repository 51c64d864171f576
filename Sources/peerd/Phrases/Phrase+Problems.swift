import PeerSync

// What to do on the command line about what a daemon refuses: the API itself knows nothing of commands.
extension Phrase {
  /// What to do, where a command does it.
  static func remedy(_ code: Problem.Code) -> Phrase? {
    switch code {
    case .unknownProduct:
      Phrase("`peerd products` lists what there is", "`peerd products` 명령으로 상품을 볼 수 있습니다")
    case .unknownTransaction:
      Phrase("`peerd transactions` lists them", "`peerd transactions` 명령으로 거래를 볼 수 있습니다")
    case .unknownDevice: Phrase("`peerd devices` lists them", "`peerd devices` 명령으로 기기를 볼 수 있습니다")
    case .storeUnreachable:
      Phrase(
        "start the store with `peerd store`, or name another with `peerd config store URL`",
        "`peerd store` 명령으로 스토어를 시작하거나 `peerd config store URL` 명령으로 다른 스토어를 지정하세요")
    case .notListening:
      Phrase(
        "`peerd config listen HOST:PORT` or `peerd config lan yes`, then start it again",
        "`peerd config listen HOST:PORT` 또는 `peerd config lan yes` 명령 뒤에 다시 시작하세요")
    case .offline: Phrase("run `peerd online` first", "먼저 `peerd online` 명령을 실행하세요")
    case .removed:
      Phrase(
        "make a new device with `peerd init` and let it join", "`peerd init` 명령으로 새 기기를 만들어 그룹에 들어가게 하세요")
    case .notAdmitted:
      Phrase(
        "`peerd invite` on the other device makes a new invitation", "다른 기기에서 `peerd invite` 명령으로 새로 초대하세요")
    default: nil
    }
  }

  /// The same of a sandbox store, whose codes are the same and whose commands are others.
  static func storeRemedy(_ code: Problem.Code) -> Phrase? {
    switch code {
    case .unknownProduct:
      Phrase("`peerd store products` lists what it sells", "`peerd store products` 명령으로 상품을 볼 수 있습니다")
    case .unknownTransaction, .invalidValue, .storeRefused:
      Phrase(
        "`peerd store show` and `peerd store products` tell what there is",
        "`peerd store show`, `peerd store products` 명령으로 확인할 수 있습니다")
    default: nil
    }
  }
}
