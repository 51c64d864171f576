import PeerSync
import PeerSyncSandbox
import PeerSyncSandboxServer

extension Grammar {
  // MARK: The sandbox store

  static let storeCommands: [CommandSpec] = [
    CommandSpec(
      name: "store",
      summary: Phrase(
        "run a sandbox store: one App Store for all simulated devices",
        "샌드박스 스토어 실행: 모든 시뮬레이션 기기가 함께 쓰는 App Store"),
      details: Phrase(
        """
        Prints one ready line. Devices use it with `peerd run --store URL`; servers use it as the App Store Server API, with
        the key it writes. What happens in it is told by `peerd store VERB --data DIR`, where VERB is one of
        \(verbNames); see `peerd store VERB --help`.
        """,
        """
        준비되면 한 줄을 출력합니다. 기기는 `peerd run --store URL` 명령으로 쓰고, 서버는 이 명령이 쓴 키로 App Store
        Server API처럼 씁니다. 스토어에서 일어날 일은 `peerd store VERB --data DIR` 명령으로 정하며, VERB에는 다음 가운데
        하나를 씁니다: \(verbNames). `peerd store VERB --help` 명령을 보세요.
        """),
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

  private static var verbNames: String {
    storeVerbs.map { String($0.name.dropFirst("store ".count)) }.joined(separator: ", ")
  }

  /// The verbs of `peerd store`, as commands of two words.
  package static let storeVerbs: [CommandSpec] =
    [
      CommandSpec(
        name: "store show",
        summary: Phrase(
          "show the store's time, accounts, subscriptions, purchases and notifications",
          "스토어의 시각, 계정, 구독, 구입, 알림 보기"),
        options: [.last, .shownAccount],
        examples: ["peerd store show --data store", "peerd store show --data store --last 500"],
        build: { values throws(UsageError) in
          .storeShow(
            SandboxView(
              last: try values.integer(.last, in: 1...Limits.sandboxTransactions, default: SandboxView.usual),
              account: values.text(.shownAccount)))
        }),
      CommandSpec(
        name: "store products", summary: Phrase("list what the store sells", "스토어에서 파는 상품 목록 보기"),
        options: [.offersAccount],
        examples: ["peerd store products --data store"],
        build: { values throws(UsageError) in .storeProducts(account: values.text(.offersAccount)) }),
      CommandSpec(
        name: "store advance",
        summary: Phrase(
          "set the store's clock on; everything that is due by then happens", "스토어의 시계 진행. 그때까지 일어날 일이 모두 일어남"
        ),
        details: Phrase("Devices that use the store follow its clock.", "스토어를 쓰는 기기는 스토어의 시계를 따릅니다."),
        operands: [
          OperandSpec(
            name: "DURATION", help: Phrase("such as P1M, P10D, PT6H or 1h30m", "P1M, P10D, PT6H, 1h30m 같은 길이")
          )
        ],
        options: [.toldAccount], examples: ["peerd store advance --data store P1M"],
        build: { values throws(UsageError) in
          var demand = SandboxDemand(.advance, account: values.text(.toldAccount))
          demand.step = try values.step(values.required(0))
          return .storeDemand(demand)
        }),
    ] + purchaseVerbs + planVerbs + accountVerbs

  static let transaction = OperandSpec(
    name: "TRANSACTION",
    help: Phrase(
      "its id, or a product: the newest purchase of it that stands", "거래의 ID, 또는 상품의 ID(유효한 구입 가운데 최신)"))

  static let refunded = OperandSpec(
    name: "TRANSACTION",
    help: Phrase(
      "its id, or a product: the newest purchase of it that was refunded", "거래의 ID, 또는 상품의 ID(환불된 구입 가운데 최신)")
  )

  /// A verb about a transaction and nothing else.
  static func verb(
    _ verb: SandboxVerb, _ summary: Phrase, of transaction: OperandSpec = Grammar.transaction
  ) -> CommandSpec {
    CommandSpec(
      name: "store \(verb.rawValue)", summary: summary, operands: [transaction],
      options: [.ofAccount], examples: ["peerd store \(verb.rawValue) --data store com.example.monthly"],
      build: { values throws(UsageError) in
        .storeDemand(SandboxDemand(verb, subject: values.required(0), account: values.text(.ofAccount)))
      })
  }

  /// A verb about a product, an account or whatever else one word says.
  ///
  /// - Parameter check: refuses a word that is none of those
  static func verb(
    _ verb: SandboxVerb, _ summary: Phrase, about operand: OperandSpec,
    account: OptionSpec = .toldAccount, example: String,
    check: @escaping @Sendable (Values) throws(UsageError) -> Void = { _ throws(UsageError) in }
  ) -> CommandSpec {
    CommandSpec(
      name: "store \(verb.rawValue)", summary: summary, operands: [operand],
      options: [account], examples: ["peerd store \(verb.rawValue) --data store \(example)"],
      build: { values throws(UsageError) in
        try check(values)
        return .storeDemand(
          SandboxDemand(verb, subject: values.operand(0), account: values.text(account)))
      })
  }

  /// A verb about an account and nothing else.
  static func accountVerb(_ verb: SandboxVerb, _ summary: Phrase) -> CommandSpec {
    CommandSpec(
      name: "store \(verb.rawValue)", summary: summary, operands: [account], options: [.namedAccount],
      examples: ["peerd store \(verb.rawValue) --data store \(SandboxDemand.somebody)"],
      build: { values throws(UsageError) in
        .storeDemand(SandboxDemand(verb, subject: try values.account(0)))
      })
  }
}

extension Values {
  /// The account that an operand or --account names; nil for none, where there is another by default.
  func account(_ index: Int) throws(UsageError) -> String? {
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
  func requiredAccount(_ index: Int) throws(UsageError) -> String {
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
