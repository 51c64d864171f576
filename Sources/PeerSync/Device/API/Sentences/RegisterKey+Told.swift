// What registers are called, for people.
extension RegisterKey {
  /// The register.
  var told: Phrase {
    switch self {
    case .transaction(_, _, let id, _, _): Phrase("transaction \(id)", "거래 \(id)")
    case .renewalInfo(_, _, let id, _, _): Phrase("the renewal of \(id)", "\(id) 갱신 정보")
    case .expiration(let line): Phrase("the date of line '\(line)'", "‘\(line)’ 이용 기간의 날짜")
    case .grant(let entitlement, _): Phrase("a grant of '\(entitlement)'", "‘\(entitlement)’ 권한의 부여")
    case .product(let id): Phrase("product '\(id)'", "‘\(id)’ 상품")
    case .creditRow(let credit, _), .creditTransfer(let credit, _, _), .creditTaking(let credit, _, _),
      .creditLost(let credit, _, _),
      .creditSpend(let credit, _, _), .creditSpendAgain(let credit, _, _, _),
      .creditTransferAgain(let credit, _, _, _), .creditRowAgain(let credit, _, _),
      .creditTakingAgain(let credit, _, _):
      Phrase("a number of credit '\(credit)'", "‘\(credit)’ 크레딧의 수")
    case .value(let key): Phrase("value '\(key)'", "‘\(key)’ 값")
    case .storePart: Phrase("a part of signed items", "서명된 항목의 일부")
    case .deviceName: Phrase("the name of a device", "기기 이름")
    }
  }
}
