import PeerSync

// What the daemon refuses, and what to do about it on the command line: the API itself knows nothing of commands.
extension Phrase {
  /// What was refused. In English the daemon says it more closely itself.
  static func problem(_ problem: Problem) -> Phrase {
    let korean = Phrase(problem.title, korean(problem.code)).text(in: .korean)
    let says = problem.detail != problem.title && saysMore(problem.code)
    return Phrase(problem.detail, says ? "\(korean) (\(problem.detail))" : korean)
  }

  /// Whether the code alone leaves open what is wrong: then the daemon's own words are added.
  private static func saysMore(_ code: Problem.Code) -> Bool {
    switch code {
    case .malformedRequest, .malformedBody, .invalidValue, .storeRefused, .storeUnreachable, .notAdmitted,
      .noEffect, .tooLarge, .spentOtherwise, .failed:
      true
    default: false
    }
  }

  private static func korean(_ code: Problem.Code) -> String {
    switch code {
    case .malformedRequest: "요청을 한 가지로 이해할 수 없습니다"
    case .lengthRequired: "본문의 길이가 없습니다"
    case .notFound: "이 경로에는 아무것도 없습니다"
    case .methodNotAllowed: "이 경로에 쓸 수 없는 메서드입니다"
    case .hostNotAllowed: "Host 헤더가 이 서버를 가리키지 않습니다"
    case .originNotAllowed: "다른 사이트의 페이지에서 온 요청입니다"
    case .tokenRequired: "토큰이 없거나 틀립니다"
    case .unsupportedMediaType: "본문이 application/json 형식이 아닙니다"
    case .headTooLarge: "요청의 헤더가 너무 큽니다"
    case .bodyTooLarge: "본문이 너무 큽니다"
    case .malformedBody: "본문의 형식이 맞지 않습니다"
    case .invalidValue: "값이 허용 범위를 벗어났습니다"
    case .unknownProduct: "카탈로그에 그런 상품이 없습니다"
    case .unknownTransaction: "그런 거래가 없습니다"
    case .unknownEntitlement: "그런 권한이 없습니다"
    case .unknownLine: "그런 이용 기간이 없습니다"
    case .unknownCredit: "그런 크레딧이 없습니다"
    case .unknownValue: "그런 값이 없습니다"
    case .notEnough: "이 기기에서 그만큼 쓸 수 없습니다"
    case .spentOtherwise: "같은 ID로 다른 양을 이미 썼습니다"
    case .notComplete: "그룹의 모든 기기가 연결되어 동기화되어야 합니다"
    case .storeRefused: "샌드박스 스토어에서 거절했습니다"
    case .storeUnreachable: "샌드박스 스토어에 연결할 수 없습니다"
    case .purchaseCancelled: "구입이 취소되었습니다"
    case .purchaseFailed: "결제가 거절되었습니다"
    case .realStore: "sandbox와 xcode 환경에서만 할 수 있습니다"
    case .notListening: "이 기기는 다른 기기의 연결을 받지 않습니다"
    case .notAdmitted: "초대한 기기에서 거절했습니다"
    case .unknownDevice: "그룹에 그런 기기가 없습니다"
    case .removed: "이 기기는 그룹에서 제거되었습니다"
    case .noEffect: "제거해도 달라지는 것이 없습니다"
    case .cloned: "이 기기의 다른 사본이 실행 중입니다"
    case .unreachable: "다른 기기에 연결할 수 없습니다"
    case .offline: "이 기기는 오프라인입니다"
    case .busy: "같은 작업이 이미 진행 중입니다"
    case .tooLarge: "이름이나 값이 너무 깁니다"
    case .tooFarAhead: "시각이 이 기기의 시계보다 너무 앞섭니다"
    case .ledgerFull: "이 기기의 기록이 가득 찼습니다"
    case .acceptForbidden: "이 기기의 시계는 아무도 확인할 수 없습니다"
    case .stopping: "데몬이 끝나는 중입니다"
    case .failed: "데몬에서 오류가 났습니다"
    }
  }

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
