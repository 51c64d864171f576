import PeerSync
import PeerSyncSimulation

extension Grammar {
  // MARK: A device and its group

  static let deviceCommands: [CommandSpec] = [
    CommandSpec(
      name: "init", summary: "make a device: its identity, an empty ledger, a group of one",
      details: """
        The data directory must not hold a device yet. The environment is shown, and cannot be changed later. The
        recovery key is shown once: write it down. `peerd remove --recovery-key` takes it.
        """,
      options: [.name, .environment, .bundleId, .trustRoot, .catalog, .clockOffset, .noTimeAccept],
      examples: ["peerd init --data phone --name Phone --catalog products.json"],
      build: initCommand),
    CommandSpec(
      name: "run", summary: "run the device's daemon in the foreground",
      details: """
        Prints one ready line. SIGTERM and SIGINT stop it cleanly. The control API's address and token are in
        DIR/api.json while it runs; every other command finds the daemon there.
        """,
      options: [
        .listen, .http, .peer, .lan, .discover, .interface, .announce, .store, .account, .clockOffset,
        .logFormat,
        .logLevel,
      ],
      examples: [
        "peerd run --data phone --lan", "peerd run --data phone --listen 127.0.0.1:7401",
        "peerd run --data phone --store http://127.0.0.1:7500",
      ],
      build: runCommand),
    CommandSpec(
      name: "invite", summary: "open a one-time invitation for a new device, good for 10 minutes",
      examples: ["peerd invite --data phone"], build: { _ throws(UsageError) in .invite }),
    CommandSpec(
      name: "join", summary: "join the group of the device that made an invitation",
      details: "Purchases this device made before come along.",
      operands: [
        OperandSpec(
          name: "URL",
          help:
            "what `peerd invite` printed on the other device; its code alone, where both run with --lan on one network"
        )
      ],
      examples: [
        "peerd join --data tablet peersync://127.0.0.1:7401/ABCDEFGHJKMN",
        "peerd join --data tablet ABCD-EFGH-JKMN",
      ],
      build: { values throws(UsageError) in
        let url = values.required(0)
        guard InvitationURL(url) != nil || InvitationCode(url) != nil else {
          throw values.error(
            Phrase(
              "'\(url)' is not an invitation such as peersync://127.0.0.1:7401/ABCDEFGHJKMN",
              "‘\(url)’ 값은 peersync://127.0.0.1:7401/ABCDEFGHJKMN 같은 초대가 아닙니다"))
        }
        return .join(url: url)
      }),
    CommandSpec(
      name: "devices", summary: "list the group's devices", examples: ["peerd devices --data phone"],
      build: { _ throws(UsageError) in .devices }),
    removing,
    CommandSpec(
      name: "time", summary: "show what time it is, and everybody who vouches for one",
      details: """
        The present is no earlier than what the store signed, and than what paired devices have vouched for. Two devices whose
        clocks were wrong alike stay ahead when they are put right, until a third one of the group bears them out; with two
        alone a person decides. --accept drops what peers have vouched for, so that this device's clock counts: look at the
        clock first. What the store signed stays.
        """,
      options: [.accept, .yes],
      examples: ["peerd time --data phone", "peerd time --data phone --accept"],
      build: { values throws(UsageError) in
        let accept = values.isSet(.accept)
        guard accept || !values.isSet(.yes) else { throw values.error(.goes("--yes", with: "--accept")) }
        return .time(accept: accept, isConfirmed: values.isSet(.yes))
      }),
    CommandSpec(
      name: "offline", summary: "cut the device off from its peers, as an aeroplane mode does",
      examples: ["peerd offline --data phone"], build: { _ throws(UsageError) in .offline }),
    CommandSpec(
      name: "online", summary: "let the device back to its peers", examples: ["peerd online --data phone"],
      build: { _ throws(UsageError) in .online }),
  ]

  private static let initCommand: @Sendable (inout Values) throws(UsageError) -> Command = {
    values throws(UsageError) in
    .initialize(
      InitOptions(
        name: try values.name(.name), environment: try values.choice(.environment, default: .sandbox),
        bundleId: try values.name(.bundleId), trustRoots: values.texts(.trustRoot),
        catalogues: values.texts(.catalog), clockOffset: try values.offset(.clockOffset),
        mayAcceptTime: !values.isSet(.noTimeAccept)))
  }

  // MARK: Purchases

