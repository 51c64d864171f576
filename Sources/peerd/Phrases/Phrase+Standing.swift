import PeerSync

// How things stand: words in tables, and what `status`, `why`, `products` and `devices` say.
extension Phrase {
  static let yes = Phrase("yes", "예")
  static let no = Phrase("no", "아니요")
  static let unknown = Phrase("unknown", "알 수 없음")
  static let never = Phrase("never", "없음")
  static let thisDevice = Phrase("this device", "이 기기")
  static let online = Phrase("online", "온라인")
  static let offline = Phrase("offline", "오프라인")
  static let warning = Phrase("warning:", "경고:")

  static func active(_ isActive: Bool) -> Phrase {
    isActive ? Phrase("active", "이용 가능") : Phrase("inactive", "이용 불가")
  }

  static func isActive(_ id: String, _ state: String) -> Phrase {
    Phrase("\(id) is \(state)", "‘\(id)’ 권한: \(state)")
  }

  static func isActive(_ id: String, _ isActive: Bool) -> Phrase {
    let state = active(isActive)
    return Phrase("\(id) is \(state.text(in: .english))", "‘\(id)’ 권한: \(state.text(in: .korean))")
  }

  static func listening(on address: String) -> Phrase {
    Phrase(", listening on \(address)", ", \(address) 주소에서 연결 대기")
  }

  static func surroundings(_ environment: String, app: String, members: Int) -> Phrase {
    Phrase(
      "environment \(environment), app \(app), group of \(members)",
      "환경 \(environment), 앱 \(app), 그룹의 기기 \(members)대")
  }

  static func digest(_ digest: String) -> Phrase { Phrase("digest \(digest)", "다이제스트 \(digest)") }

  static func again(from date: String, isAgain: Bool) -> Phrase {
    isAgain ? Phrase("again from \(date)", "\(date)부터 다시") : Phrase("from \(date)", "\(date)부터")
  }

  /// The state of a subscription.
  static func state(of state: SubscriptionState) -> Phrase {
    switch state {
    case .subscribed: Phrase("subscribed", "구독 중")
    case .inGracePeriod: Phrase("grace period", "유예 기간")
    case .inBillingRetry: Phrase("billing retry", "결제 재시도")
    case .expired: Phrase("expired", "만료됨")
    case .revoked: Phrase("revoked", "취소됨")
    }
  }

  /// Why an entitlement holds or does not; `nothing` where a kind is not known here.
  static func reason(_ kind: Reason.Kind, _ id: String, left: Int64) -> Phrase {
    switch kind {
    case .nothing: Phrase("nothing gives it now", "지금 제공하는 것이 없음")
    case .bought: Phrase("bought: \(id)", "‘\(id)’ 상품 구입")
    case .credit: Phrase("\(left) of credit \(id) left", "‘\(id)’ 크레딧 \(left)개 남음")
    case .granted: Phrase("granted as \(id)", "‘\(id)’ 부여")
    case .grantEnded: Phrase("grant \(id) ended", "‘\(id)’ 부여가 끝남")
    case .covered: Phrase("line \(id) is covered", "‘\(id)’ 이용 기간 안")
    case .uncovered: Phrase("line \(id) is not covered now", "지금은 ‘\(id)’ 이용 기간이 아님")
    case .lineEnded: Phrase("line \(id) ended", "‘\(id)’ 이용 기간이 끝남")
    case .setToNone: Phrase("line \(id) was set to none", "‘\(id)’ 이용 기간을 없음으로 정함")
    case .subscribed: Phrase("subscribed: \(id)", "‘\(id)’ 구독 중")
    case .gracePeriod: Phrase("grace period of \(id)", "‘\(id)’ 구독의 유예 기간")
    case .subscriptionEnded: Phrase("subscription \(id) ended", "‘\(id)’ 구독이 끝남")
    }
  }

  /// Behind the first of several reasons.
  static func andMore(_ count: Int) -> Phrase { Phrase(" and \(count) more", " 외 \(count)가지") }

