// Why an item of the store does not count, for people.
extension JWSRejection {
  /// ``description``, in every language. What a library says in its own words stays as it is.
  package var told: Phrase { Phrase(description, korean) }

  private var korean: String {
    switch self {
    case .tooLong: "텍스트가 \(Limits.jwsBytes)바이트보다 길거나, 알림이 \(Limits.notificationBytes)바이트보다 깁니다"
    case .notThreeParts: "텍스트가 점 두 개로 나뉜 세 부분이 아닙니다"
    case .notBase64(let part): "\(part.korean) 부분이 채움 문자와 공백이 없는 base64url이 아닙니다"
    case .notJSON(let part, let problem): "\(part.korean) 부분이 JSON 객체가 아닙니다: \(problem)"
    case .wrongAlgorithm: "알고리즘이 ES256이 아닙니다"
    case .unknownExtension(let name): "헤더에 여기서 알 수 없는 \"\(name)\" 항목이 있습니다"
    case .wrongChainLength: "헤더의 인증서가 정확히 세 개가 아닙니다"
    case .signedByXcode: "Xcode가 자체 인증서로 서명하여 아무도 확인할 수 없습니다. Apple의 샌드박스에서 구입하세요"
    case .notCertificate(let place): "\(place.korean) 인증서가 DER 인증서 하나의 base64가 아닙니다"
    case .untrustedRoot: "세 번째 인증서가 신뢰하는 루트 인증서가 아닙니다"
    case .missingMarker(let place): "\(place.korean) 인증서에 스토어의 표시가 없습니다"
    case .invalidPath(let words): "서명할 때 인증서 체인이 유효하지 않았습니다: \(words)"
    case .leafIsAuthority: "서명한 인증서가 인증 기관의 것입니다"
    case .wrongKey: "서명한 키가 P-256 곡선의 키가 아닙니다"
    case .badSignature: "첫 번째 인증서의 키로 서명한 것이 아닙니다"
    case .unknownKind: "내용이 거래, 갱신 정보, 알림 가운데 어느 것도 아닙니다"
    case .otherKind: "내용의 종류가 다릅니다"
    case .missing(let field): "\"\(field)\" 필드가 없습니다"
    case .wrong(let field): "\"\(field)\" 필드의 형식이 틀리거나 범위를 벗어났습니다"
    case .otherBundle: "다른 앱의 것입니다"
    case .otherEnvironment: "다른 환경의 것입니다"
    case .nested(let field, let inner): "\(field): \(inner.korean)"
    case .malformed: "레지스터에 서명된 항목이 없습니다"
    case .unsigned: "아무도 서명하지 않았습니다"
    case .contradictsRegister: "서명된 내용이 그것을 담은 레지스터와 어긋납니다"
    case .pending: "일부가 아직 도착하지 않았습니다"
    }
  }
}

extension JWSRejection.Part {
  fileprivate var korean: String {
    switch self {
    case .header: "헤더"
    case .payload: "내용"
    case .signature: "서명"
    }
  }
}

extension JWSRejection.Place {
  fileprivate var korean: String {
    switch self {
    case .leaf: "첫 번째"
    case .intermediate: "두 번째"
    case .root: "세 번째"
    }
  }
}