  static let purchaseCommands: [CommandSpec] = [
    CommandSpec(
      name: "products", summary: "list the catalogue: price, buy or renew, and what the expiry would become",
      examples: ["peerd products --data phone"], build: { _ throws(UsageError) in .products }),
    CommandSpec(
      name: "catalogue", summary: "add products to the catalogue of a device that is there, and of its group",
      details: """
        What the file states of a product counts from then on, whatever another device has written of it: also where a member
        was not honest. An entry takes the place of the one before as a whole. Purchases made before are counted by it as well.
        """,
      operands: [
        OperandSpec(name: "add", help: "what to do"),
        OperandSpec(name: "FILE", help: "peerd's JSON or an Xcode .storekit file"),
      ],
      examples: ["peerd catalogue add --data phone products.json"],
      build: { values throws(UsageError) in
        guard values.required(0) == "add" else {
          throw values.error(
            Phrase("it is `peerd catalogue add FILE`", "`peerd catalogue add FILE` 형식으로 쓰세요"))
        }
        return .addCatalogue(file: values.required(1))
      }),
    CommandSpec(
      name: "buy", summary: "buy a product from the sandbox store on this device",
      operands: [OperandSpec(name: "PRODUCT", help: "a product's id, as in `peerd products`")],
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
      name: "refund", summary: "refund a purchase in the sandbox store",
      operands: [OperandSpec(name: "TRANSACTION", help: "its id, as `peerd buy` and `peerd why` print it")],
      examples: ["peerd refund --data phone 2000000123456789"],
      build: { values throws(UsageError) in .refund(transaction: values.required(0)) }),
    CommandSpec(
      name: "spend", summary: "spend credits",
      details: """
        At once from what this device holds rights to; when it is short it asks the devices that are connected, for 3
        seconds at most. When that is not enough nothing is spent, and it says who holds the rest.
        """,
      operands: [
        OperandSpec(name: "CREDIT", help: "its name in the catalogue, as in `peerd status`"),
        OperandSpec(name: "N", help: "how many (default: 1)", isOptional: true),
      ],
      options: [.id],
      examples: ["peerd spend --data phone owls", "peerd spend owls 3 --id picture-17"],
      build: { values throws(UsageError) in
        .spend(
          SpendOptions(
            credit: values.required(0), amount: try values.amount(1), id: values.text(.id)))
      }),
    CommandSpec(
      name: "reclaim", summary: "take over what a lost device, or an earlier life of this one, may spend",
      details: """
        After its data directory was restored or copied a device continues as a new incarnation, which holds no rights. All
        devices of the group have to be connected and in sync. What the device spent after the backup counts if any other
        device holds it; the rest is forgotten, and can be spent again. The most senior device also takes what removed
        devices hold. It does that by itself unless such a device may overrule its removal, or was set back.
        With --from lost it takes over, for good, what was bought on devices that nobody in the group has ever met: they died
        before they were paired. Should one of them turn up after all, it has lost these credits.
        """,
      operands: [OperandSpec(name: "CREDIT", help: "its name in the catalogue, as in `peerd status`")],
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
      name: "restore", summary: "restore purchases: from the store what it restores, from peers the rest",
      details: "The store never restores what is used up, nor what lasts for a time that it does not know.",
      examples: ["peerd restore --data tablet"], build: { _ throws(UsageError) in .restore }),
    CommandSpec(
      name: "ingest",
      summary: "take in what a real store has signed: transactions, renewal infos, notifications",
      details: """
        One JSON Web Signature a line. Good ones count even among bad ones; bad ones grant nothing and are kept as
        evidence with their reason, and the exit status is 1.
        """,
      operands: [OperandSpec(name: "FILE", help: "the file, or - for standard input")],
      examples: ["peerd ingest --data phone transactions.txt"],
      build: { values throws(UsageError) in .ingest(file: values.required(0)) }),
    CommandSpec(
      name: "notifications",
      summary: "list what the store has told this device: App Store Server Notifications",
      examples: ["peerd notifications --data phone"], build: { _ throws(UsageError) in .notifications }),
  ]

  // MARK: Registers that no purchase explains

