// What is refused, for people.
extension Problem: ToldError {
  /// What is wrong and what to do, in every language that it was told in.
  package var told: Phrase {
    let title = code.told.text(in: .korean)
    return Phrase(detail, detailInKorean ?? (detail == self.title ? title : "\(title) (\(detail))"))
  }
}

extension Problem.Code {
  /// ``title``, in every language.
  var told: Phrase { Phrase(title, titleInKorean) }

  private var titleInKorean: String {
    switch self {
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
    case .notCustodian: "그룹에서 가장 선임인 기기가 해야 합니다"
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
}
