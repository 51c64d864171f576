import PeerSync

// Purchases, and what a device decides besides.
extension Grammar {
  // MARK: Purchases

  static let purchaseCommands: [CommandSpec] = [
    CommandSpec(
      name: "products",
      summary: Phrase(
        "list the catalogue: price, buy or renew, and what the expiry would become",
        "카탈로그 보기: 가격, 구입 또는 연장, 구입하면 바뀔 만료 시각"),
      examples: ["peerd products --data phone"], build: { _ throws(UsageError) in .products }),
    CommandSpec(
      name: "catalogue",
      summary: Phrase(
        "add products to the catalogue of a device that is there, and of its group",
        "이미 있는 기기와 그 그룹의 카탈로그에 상품 추가"),
      details: Phrase(
        """
        What the file states of a product counts from then on, whatever another device has written of it: also where a member
        was not honest. An entry takes the place of the one before as a whole. Purchases made before are counted by it as well.
        """,
        """
        그때부터는 다른 기기가 무엇을 썼든, 정직하지 않은 기기가 썼더라도, 파일에 적은 상품 정보가 적용됩니다. 새 항목은 이전 항목을
        통째로 대신합니다. 전에 구입한 것도 새 항목으로 계산됩니다.
        """),
      operands: [
        OperandSpec(name: "add", help: Phrase("what to do", "할 일"), isFixed: true),
        OperandSpec(
          name: "FILE",
          help: Phrase("peerd's JSON or an Xcode .storekit file", "peerd의 JSON 파일 또는 Xcode의 .storekit 파일")),
      ],
      examples: ["peerd catalogue add --data phone products.json"],
      build: { values throws(UsageError) in
        .addCatalogue(file: values.required(1))
      }),
    CommandSpec(
      name: "buy",
      summary: Phrase("buy a product from the sandbox store on this device", "이 기기에서 샌드박스 스토어의 상품 구입"),
      operands: [
        OperandSpec(
          name: "PRODUCT",
          help: Phrase("a product's id, as in `peerd products`", "상품의 ID(`peerd products` 명령에 나옴)"))
      ],
      options: [.quantity, .at, .offer],
      examples: [
        "peerd buy --data phone 3monthsOfRandom", "peerd buy RandomOwls --quantity 2 --at 2026-01-31",
        "peerd buy --data phone com.example.monthly --offer half-price",
      ],
      build: { values throws(UsageError) in
        .buy(
          BuyOptions(
            product: values.required(0),
            quantity: try values.integer(.quantity, in: 1...Limits.quantity, default: 1),
            at: try values.signedTime(.at), offer: values.text(.offer)))
      }),
    CommandSpec(
      name: "refund", summary: Phrase("refund a purchase in the sandbox store", "샌드박스 스토어에서 구입 환불"),
      operands: [
        OperandSpec(
          name: "TRANSACTION",
          help: Phrase(
            "its id, as `peerd buy` and `peerd why` print it", "거래의 ID(`peerd buy`, `peerd why` 명령에 나옴)"))
      ],
      examples: ["peerd refund --data phone 2000000123456789"],
      build: { values throws(UsageError) in .refund(transaction: values.required(0)) }),
    CommandSpec(
      name: "spend", summary: Phrase("spend credits", "크레딧 사용"),
      details: Phrase(
        """
        At once from what this device holds rights to; when it is short it asks the devices that are connected, for 3
        seconds at most. When that is not enough nothing is spent, and it says who holds the rest.
        """,
        """
        이 기기가 쓸 수 있는 만큼은 바로 씁니다. 모자라면 연결된 기기에 최대 3초 동안 묻습니다. 그래도 모자라면 아무것도 쓰지
        않고, 나머지를 어느 기기가 가지고 있는지 알려 줍니다.
        """),
      operands: [
        OperandSpec(
          name: "CREDIT",
          help: Phrase(
            "its name in the catalogue, as in `peerd status`", "카탈로그에 있는 이름(`peerd status` 명령에 나옴)")),
        OperandSpec(name: "N", help: Phrase("how many (default: 1)", "개수(기본값: 1)"), isOptional: true),
      ],
      options: [.id],
      examples: ["peerd spend --data phone owls", "peerd spend owls 3 --id picture-17"],
      build: { values throws(UsageError) in
        .spend(
          SpendOptions(
            credit: values.required(0), amount: try values.amount(1), id: values.text(.id)))
      }),
    CommandSpec(
      name: "reclaim",
      summary: Phrase(
        "take over what a lost device, or an earlier life of this one, may spend",
        "분실된 기기나 이 기기의 이전 저장소가 쓸 수 있던 크레딧 넘겨받기"),
      details: Phrase(
        """
        After its data directory was restored or copied a device continues as a new incarnation, which holds no rights. All
        devices of the group have to be connected and in sync. What the device spent after the backup counts if any other
        device holds it; the rest is forgotten, and can be spent again. The most senior device also takes what removed
        devices hold. It does that by itself unless such a device may overrule its removal, or was set back.
        With --from lost the most senior device takes over, for good, what was bought on devices that nobody in the group has
        ever met, for they died before they were paired, and what devices hold that neither belong to the group nor were removed
        from it, such as those of a group that a recovery key has led out of. Should one of them turn up and join after all, it
        keeps these credits, and what was spent of them meanwhile is owed.
        """,
        """
        데이터 디렉터리를 복원하거나 복사하면 기기는 새 저장소로 이어지며, 쓸 수 있는 크레딧이 없습니다. 그룹의 모든 기기가 연결되어
        동기화되어야 합니다. 백업 뒤에 쓴 것은 다른 기기가 알고 있으면 계산되고, 나머지는 잊혀 다시 쓸 수 있습니다. 가장 선임인
        기기는 제거된 기기가 가지고 있던 것도 넘겨받습니다. 그런 기기가 제거를 뒤집을 수 있거나 이전 상태로 되돌려진 경우가 아니면
        저절로 그렇게 합니다. --from lost 옵션을 쓰면 가장 선임인 기기가, 그룹의 어느 기기도 만난 적이 없는 기기, 곧 연결하기
        전에 잃은 기기에서 구입한 것과, 복구 키로 빠져나온 그룹의 기기처럼 그룹에 속하지 않고 제거된 것도 아닌 기기가 가진 것을
        완전히 넘겨받습니다. 그런 기기가 나중에 나타나 참여하면 크레딧은 그 기기에 남고, 그동안 쓴 만큼은 채워야 할 것이 됩니다.
        """),
      operands: [
        OperandSpec(
          name: "CREDIT",
          help: Phrase(
            "its name in the catalogue, as in `peerd status`", "카탈로그에 있는 이름(`peerd status` 명령에 나옴)"))
      ],
      options: [.fromLost],
      examples: ["peerd reclaim --data phone owls", "peerd reclaim --data phone owls --from lost"],
      build: { values throws(UsageError) in
        let from = values.text(.fromLost)
        guard from == nil || from == "lost" else {
          throw values.error(Phrase("--from is lost, or is left out", "--from 값은 lost이거나 빼야 합니다"))
        }
        return .reclaim(credit: values.required(0), fromLost: from != nil)
      }),
    CommandSpec(
      name: "restore",
      summary: Phrase(
        "restore purchases: from the store what it restores, from peers the rest",
        "구입 복원: 스토어가 복원하는 것은 스토어에서, 나머지는 다른 기기에서"),
      details: Phrase(
        "The store never restores consumables or non-renewing subscriptions.",
        "스토어는 소모성 상품과 갱신되지 않는 구독을 복원하지 않습니다."),
      examples: ["peerd restore --data tablet"], build: { _ throws(UsageError) in .restore }),
    CommandSpec(
      name: "ingest",
      summary: Phrase(
        "take in what a real store has signed: transactions, renewal infos, notifications",
        "실제 스토어가 서명한 거래, 갱신 정보, 알림 받기"),
      details: Phrase(
        """
        One JSON Web Signature a line. Good ones count even among bad ones; bad ones grant nothing and are kept as
        evidence with their reason, and the exit status is 1.
        """,
        """
        한 줄에 JSON Web Signature 하나입니다. 올바른 것은 잘못된 것과 섞여 있어도 계산됩니다. 잘못된 것은 아무것도
        제공하지 않으며, 이유와 함께 증거로 남고 종료 상태는 1입니다.
        """),
      operands: [
        OperandSpec(name: "FILE", help: Phrase("the file, or - for standard input", "파일. 표준 입력은 -"))
      ],
      examples: ["peerd ingest --data phone transactions.txt"],
      build: { values throws(UsageError) in .ingest(file: values.required(0)) }),
    CommandSpec(
      name: "notifications",
      summary: Phrase(
        "list what the store has told this device: App Store Server Notifications",
        "스토어가 이 기기에 보낸 App Store Server Notifications 목록 보기"),
      examples: ["peerd notifications --data phone"], build: { _ throws(UsageError) in .notifications }),
  ]

