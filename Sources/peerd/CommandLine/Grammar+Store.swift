import PeerSync
import PeerSyncSandbox
import PeerSyncSandboxServer

extension Grammar {
  // MARK: The sandbox store

  static let storeCommands: [CommandSpec] = [
    CommandSpec(
      name: "store", summary: "run a sandbox store: one App Store for all simulated devices",
      details: """
        Prints one ready line. Devices use it with `peerd run --store URL`; servers use it as the App Store Server API, with
        the key it writes. What happens in it is told by `peerd store VERB --data DIR`, where VERB is one of
        \(storeVerbs.map { String($0.name.dropFirst("store ".count)) }.joined(separator: ", ")); see
        `peerd store VERB --help`.
        """,
      options: [.http, .catalog, .timeRate, .begin, .notify, .logFormat, .logLevel],
      examples: [
        "peerd store --data store --http 127.0.0.1:7500 --catalog products.json --time-rate sandbox"
      ],
      build: { values throws(UsageError) in
        .store(
          StoreOptions(
            http: try values.loopback(.http), catalogues: values.texts(.catalog), pace: try values.pace(),
            begin: try values.signedTime(.begin),
            notified: try values.servers(),
            log: LogOptions(
              format: try values.choice(.logFormat, default: .text),
              level: try values.choice(.logLevel, default: .info))))
      })
  ]

  /// The verbs of `peerd store`, as commands of two words.
  package static let storeVerbs: [CommandSpec] =
    [
      CommandSpec(
        name: "store show",
        summary: "show the store's time, accounts, subscriptions, purchases and notifications",
        options: [.last, .shownAccount],
        examples: ["peerd store show --data store", "peerd store show --data store --last 500"],
        build: { values throws(UsageError) in
          .storeShow(
            StoreView(
              last: try values.integer(.last, in: 1...Limits.sandboxTransactions, default: StoreView.usual),
              account: values.text(.shownAccount)))
        }),
      CommandSpec(
        name: "store products", summary: "list what the store sells", options: [.offersAccount],
        examples: ["peerd store products --data store"],
        build: { values throws(UsageError) in .storeProducts(account: values.text(.offersAccount)) }),
      CommandSpec(
        name: "store advance", summary: "set the store's clock on; everything that is due by then happens",
        details: "Devices that use the store follow its clock.",
        operands: [OperandSpec(name: "DURATION", help: "such as P1M, P10D, PT6H or 1h30m")],
        options: [.toldAccount], examples: ["peerd store advance --data store P1M"],
        build: { values throws(UsageError) in
          var demand = StoreDemand(.advance, account: values.text(.toldAccount))
          demand.step = try values.step(values.required(0))
          return .storeDemand(demand)
        }),
    ] + purchaseVerbs + planVerbs + accountVerbs

  private static let transaction = OperandSpec(
    name: "TRANSACTION", help: "its id, or a product: the newest purchase of it that stands")

  /// A verb about a transaction and nothing else.
  private static func verb(_ verb: StoreVerb, _ summary: String, details: String = "") -> CommandSpec {
    CommandSpec(
      name: "store \(verb.rawValue)", summary: summary, details: details, operands: [transaction],
      options: [.ofAccount], examples: ["peerd store \(verb.rawValue) --data store com.example.monthly"],
      build: { values throws(UsageError) in
        .storeDemand(StoreDemand(verb, subject: values.required(0), account: values.text(.ofAccount)))
      })
  }

  /// A verb about a product, an account or whatever else one word says.
  ///
  /// - Parameter check: refuses a word that is none of those
  private static func verb(
    _ verb: StoreVerb, _ summary: String, about operand: OperandSpec,
    account: OptionSpec = .toldAccount, example: String,
    check: @escaping @Sendable (Values) throws(UsageError) -> Void = { _ throws(UsageError) in }
  ) -> CommandSpec {
    CommandSpec(
      name: "store \(verb.rawValue)", summary: summary, operands: [operand],
      options: [account], examples: ["peerd store \(verb.rawValue) --data store \(example)"],
      build: { values throws(UsageError) in
        try check(values)
        return .storeDemand(
          StoreDemand(verb, subject: values.operand(0), account: values.text(account)))
      })
  }

  /// A verb about an account and nothing else.
  private static func accountVerb(_ verb: StoreVerb, _ summary: String) -> CommandSpec {
    CommandSpec(
      name: "store \(verb.rawValue)", summary: summary, operands: [account], options: [.namedAccount],
      examples: ["peerd store \(verb.rawValue) --data store \(StoreDemand.somebody)"],
      build: { values throws(UsageError) in
        .storeDemand(StoreDemand(verb, subject: try values.account(0)))
      })
  }

