import PeerSync
import PeerSyncSandbox
import PeerSyncSandboxServer

// What may happen in a sandbox store: the verbs of `peerd store`.
extension Grammar {
  // MARK: Purchases

  private static let number = OperandSpec(
    name: "NUMBER",
    help: Phrase(
      "which purchase, as in `peerd store show` (default: the oldest that waits)",
      "구입 번호(`peerd store show` 명령에 나옴, 기본값: 가장 오래 기다린 것)"),
    isOptional: true)

  private static let requireNumber: @Sendable (Values) throws(UsageError) -> Void = {
    values throws(UsageError) in
    guard let text = values.operand(0), UInt64(text) == nil else { return }
    throw values.error(
      Phrase(
        "NUMBER is a whole number, as in `peerd store show`, not '\(text)'",
        "NUMBER 값은 `peerd store show` 명령에 나오는 번호입니다. 지정한 값: ‘\(text)’"))
  }

  static let purchaseVerbs: [CommandSpec] = [
    CommandSpec(
      name: "store buy",
      summary: Phrase("buy a product as an account, on no device in particular", "특정한 기기 없이 계정으로 상품 구입"),
      details: Phrase(
        "A subscription of the same group is upgraded, downgraded or crossgraded.",
        "같은 그룹의 구독은 업그레이드되거나, 다운그레이드되거나, 같은 등급에서 바뀝니다."),
      operands: [
        OperandSpec(
          name: "PRODUCT",
          help: Phrase(
            "a product's id, as in `peerd store products`", "상품의 ID(`peerd store products` 명령에 나옴)"))
      ],
      options: [.ofAccount, .offer],
      examples: [
        "peerd store buy --data store com.example.yearly",
        "peerd store buy --data store com.example.monthly --offer half-price",
      ],
      build: { values throws(UsageError) in
        var demand = SandboxDemand(.buy, subject: values.required(0), account: values.text(.ofAccount))
        demand.offer = values.text(.offer)
        return .storeDemand(demand)
      }),
    CommandSpec(
      name: "store redeem", summary: Phrase("redeem an offer code as an account", "계정으로 혜택 코드 사용"),
      details: Phrase("Buys the product that it is for, at its price.", "코드가 가리키는 상품을 그 가격에 구입합니다."),
      operands: [
        OperandSpec(
          name: "CODE",
          help: Phrase(
            "an offer of the kind code, as in `peerd store products`",
            "코드로 쓰는 혜택(`peerd store products` 명령에 나옴)"))
      ],
      options: [.ofAccount], examples: ["peerd store redeem --data store winter"],
      build: { values throws(UsageError) in
        .storeDemand(SandboxDemand(.redeem, subject: values.required(0), account: values.text(.ofAccount)))
      }),
    CommandSpec(
      name: "store purchases",
      summary: Phrase("say what becomes of purchases from now on", "이제부터 구입이 어떻게 될지 정하기"),
      operands: [
        OperandSpec(
          name: "OUTCOME",
          help: Phrase(
            "succeed, fail, cancel or ask: wait for approval", "succeed(성공), fail(실패), cancel(취소), ask(승인 대기)"
          ))
      ],
      options: [.moodAccount, .once], examples: ["peerd store purchases --data store ask --once"],
      build: { values throws(UsageError) in
        var demand = SandboxDemand(
          .purchases, subject: values.required(0), account: values.text(.moodAccount))
        guard SandboxMood(rawValue: values.required(0)) != nil else {
          throw values.error(
            .isOne(of: "succeed, fail, cancel, ask", "OUTCOME", not: values.required(0)))
        }
        demand.flag = values.isSet(.once)
        return .storeDemand(demand)
      }),
    verb(
      .approve, Phrase("approve a purchase that waits", "기다리는 구입 승인"), about: number,
      account: .waitingAccount, example: "1",
      check: requireNumber),
    verb(
      .decline, Phrase("decline a purchase that waits", "기다리는 구입 거절"), about: number,
      account: .waitingAccount, example: "1",
      check: requireNumber),
    CommandSpec(
      name: "store refund", summary: Phrase("take a purchase back, in full or in part", "구입의 전부 또는 일부 환불"),
      operands: [transaction],
      options: [.ofAccount, .percent],
      examples: ["peerd store refund --data store com.example.3months --percent 50"],
      build: { values throws(UsageError) in
        var demand = SandboxDemand(.refund, subject: values.required(0), account: values.text(.ofAccount))
        if values.isSet(.percent) { demand.percent = try values.integer(.percent, in: 1...100, default: 100) }
        return .storeDemand(demand)
      }),
    verb(.reverseRefund, Phrase("give back what was refunded", "환불 취소"), of: refunded),
    verb(
      .declineRefund, Phrase("tell servers that a refund was asked for and not given", "환불 요청이 거절되었음을 서버에 알림")
    ),
    verb(
      .requestConsumption,
      Phrase("ask servers how a purchase was used, as before a refund", "환불하기 전처럼 구입을 어떻게 썼는지 서버에 묻기")),
  ]

  // MARK: Subscriptions

  private static let product = OperandSpec(
    name: "PRODUCT",
    help: Phrase("a product's id, as in `peerd store products`", "상품의 ID(`peerd store products` 명령에 나옴)"))