  // MARK: Registers that no purchase explains

  static let recordCommands: [CommandSpec] = [
    CommandSpec(
      name: "set-expiration",
      summary: Phrase(
        "set a line's expiry; purchases not yet known here still count on top",
        "이용 기간의 만료 시각 정하기. 여기서 아직 모르는 구입은 더해짐"),
      operands: [
        OperandSpec(
          name: "LINE",
          help: Phrase("the line's id, as in `peerd status`", "이용 기간의 ID(`peerd status` 명령에 나옴)")),
        OperandSpec(
          name: "TIME",
          help: Phrase(
            "such as 2026-12-31T00:00:00Z, or none: no cover", "2026-12-31T00:00:00Z 같은 시각. none: 이용 기간 없음")),
      ],
      examples: [
        "peerd set-expiration --data phone random-owls 2026-12-31", "peerd set-expiration random-owls none",
      ],
      build: { values throws(UsageError) in
        let text = values.required(1)
        return .setExpiration(
          line: values.required(0), date: text == "none" ? nil : try values.time(text, called: "TIME"))
      }),
    CommandSpec(
      name: "grant", summary: Phrase("grant an entitlement that no purchase explains", "구입과 관계없이 권한 부여"),
      operands: [OperandSpec(name: "ENTITLEMENT", help: Phrase("its id", "권한의 ID"))], options: [.until],
      examples: ["peerd grant --data phone random-owls --until 2026-12-31"],
      build: { values throws(UsageError) in
        .grant(entitlement: values.required(0), until: try values.time(.until))
      }),
    CommandSpec(
      name: "revoke",
      summary: Phrase("take such a grant back; purchases are untouched", "그런 부여 취소. 구입에는 영향 없음"),
      operands: [OperandSpec(name: "ENTITLEMENT", help: Phrase("its id", "권한의 ID"))],
      examples: ["peerd revoke --data phone random-owls"],
      build: { values throws(UsageError) in .revoke(entitlement: values.required(0)) }),
    CommandSpec(
      name: "export",
      summary: Phrase("write the whole ledger as readable JSON", "모든 기록을 읽을 수 있는 JSON으로 내보내기"),
      operands: [
        OperandSpec(
          name: "FILE", help: Phrase("where to (default: standard output)", "내보낼 파일(기본값: 표준 출력)"),
          isOptional: true)
      ],
      examples: ["peerd export --data phone ledger.json"],
      build: { values throws(UsageError) in .exportLedger(file: values.operand(0)) }),
    CommandSpec(
      name: "import",
      summary: Phrase(
        "take in an exported ledger; doing it again changes nothing", "내보낸 기록 가져오기. 다시 해도 달라지지 않음"),
      details: Phrase(
        "What a device sold itself, without a sandbox store, counts here once the two are paired.",
        "샌드박스 스토어 없이 기기가 직접 판 것은 두 기기를 연결하면 여기서도 계산됩니다."),
      operands: [
        OperandSpec(
          name: "FILE",
          help: Phrase("what `peerd export` wrote; - is standard input", "`peerd export` 명령이 쓴 파일. 표준 입력은 -"))
      ],
      examples: ["peerd import --data tablet ledger.json"],
      build: { values throws(UsageError) in .importLedger(file: values.required(0)) }),
  ]
}
