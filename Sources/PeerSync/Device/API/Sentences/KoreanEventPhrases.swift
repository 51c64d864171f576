/// What happened, in Korean. Names stand in quotation marks with a noun behind them, so that particles fit whatever they end in.
struct KoreanEventPhrases: EventPhrases {
  let dates: SentenceDates

  func standing(_ entitlement: EntitlementAnswer) -> String {
    guard entitlement.active else { return "\(entitlement.id) 이용 불가" }
    return entitlement.expires.map { "\(entitlement.id) \(dates.day($0))까지" } ?? "\(entitlement.id) 이용 가능"
  }

  func covered(_ line: String, until date: String) -> String {
    "‘\(line)’ 이용 기간 \(date)까지"
  }

  func bought(_ product: String, _ quantity: Int, by name: String?) -> String {
    (name.map { "‘\($0)’ 기기에서 " } ?? "") + "‘\(product)’ 상품을 " + (quantity > 1 ? "\(quantity)개 " : "")
      + "구입했습니다"
  }

  func renewed(_ product: String) -> String { "스토어에서 ‘\(product)’ 구독을 갱신했습니다" }

  func refunded(_ product: String, by name: String?) -> String {
    name.map { "‘\($0)’ 기기에서 ‘\(product)’ 구입을 환불했습니다" } ?? "‘\(product)’ 구입이 환불되었습니다"
  }

  func spent(_ amount: Int64, of credit: String, by name: String?) -> String {
    "\(somebody(name))에서 ‘\(credit)’ 크레딧 \(amount)개를 사용했습니다"
  }

  func reclaimed(_ amount: Int64, of credit: String, by name: String?, counts: Bool, isNamed: Bool) -> String
  {
    somebody(name) + (isNamed ? "가 알린 다른 기기" : "") + "에서 분실된 기기의 ‘\(credit)’ 크레딧 \(amount)개를 넘겨받았"
      + (counts ? "습니다" : "지만, 그 기기는 분실되지 않았으므로 인정되지 않습니다")
  }

  func granted(_ entitlement: String, until date: String?, by name: String?) -> String {
    "\(somebody(name))에서 ‘\(entitlement)’ 권한을 " + (date.map { "\($0)까지 " } ?? "") + "부여했습니다"
  }

  func revoked(_ entitlement: String, by name: String?) -> String {
    "\(somebody(name))에서 ‘\(entitlement)’ 권한의 부여를 취소했습니다"
  }

  func dated(_ line: String, until date: String?, by name: String?) -> String {
    "\(somebody(name))에서 ‘\(line)’ 이용 기간을 " + (date.map { "\($0)까지로 정했습니다" } ?? "없앴습니다")
  }

  func stated(_ product: String, by name: String?) -> String {
    "\(somebody(name))에서 ‘\(product)’ 상품을 카탈로그에 넣었습니다"
  }

  func set(_ key: String, to value: String, by name: String?) -> String {
    "\(somebody(name))에서 ‘\(key)’ 값을 ‘\(value)’ 내용으로 정했습니다"
  }

  func joined(_ device: String, by name: String?) -> String {
    name.map { "‘\($0)’ 기기에서 ‘\(device)’ 기기를 그룹에 받아들였습니다" } ?? "‘\(device)’ 기기에서 그룹을 만들었습니다"
  }

  func renamed(_ device: String, to name: String) -> String { "‘\(device)’ 기기의 이름이 이제 ‘\(name)’입니다" }

  func renamed(id: String, to name: String) -> String { "\(id) 기기의 이름이 이제 ‘\(name)’입니다" }

  func removed(_ device: String, by name: String?, isLeaving: Bool) -> String {
    if isLeaving { return "‘\(device)’ 기기가 그룹을 떠났습니다" }
    return (name.map { "‘\($0)’ 기기에서 " } ?? "") + "‘\(device)’ 기기를 그룹에서 제거했습니다"
  }

  func accepted(_ device: String?) -> String {
    (device.map { "‘\($0)’ 기기" } ?? "이 기기") + "의 시계가 맞다고 사용자가 확인했습니다"
  }

  func ended(_ entitlement: String, _ date: String?) -> String {
    "‘\(entitlement)’ 권한이 " + (date.map { "\($0)에 " } ?? "") + "끝났습니다"
  }

  func connection(_ device: String, isOpen: Bool) -> String {
    isOpen ? "‘\(device)’ 기기와 연결되었습니다" : "‘\(device)’ 기기와 연결이 끊겼습니다"
  }

  func warning(_ text: String, isOver: Bool) -> String { (isOver ? "해결됨: " : "경고: ") + text }

  private func somebody(_ name: String?) -> String { name.map { "‘\($0)’ 기기" } ?? "알 수 없는 기기" }
}