  // MARK: Purchases

  private static let number = OperandSpec(
    name: "NUMBER", help: "which purchase, as in `peerd store show` (default: the oldest that waits)",
    isOptional: true)

  private static let requireNumber: @Sendable (Values) throws(UsageError) -> Void = {
    values throws(UsageError) in
    guard let text = values.operand(0), UInt64(text) == nil else { return }
    throw values.error(
      Phrase(
        "NUMBER is a whole number, as in `peerd store show`, not '\(text)'",
        "NUMBER 값은 `peerd store show` 명령에 나오는 번호입니다. 지정한 값: ‘\(text)’"))
  }

  private static let purchaseVerbs: [CommandSpec] = [
    CommandSpec(
      name: "store buy", summary: "buy a product as an account, on no device in particular",
      details: "A subscription of the same group is upgraded, downgraded or crossgraded.",
      operands: [OperandSpec(name: "PRODUCT", help: "a product's id, as in `peerd store products`")],
      options: [.ofAccount, .offer],
      examples: [
        "peerd store buy --data store com.example.yearly",
        "peerd store buy --data store com.example.monthly --offer half-price",
      ],
      build: { values throws(UsageError) in
        var demand = StoreDemand(.buy, subject: values.required(0), account: values.text(.ofAccount))
        demand.offer = values.text(.offer)
        return .storeDemand(demand)
      }),
    CommandSpec(
      name: "store redeem", summary: "redeem an offer code as an account",
      details: "Buys the product that it is for, at its price.",
      operands: [OperandSpec(name: "CODE", help: "an offer of the kind code, as in `peerd store products`")],
      options: [.ofAccount], examples: ["peerd store redeem --data store winter"],
      build: { values throws(UsageError) in
        .storeDemand(StoreDemand(.redeem, subject: values.required(0), account: values.text(.ofAccount)))
      }),
    CommandSpec(
      name: "store purchases", summary: "say what becomes of purchases from now on",
      operands: [OperandSpec(name: "OUTCOME", help: "succeed, fail, cancel or ask: wait for approval")],
      options: [.ofAccount, .once], examples: ["peerd store purchases --data store ask --once"],
      build: { values throws(UsageError) in
        var demand = StoreDemand(.purchases, subject: values.required(0), account: values.text(.ofAccount))
        guard SandboxMood(rawValue: values.required(0)) != nil else {
          throw values.error(
            .isOne(of: "succeed, fail, cancel, ask", "OUTCOME", not: values.required(0)))
        }
        demand.flag = values.isSet(.once)
        return .storeDemand(demand)
      }),
    verb(
      .approve, "approve a purchase that waits", about: number, account: .waitingAccount, example: "1",
      check: requireNumber),
    verb(
      .decline, "decline a purchase that waits", about: number, account: .waitingAccount, example: "1",
      check: requireNumber),
    CommandSpec(
      name: "store refund", summary: "take a purchase back, in full or in part", operands: [transaction],
      options: [.ofAccount, .percent],
      examples: ["peerd store refund --data store com.example.3months --percent 50"],
      build: { values throws(UsageError) in
        var demand = StoreDemand(.refund, subject: values.required(0), account: values.text(.ofAccount))
        if values.isSet(.percent) { demand.percent = try values.integer(.percent, in: 1...100, default: 100) }
        return .storeDemand(demand)
      }),
    verb(.reverseRefund, "give back what was refunded"),
    verb(.declineRefund, "tell servers that a refund was asked for and not given"),
    verb(.requestConsumption, "ask servers how a purchase was used, as before a refund"),
  ]

  // MARK: Subscriptions

  private static let product = OperandSpec(
    name: "PRODUCT", help: "a product's id, as in `peerd store products`")