  static let planVerbs: [CommandSpec] = [
    verb(.turnOff, Phrase("turn the renewal of a subscription off", "구독의 자동 갱신 끄기")),
    verb(.turnOn, Phrase("turn the renewal of a subscription on", "구독의 자동 갱신 켜기")),
    CommandSpec(
      name: "store raise-price",
      summary: Phrase(
        "raise a price: for new customers at once, for others at their renewal",
        "가격 올리기: 새 고객은 바로, 나머지는 갱신할 때"),
      operands: [product, OperandSpec(name: "PRICE", help: Phrase("such as 4.99", "4.99 같은 가격"))],
      options: [.consent, .toldAccount],
      examples: ["peerd store raise-price --data store com.example.monthly 4.99 --consent"],
      build: { values throws(UsageError) in
        let price = values.required(1)
        guard Price.milliunits(price) != nil else {
          throw values.error(
            Phrase(
              "PRICE is a decimal number such as 4.99, not '\(price)'",
              "PRICE 값은 4.99 같은 십진수입니다. 지정한 값: ‘\(price)’"))
        }
        var demand = SandboxDemand(
          .raisePrice, subject: values.required(0), value: price, account: values.text(.toldAccount))
        demand.flag = values.isSet(.consent)
        return .storeDemand(demand)
      }),
    verb(.agree, Phrase("agree to a higher price", "인상된 가격에 동의")),
    verb(
      .refuse,
      Phrase("refuse a higher price: the subscription ends with its period", "인상된 가격 거부. 구독은 그 기간이 끝나면 종료")),
    verb(
      .withdraw, Phrase("withdraw a product from sale: it is not renewed either", "상품 판매 중단. 갱신도 되지 않음"),
      about: product,
      example: "com.example.old"),
    verb(
      .offer, Phrase("offer a withdrawn product again", "판매를 중단한 상품 다시 판매"), about: product,
      example: "com.example.old"),
    verb(
      .grace,
      Phrase(
        "whether a subscription whose payment failed keeps its access for a while",
        "결제에 실패한 구독에 유예 기간을 둘지 정하기"),
      about: OperandSpec(name: "SWITCH", help: Phrase("on or off", "on(켬) 또는 off(끔)")), example: "off",
      check: { values throws(UsageError) in
        let text = values.required(0)
        guard text == "on" || text == "off" else {
          throw values.error(
            Phrase(
              "SWITCH is on or off, not '\(text)'", "SWITCH 값은 on 또는 off입니다. 지정한 값: ‘\(text)’"))
        }
      }),
  ]

  // MARK: Accounts

  static let account = OperandSpec(
    name: "ACCOUNT",
    help: Phrase(
      "an account, as in `peerd store show` (default: \(SandboxDemand.somebody))",
      "계정(`peerd store show` 명령에 나옴, 기본값: \(SandboxDemand.somebody))"),
    isOptional: true)
  /// One that has to be named, in either way.
  private static let member = OperandSpec(
    name: "ACCOUNT", help: Phrase("an account, or --account", "계정. 대신 --account 옵션을 써도 됨"), isOptional: true)

  static let accountVerbs: [CommandSpec] = [
    accountVerb(.failBilling, Phrase("let the payments of an account fail", "계정의 결제가 실패하게 하기")),
    accountVerb(
      .fixBilling,
      Phrase(
        "let the payments of an account go through again, and charge what is due", "계정의 결제를 정상으로 되돌리고 밀린 것 결제"
      )),
    CommandSpec(
      name: "store expire-card", summary: Phrase("let the card of an account expire", "계정의 카드 만료 시각 정하기"),
      operands: [
        OperandSpec(
          name: "TIME", help: Phrase("such as 2026-12-31, or never", "2026-12-31 같은 날짜. never: 만료 없음")),
        account,
      ], options: [.namedAccount], examples: ["peerd store expire-card --data store 2026-12-31"],
      build: { values throws(UsageError) in
        var demand = SandboxDemand(.expireCard, subject: try values.account(1))
        let text = values.required(0)
        demand.date = text == "never" ? nil : try values.time(text, called: "TIME")
        return .storeDemand(demand)
      }),
    CommandSpec(
      name: "store share",
      summary: Phrase(
        "put an account into a family, which shares what is shareable", "계정을 가족으로 묶기. 공유할 수 있는 것을 공유"),
      operands: [
        OperandSpec(name: "FAMILY", help: Phrase("its name", "가족의 이름")), member,
      ], options: [.namedAccount],
      examples: ["peerd store share --data store owls ann@example.com"],
      build: { values throws(UsageError) in
        .storeDemand(SandboxDemand(.share, subject: values.required(0), value: try values.requiredAccount(1)))
      }),
    CommandSpec(
      name: "store unshare",
      summary: Phrase(
        "take an account out of its family: what was shared is revoked", "계정을 가족에서 빼기. 공유하던 것은 취소"),
      operands: [member], options: [.namedAccount],
      examples: ["peerd store unshare --data store ann@example.com"],
      build: { values throws(UsageError) in
        .storeDemand(SandboxDemand(.unshare, subject: try values.requiredAccount(0)))
      }),
    verb(
      .testNotification, Phrase("send a test notification", "테스트 알림 보내기"),
      about: OperandSpec(
        name: "BUNDLE",
        help: Phrase("the app (default: that of the last purchase)", "앱의 번들 ID(기본값: 마지막 구입의 앱)"),
        isOptional: true),
      example: "com.example.app"),
  ]
}