  /// How a transaction counted.
  static func counted(_ kind: Counted.Kind, _ amount: Int64, until date: String) -> Phrase {
    switch kind {
    case .startedRun: Phrase("started a run", "새 구간 시작")
    case .joinedRun: Phrase("joined the run", "구간을 이음")
    case .prorated: Phrase("refunded in part, \(amount) days left", "일부 환불, \(amount)일 남음")
    case .revoked: Phrase("refunded or revoked", "환불 또는 취소")
    case .covered: Phrase("covered by the explicit date", "정해진 날짜로 대신함")
    case .unknownProduct: Phrase("unknown product or period", "상품이나 기간을 알 수 없음")
    case .unverified: Phrase("unverified", "확인되지 않음")
    case .environmentMismatch: Phrase("of another environment or app", "다른 환경이나 앱의 거래")
    case .owned: Phrase("bought for good", "영구 구입")
    case .credits: Phrase("bought \(amount) credits", "크레딧 \(amount)개 구입")
    case .subscription: Phrase("paid until \(date)", "\(date)까지 구독")
    case .upgraded: Phrase("replaced by an upgrade", "업그레이드로 대체됨")
    }
  }

  static func expires(_ date: String) -> Phrase { Phrase("expires \(date)", "만료 \(date)") }
  static func ended(_ date: String) -> Phrase { Phrase("ended \(date)", "끝남 \(date)") }
  static func lineTitle(_ line: String) -> Phrase { Phrase("Line \(line)", "‘\(line)’ 이용 기간") }
  static func thenFrom(_ date: String) -> Phrase { Phrase("then from \(date)", "그 뒤 \(date)부터") }

  static func setToNone(_ line: String, _ date: String, by device: String?) -> Phrase {
    let (by, at) = (device.map { " by \($0)" } ?? "", device.map { "\($0)에서 " } ?? "")
    return Phrase(
      "the date of line \(line) was set to none\(by) at \(date)", "\(at)‘\(line)’ 이용 기간을 \(date)에 없음으로 정함")
  }

  static func explicitDate(written: String, by device: String?, for count: Int, _ date: String?) -> Phrase {
    let (by, at) = (device.map { " by \($0)" } ?? "", device.map { "\($0)에서 " } ?? "")
    return Phrase(
      "an explicit date, written \(written)\(by), stands in for \(count) purchase\(count == 1 ? "" : "s"): \(date ?? "no cover")",
      "\(at)\(written)에 정해진 날짜가 구입 \(count)건을 대신합니다: \(date ?? "이용 기간 없음")")
  }

  static func refundsChangeNothing(_ count: Int) -> Phrase {
    Phrase(
      count == 1
        ? "one of these was refunded, which does not change that date"
        : "\(count) of these were refunded, which does not change that date",
      "그 가운데 \(count)건이 환불되었지만 정해진 날짜는 바뀌지 않습니다")
  }

  /// What a purchase adds, as the daemon writes it: `+3 months`, `+1 month 12 days`.
  static func contribution(_ text: String) -> Phrase {
    let units = [("months", "개월"), ("month", "개월"), ("days", "일"), ("day", "일")]
    let korean = units.reduce(text) { $0.replacing(" " + $1.0, with: $1.1) }
    return Phrase(text, korean)
  }

  static let appleSaid = Phrase("Apple", "Apple")
  static let sandboxSaid = Phrase("a sandbox store", "샌드박스 스토어")
  static func nobodySaid(_ reason: Phrase?) -> Phrase {
    Phrase("nobody", "확인한 곳 없음") + (reason.map { Phrase.same(": ") + $0 } ?? .same(""))
  }

  /// - Parameter isNamed: a device did it that the one of the name has named
  static func takenOver(
    _ amount: Int64, of credit: String, by name: String, counts: Bool, isNamed: Bool
  ) -> Phrase {
    let who =
      isNamed ? Phrase("a device that \(name) names", "‘\(name)’ 기기가 알린 다른 기기") : Phrase(name, "‘\(name)’ 기기")
    let (english, korean) = (who.text(in: .english), who.text(in: .korean))
    guard counts else {
      return Phrase(
        "\(amount) of \(credit) were taken over by \(english) from a device that was not lost: that does not count",
        "\(korean)에서 ‘\(credit)’ 크레딧 \(amount)개를 넘겨받았지만, 원래 기기가 분실되지 않았으므로 인정되지 않습니다")
    }
    return Phrase(
      "\(amount) of \(credit) were taken over for good from a device that was lost, by \(english)",
      "\(korean)에서 분실된 기기의 ‘\(credit)’ 크레딧 \(amount)개를 완전히 넘겨받았습니다")
  }

  // MARK: Products and transactions