  private static let planVerbs: [CommandSpec] = [
    verb(.turnOff, "turn the renewal of a subscription off"),
    verb(.turnOn, "turn the renewal of a subscription on"),
    CommandSpec(
      name: "store raise-price",
      summary: "raise a price: for new customers at once, for others at their renewal",
      operands: [product, OperandSpec(name: "PRICE", help: "such as 4.99")],
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
        var demand = StoreDemand(
          .raisePrice, subject: values.required(0), value: price, account: values.text(.toldAccount))
        demand.flag = values.isSet(.consent)
        return .storeDemand(demand)
      }),
    verb(.agree, "agree to a higher price"),
    verb(.refuse, "refuse a higher price: the subscription ends with its period"),
    verb(
      .withdraw, "withdraw a product from sale: it is not renewed either", about: product,
      example: "com.example.old"),
    verb(.offer, "offer a withdrawn product again", about: product, example: "com.example.old"),
    verb(
      .grace, "whether a subscription whose payment failed keeps its access for a while",
      about: OperandSpec(name: "SWITCH", help: "on or off"), example: "off",
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

  private static let account = OperandSpec(
    name: "ACCOUNT", help: "an account, as in `peerd store show` (default: \(StoreDemand.somebody))",
    isOptional: true)
  /// One that has to be named, in either way.
  private static let member = OperandSpec(name: "ACCOUNT", help: "an account, or --account", isOptional: true)

  private static let accountVerbs: [CommandSpec] = [
    accountVerb(.failBilling, "let the payments of an account fail"),
    accountVerb(.fixBilling, "let the payments of an account go through again, and charge what is due"),
    CommandSpec(
      name: "store expire-card", summary: "let the card of an account expire",
      operands: [
        OperandSpec(name: "TIME", help: "such as 2026-12-31, or never"), account,
      ], options: [.namedAccount], examples: ["peerd store expire-card --data store 2026-12-31"],
      build: { values throws(UsageError) in
        var demand = StoreDemand(.expireCard, subject: try values.account(1))
        let text = values.required(0)
        demand.date = text == "never" ? nil : try values.time(text, called: "TIME")
        return .storeDemand(demand)
      }),
    CommandSpec(
      name: "store share", summary: "put an account into a family, which shares what is shareable",
      operands: [
        OperandSpec(name: "FAMILY", help: "its name"), member,
      ], options: [.namedAccount],
      examples: ["peerd store share --data store owls ann@example.com"],
      build: { values throws(UsageError) in
        .storeDemand(StoreDemand(.share, subject: values.required(0), value: try values.requiredAccount(1)))
      }),
    CommandSpec(
      name: "store unshare", summary: "take an account out of its family: what was shared is revoked",
      operands: [member], options: [.namedAccount],
      examples: ["peerd store unshare --data store ann@example.com"],
      build: { values throws(UsageError) in
        .storeDemand(StoreDemand(.unshare, subject: try values.requiredAccount(0)))
      }),
    verb(
      .testNotification, "send a test notification",
      about: OperandSpec(
        name: "BUNDLE", help: "the app (default: that of the last purchase)", isOptional: true),
      example: "com.example.app"),
  ]
}

extension Values {
  /// The account that an operand or --account names; nil for none, where there is another by default.
  fileprivate func account(_ index: Int) throws(UsageError) -> String? {
    let (word, option) = (operand(index), text(.namedAccount))
    if let word, let option, Name(word) != Name(option) {
      throw error(
        Phrase(
          "ACCOUNT and --account name two accounts: give one of them",
          "ACCOUNT와 --account 옵션의 계정이 다릅니다. 하나만 쓰세요"))
    }
    return option ?? word
  }

  /// The account that has to be named.
  fileprivate func requiredAccount(_ index: Int) throws(UsageError) -> String {
    guard let account = try account(index) else { throw error(.isMissing("ACCOUNT")) }
    return account
  }

  fileprivate func pace() throws(UsageError) -> SandboxPace? {
    guard let text = text(.timeRate) else { return nil }
    if let pace = SandboxPace(text) { return pace }
    throw error(
      Phrase(
        "--time-rate is real, sandbox, manual or a whole number of times faster, not '\(text)'",
        "--time-rate 값은 real, sandbox, manual 또는 몇 배 빠른지를 뜻하는 정수입니다. 지정한 값: ‘\(text)’"))
  }

  fileprivate func servers() throws(UsageError) -> [LocalServer] {
    var servers: [LocalServer] = []
    for url in texts(.notify) {
      guard let server = LocalServer(url) else {
        throw error(
          Phrase(
            "--notify is a URL of this machine such as http://127.0.0.1:8080/notifications, not '\(url)'",
            "--notify 값은 http://127.0.0.1:8080/notifications 같은 이 컴퓨터의 URL입니다. 지정한 값: ‘\(url)’"))
      }
      servers.append(server)
    }
    return servers
  }

  fileprivate func step(_ text: String) throws(UsageError) -> SandboxStep {
    if let period = Period(text),
      let step = SandboxStep(months: period.months, days: period.days, milliseconds: 0)
    {
      return step
    }
    if let span = Offset.milliseconds(text), let step = SandboxStep(months: 0, days: 0, milliseconds: span) {
      return step
    }
    throw error(
      Phrase(
        "DURATION is such as P1M, P10D, PT6H or 1h30m, up to 100 years, not '\(text)'",
        "DURATION 값은 P1M, P10D, PT6H, 1h30m 같은 100년 이하의 길이입니다. 지정한 값: ‘\(text)’"))
  }
}