  static let recordCommands: [CommandSpec] = [
    CommandSpec(
      name: "set-expiration", summary: "set a line's expiry; purchases not yet known here still count on top",
      operands: [
        OperandSpec(name: "LINE", help: "the line's id, as in `peerd status`"),
        OperandSpec(name: "TIME", help: "such as 2026-12-31T00:00:00Z, or none: no cover"),
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
      name: "grant", summary: "grant an entitlement that no purchase explains",
      operands: [OperandSpec(name: "ENTITLEMENT", help: "its id")], options: [.until],
      examples: ["peerd grant --data phone random-owls --until 2026-12-31"],
      build: { values throws(UsageError) in
        .grant(entitlement: values.required(0), until: try values.time(.until))
      }),
    CommandSpec(
      name: "revoke", summary: "take such a grant back; purchases are untouched",
      operands: [OperandSpec(name: "ENTITLEMENT", help: "its id")],
      examples: ["peerd revoke --data phone random-owls"],
      build: { values throws(UsageError) in .revoke(entitlement: values.required(0)) }),
    CommandSpec(
      name: "export", summary: "write the whole ledger as readable JSON",
      operands: [OperandSpec(name: "FILE", help: "where to (default: standard output)", isOptional: true)],
      examples: ["peerd export --data phone ledger.json"],
      build: { values throws(UsageError) in .exportLedger(file: values.operand(0)) }),
    CommandSpec(
      name: "import", summary: "take in an exported ledger; doing it again changes nothing",
      details: "What a device sold itself, without a sandbox store, counts here once the two are paired.",
      operands: [OperandSpec(name: "FILE", help: "what `peerd export` wrote; - is standard input")],
      examples: ["peerd import --data tablet ledger.json"],
      build: { values throws(UsageError) in .importLedger(file: values.required(0)) }),
  ]

  // MARK: Tools

  static let toolCommands: [CommandSpec] = [
    CommandSpec(
      name: "simulate", summary: "run the deterministic simulation and check the invariants",
      details: """
        Messages are late, lost, doubled and out of order, links break, devices crash and clocks are wrong. With --faults
        more goes wrong. A failing seed is printed with the one line that replays it.
        """,
      options: [.seed, .seeds, .simulatedDevices, .hours, .minutes, .rareFaults],
      examples: [
        "peerd simulate --seed 42 --devices 5 --hours 48",
        "peerd simulate --seeds 100 --minutes 30 --faults removals,copies",
        "peerd simulate --seeds 20 --devices 5 --hours 3 --faults all",
      ], hasData: false,
      build: { values throws(UsageError) in
        .simulate(
          SimulateOptions(
            seed: try values.seed(.seed), seeds: try values.integer(.seeds, in: 1...1_000_000, default: 1),
            devices: try values.integer(.simulatedDevices, in: 2...64, default: 3),
            minutes: try values.simulatedMinutes(), faults: try values.rareFaults()))
      }),
    CommandSpec(
      name: "explore", summary: "search a small world whole and check the invariants after every step",
      details: """
        Three devices that are in sync, one of which has bought five credits: every order in which messages arrive, devices die,
        somebody is removed, something is decided and credits are spent, as far as the bounds go. States are remembered by their
        digest. A broken promise is printed with a shortest path to it.
        """,
      options: [.seed, .exploredStates, .depth, .spends, .decisions, .removals, .crashes],
      examples: ["peerd explore --states 1000000", "peerd explore --spends 3 --removals 0"], hasData: false,
      build: { values throws(UsageError) in
        let bounds = try values.explorerBounds()
        return .explore(ExploreOptions(seed: try values.seed(.seed) ?? 1, bounds: bounds))
      }),
    CommandSpec(
      name: "rehearse", summary: "play a story and show what every device says at each step",
      details: """
        A story is a text file: devices that buy, are cut off, crash and meet again, and what each must answer then.
        It is played by real daemons on this machine, or with --simulated by the same engines in virtual time. A story
        that does not hold names the line, what was expected and what was seen. docs/testing.md has the words; docs/stories
        has a story for each case of the promise.
        """,
      operands: [OperandSpec(name: "FILE", help: "the story; - for standard input")],
      options: [.simulated, .seed],
      examples: [
        "peerd rehearse docs/stories/A1-renewals-apart-add-up.txt",
        "peerd rehearse --simulated --seed 7 my-story.txt",
      ], hasData: false,
      build: { values throws(UsageError) in
        let isSimulated = values.isSet(.simulated)
        let seed = try values.seed(.seed)
        guard isSimulated || seed == nil else {
          throw values.error(
            Phrase(
              "--seed is for --simulated: real processes have none",
              "--seed 옵션은 --simulated 옵션과 함께 씁니다. 실제 프로세스에는 시드가 없습니다"))
        }
        return .rehearse(RehearseOptions(file: values.required(0), isSimulated: isSimulated, seed: seed))
      }),
    CommandSpec(
      name: "bench", summary: "run a benchmark and print its figures, one JSON line each",
      operands: [
        OperandSpec(
          name: "NAME", help: "one of these:", choices: Benchmark.allCases.map { ($0.rawValue, $0.summary) })
      ],
      examples: ["peerd bench merge"], hasData: false,
      build: { values throws(UsageError) in
        guard let benchmark = Benchmark(rawValue: values.required(0)) else {
          throw values.error(
            Phrase(
              "no benchmark is called '\(values.required(0))'", "‘\(values.required(0))’ 벤치마크가 없습니다"))
        }
        return .bench(benchmark)
      }),
  ]
}

extension Values {
  func offset(_ option: OptionSpec) throws(UsageError) -> Int64? {
    guard let text = text(option) else { return nil }
    if let offset = Offset.milliseconds(text) { return offset }
    throw error(
      Phrase(
        "--\(option.name) is a duration such as -90d, +1h30m or P1D, up to 100 years (36525d), not '\(text)'",
        "--\(option.name) 값은 -90d, +1h30m, P1D 같은 100년(36525d) 이하의 길이입니다. 지정한 값: ‘\(text)’"))
  }