  static let buy = Phrase("Buy", "구입")
  static let renew = Phrase("Renew", "연장")
  static let owned = Phrase("Owned", "구입함")
  static let subscribed = Phrase("Subscribed", "구독 중")
  static let withdrawn = Phrase("Withdrawn", "판매 중단")
  static let noProducts = Phrase(
    "The catalogue is empty: `peerd catalogue add FILE` fills it, or meet a device that has one.",
    "카탈로그가 비어 있습니다. `peerd catalogue add FILE` 명령으로 채우거나, 카탈로그가 있는 기기와 연결하세요.")
  static let nothingYet = Phrase("nothing yet", "아직 없음")
  static let statedLater = Phrase(
    "`peerd status` says what those lack that give nothing yet; a file that says it is added with `peerd catalogue add FILE`.",
    "아직 아무것도 제공하지 않는 상품에 빠진 내용은 `peerd status` 명령의 경고에 있습니다. 그 내용을 넣은 파일을 `peerd catalogue add FILE` 명령으로 추가하세요."
  )
  static func span(_ span: String, of line: String) -> Phrase {
    Phrase("\(span) of \(line)", "\(line) \(span)")
  }
  /// How a transaction counted, by an entry of the catalogue that has a date.
  static func byEntry(from date: String) -> Phrase {
    Phrase(" by the entry from \(date)", " (\(date)부터의 항목 기준)")
  }
  static let always = Phrase("before", "그 전")
  /// How often a subscription renews.
  static func each(_ span: String) -> Phrase {
    Phrase("every \(span.hasPrefix("1 ") ? String(span.dropFirst(2)) : span)", "\(span)마다")
  }

  /// A count of `days`, `weeks`, `months` or `years`, by the letter of ISO 8601.
  static func span(_ count: Int, _ unit: Character) -> Phrase? {
    let plural = count == 1 ? "" : "s"
    return switch unit {
    case "D": Phrase("\(count) day\(plural)", "\(count)일")
    case "W": Phrase("\(count) week\(plural)", "\(count)주")
    case "M": Phrase("\(count) month\(plural)", "\(count)개월")
    case "Y": Phrase("\(count) year\(plural)", "\(count)년")
    default: nil
    }
  }

  static let nothingBought = Phrase("nothing was bought", "구입한 것이 없습니다")
  static let transactionStands = Phrase("stands", "유효")
  static let transactionRefunded = Phrase("refunded", "환불됨")
  static let transactionUnverified = Phrase("unverified", "확인 안 됨")
  static let nothingHappened = Phrase("nothing has happened", "일어난 일이 없습니다")
  static let nothingHappenedSince = Phrase("nothing has happened since then", "그 뒤로 일어난 일이 없습니다")
  static let noNotifications = Phrase(
    "no notification was taken in; `peerd ingest` takes them", "받은 알림이 없습니다. `peerd ingest` 명령으로 받습니다")

  static func removed(_ name: String, _ id: String) -> Phrase {
    Phrase("removed: \(name), \(id)", "제거됨: \(name), \(id)")
  }

  // MARK: Time

  static func time(_ now: String) -> Phrase {
    Phrase("time \(now), by this device's clock", "시각 \(now), 이 기기의 시계 기준")
  }

  static func timeAlone(_ now: String) -> Phrase {
    Phrase("time \(now), by this device's clock alone", "시각 \(now), 이 기기의 시계만으로")
  }

  static func vouches(_ name: String) -> Phrase { Phrase("; \(name) vouches for it", "; ‘\(name)’ 보증") }

  static func timeVouched(_ now: String, by name: String) -> Phrase {
    Phrase("time \(now), vouched for by \(name); ", "시각 \(now), ‘\(name)’ 보증; ")
  }

  static func clockSays(_ wall: String) -> Phrase {
    Phrase("this device's clock says \(wall)", "이 기기의 시계는 \(wall)")
  }

  static func clockAccepted(_ date: String) -> Phrase {
    Phrase("a person accepted its clock at \(date)", "\(date)에 사용자가 이 시계를 확인함")
  }

  static let theStore = Phrase("the store", "스토어")

  static func timeBy(_ now: String, voucher: String?) -> Phrase {
    Phrase(
      "time   \(now), by \(voucher.map { "what \($0) vouches for" } ?? "this device's clock")",
      "시각  \(now), \(voucher.map { "‘\($0)’ 보증 기준" } ?? "이 기기의 시계 기준")")
  }

  static func clockLine(_ wall: String) -> Phrase { Phrase("clock  \(wall)", "시계  \(wall)") }

  static let mayNotAccept = Phrase(
    "nobody may accept this clock: the app that made the device forbids it",
    "이 시계는 아무도 확인할 수 없습니다. 기기를 만든 앱에서 금지했습니다")
}