  /// An operand that counts credits; 1 where it is left out.
  fileprivate func amount(_ index: Int) throws(UsageError) -> Int {
    guard let text = operand(index) else { return 1 }
    guard let amount = Int(text), (1...Int(Limits.creditTotal)).contains(amount) else {
      throw error(
        Phrase(
          "N is a whole number of credits from 1, not '\(text)'",
          "N 값은 1 이상인 크레딧의 개수입니다. 지정한 값: ‘\(text)’"))
    }
    return amount
  }

  func store() throws(UsageError) -> LocalServer? {
    guard let text = text(.store) else { return nil }
    guard let store = LocalServer(text), store.path == "/" else {
      throw error(
        Phrase(
          "--store is a URL of this machine such as http://127.0.0.1:7500, not '\(text)'",
          "--store 값은 http://127.0.0.1:7500 같은 이 컴퓨터의 URL입니다. 지정한 값: ‘\(text)’"))
    }
    return store
  }

  func seconds(_ option: OptionSpec) throws(UsageError) -> Double {
    guard let text = text(option) else { return 30 }
    guard let seconds = Double(text), (0...86_400).contains(seconds) else {
      throw error(
        Phrase(
          "--\(option.name) is a number of seconds from 0 to 86400, not '\(text)'",
          "--\(option.name) 값은 0에서 86400까지의 초입니다. 지정한 값: ‘\(text)’"))
    }
    return seconds
  }

  fileprivate func seed(_ option: OptionSpec) throws(UsageError) -> UInt64? {
    guard let text = text(option) else { return nil }
    guard let seed = UInt64(text) else {
      throw error(
        Phrase(
          "--\(option.name) is a whole number, not '\(text)'",
          "--\(option.name) 값은 0 이상의 정수입니다. 지정한 값: ‘\(text)’"))
    }
    return seed
  }

  func digest(_ option: OptionSpec) throws(UsageError) -> String? {
    guard let text = text(option)?.lowercased() else { return nil }
    guard text.utf8.count == 32, text.allSatisfy({ $0.isHexDigit }) else {
      throw error(
        Phrase(
          "--\(option.name) is 32 hexadecimal digits, as in `peerd status`",
          "--\(option.name) 값은 `peerd status` 명령에 나오는 16진수 32자리입니다"))
    }
    return text
  }

  func entitlement(_ text: String) throws(UsageError) -> WaitOptions.Entitlement {
    guard let equals = text.lastIndex(of: "=") else {
      return WaitOptions.Entitlement(id: text, isActive: true)
    }
    let state = text[text.index(after: equals)...]
    guard state == "active" || state == "inactive" else {
      throw error(
        Phrase(
          "--entitlement is ID, ID=active or ID=inactive, not '\(text)'",
          "--entitlement 값은 ID, ID=active, ID=inactive 가운데 하나입니다. 지정한 값: ‘\(text)’"))
    }
    return WaitOptions.Entitlement(id: String(text[..<equals]), isActive: state == "active")
  }
}
