import PeerSync

// What commands that change something say they did.
extension Phrase {
  static let bought1 = Phrase("bought", "구입함:")
  static let alreadyOwned = Phrase("already owned:", "이미 있음:")
  static let alreadySubscribed = Phrase("already subscribed:", "이미 구독 중:")
  static let refunded = Phrase("refunded", "환불함:")
  static let alreadyRefunded = Phrase("already refunded:", "이미 환불됨:")

  static func beginsLater(_ product: String) -> Phrase {
    Phrase(
      "nothing was bought now: \(product) begins at the next renewal of",
      "지금 구입한 것은 없습니다. 다음 갱신 때 ‘\(product)’ 상품으로 바뀝니다:")
  }

  static func refundChangesNothing(_ line: String) -> Phrase {
    Phrase(
      "\(line) stays as it is: its explicit date stands in for this purchase, and a refund does not change that date",
      "‘\(line)’ 이용 기간은 그대로입니다. 정해진 날짜가 이 구입을 대신하며, 환불해도 그 날짜는 바뀌지 않습니다")
  }

  static let restored = Phrase("restored", "복원함")
  static func transaction(_ id: String) -> Phrase { Phrase("transaction \(id)", "거래        \(id)") }
  static func purchased(_ date: String) -> Phrase { Phrase("purchased   \(date)", "구입        \(date)") }
  static func until(_ date: String) -> Phrase { Phrase("until       \(date)", "만료        \(date)") }
  static func refunded(_ date: String) -> Phrase { Phrase("refunded    \(date)", "환불        \(date)") }

  static func waits(_ product: String, number: UInt64?) -> Phrase {
    Phrase(
      "\(product) waits for approval\(number.map { " under the number \($0)" } ?? ""); nothing is granted until then",
      "‘\(product)’ 상품의 구입이 승인을 기다립니다\(number.map { "(번호 \($0))" } ?? ""). 그때까지는 아무것도 제공되지 않습니다")
  }

  static let livesHereRemoved =
    Phrase(
      "It lives on this device only, for the device was removed from its group. A new device in another directory can join: ",
      "기기가 그룹에서 제거되어 이 기기에만 남습니다. 다른 디렉터리에 만든 새 기기는 그룹에 들어갈 수 있습니다: ") + .newDevice + .same(".")
  static let countsHereRemoved =
    Phrase(
      "It counts on this device only, for the device was removed from its group. A new device in another directory can join: ",
      "기기가 그룹에서 제거되어 이 기기에만 적용됩니다. 다른 디렉터리에 만든 새 기기는 그룹에 들어갈 수 있습니다: ") + .newDevice + .same(".")
  static let livesHereCopied = Phrase(
    "It lives on this device only, for another copy of the device is at work; see `peerd status`.",
    "기기의 다른 사본이 실행 중이어서 이 기기에만 남습니다. `peerd status` 명령을 확인하세요.")
  static let livesHereAlone = Phrase(
    "It lives on this device only until the device is paired (`peerd invite` here, `peerd join` on the other); "
      + "pairing carries it over.",
    "다른 기기와 연결(여기서 `peerd invite`, 다른 기기에서 `peerd join`)할 때까지 이 기기에만 남습니다. 연결하면 함께 옮겨집니다.")

  static func restored(fromStore: Int, fromPeers: Int) -> Phrase {
    Phrase(
      ": \(fromStore) purchase\(fromStore == 1 ? "" : "s") from the store, \(fromPeers) from peers",
      ": 스토어에서 \(fromStore)건, 다른 기기에서 \(fromPeers)건")
  }

  static let nothingChanged = Phrase(
    "nothing changed: all of it was here already", "달라진 것이 없습니다. 모두 이미 여기에 있었습니다")
  static let nothingToRestore = Phrase(
    "nothing changed: there is nothing new to restore", "달라진 것이 없습니다. 새로 복원할 것이 없습니다")
  static let fromStore = Phrase("store", "스토어")
  static let fromPeers = Phrase("peers", "다른 기기")

  // MARK: What changed

  static func noCover(_ line: String) -> Phrase {
    Phrase("\(line) has no cover any more", "‘\(line)’ 이용 기간이 없어졌습니다")
  }

  static func lasts(_ line: String, until date: String, before: String?) -> Phrase {
    Phrase(
      "\(line) now lasts until \(date)" + (before.map { "; before: \($0)" } ?? ""),
      "‘\(line)’ 이용 기한: \(date)" + (before.map { "; 이전: \($0)" } ?? ""))
  }

  static func ended(_ line: String, _ date: String, before: String?) -> Phrase {
    Phrase(
      "\(line) ended \(date)" + (before.map { "; before: \($0)" } ?? ""),
      "‘\(line)’ 이용 기간 끝남: \(date)" + (before.map { "; 이전: \($0)" } ?? ""))
  }

  static func isNow(_ entitlement: String, _ state: String, until date: String?) -> Phrase {
    Phrase(
      "\(entitlement) is \(state) now" + (date.map { ", until \($0)" } ?? ""),
      "‘\(entitlement)’ 권한: 이제 \(state)" + (date.map { ", 기한 \($0)" } ?? ""))
  }

  static func left(_ credit: String, _ balance: Int64, before: Int64) -> Phrase {
    Phrase("\(credit): \(balance) left, \(before) before", "‘\(credit)’ 크레딧: \(balance)개 남음, 이전 \(before)개")
  }

  static func owed(_ credit: String, _ debt: Int64) -> Phrase {
    Phrase(
      "\(credit): \(debt) were spent that are refunded now; the next purchase pays them first",
      "‘\(credit)’ 크레딧: 사용한 \(debt)개가 환불되었습니다. 다음에 구입한 것에서 먼저 채웁니다")
  }

  static func nothingOwed(_ credit: String) -> Phrase {
    Phrase("\(credit): nothing is owed any more", "‘\(credit)’ 크레딧: 더 채울 것이 없습니다")
  }

  static func becomesNoMore(_ product: String) -> Phrase {
    Phrase("It does not become \(product) any more.", "‘\(product)’ 상품으로 바뀌지 않습니다.")
  }

  // MARK: Credits, dates and grants

  static let spent = Phrase("spent", "사용함:")
  static func spent(_ amount: Int64, of credit: String, left: Int64) -> Phrase {
    Phrase(" \(amount) of \(credit), \(left) left", " ‘\(credit)’ 크레딧 \(amount)개, \(left)개 남음")
  }

  static func spentBefore(_ amount: Int64, of credit: String, left: Int64) -> Phrase {
    Phrase(
      "already spent under this id: \(amount) of \(credit); nothing changed, \(left) left",
      "이 ID로 이미 사용함: ‘\(credit)’ 크레딧 \(amount)개. 달라진 것이 없습니다. \(left)개 남음")
  }

  static func canSpend(_ credit: String, _ available: Int64, of balance: Int64) -> Phrase {
    Phrase(
      "\(credit): this device can spend \(available) of \(balance)",
      "‘\(credit)’ 크레딧: 이 기기에서 \(balance)개 가운데 \(available)개를 쓸 수 있습니다")
  }

  static func dated(_ line: String, _ date: String?, covers: Int) -> Phrase {
    Phrase(
      "\(line) \(date.map { "expires \($0)" } ?? "has no cover"); purchases not among the \(covers) known here count on top",
      "‘\(line)’ 이용 기간: \(date.map { "만료 \($0)" } ?? "없음"). 여기서 아는 \(covers)건 밖의 구입은 더해집니다")
  }

  static func granted(_ entitlement: String, until date: String?, isOver: Bool) -> Phrase {
    Phrase(
      "granted \(entitlement)" + (date.map { " until \($0)" } ?? "")
        + (isOver ? "; that is over already, so it gives nothing now" : ""),
      "‘\(entitlement)’ 권한을 " + (date.map { "\($0)까지 " } ?? "") + "부여했습니다"
        + (isOver ? ". 이미 지난 시각이어서 지금은 아무것도 제공하지 않습니다" : ""))
  }

  static let namedByNoProduct = Phrase(
    "no product of the catalogue gives that entitlement: if the name is not as the app has it, take it back with `peerd revoke`",
    "이 권한을 제공하는 상품이 카탈로그에 없습니다. 앱에서 쓰는 이름이 아니면 `peerd revoke` 명령으로 취소하세요")

  static func revoked(_ entitlement: String) -> Phrase {
    Phrase("took back every grant of \(entitlement)", "‘\(entitlement)’ 권한의 부여를 모두 취소했습니다")
  }

  // MARK: Group and network

  static let onNewDevice = Phrase("On the new device:", "새 기기에서:")
  static let onSameNetwork = Phrase("On the new device, on the same network:", "같은 네트워크에 있는 새 기기에서:")
  static let onThisMachine = Phrase("On another device of this machine:", "이 컴퓨터의 다른 기기에서:")
  static let noURL = Phrase(
    "There is no URL: this machine has no address that means anything elsewhere.",
    "URL은 없습니다. 이 컴퓨터에는 다른 곳에서 쓸 수 있는 주소가 없습니다.")
  static let reachedByNobody = Phrase(
    "No other machine can reach this device, which listens on this one alone: run it with --lan.",
    "다른 컴퓨터는 이 기기에 연결할 수 없습니다. 다른 컴퓨터에서도 쓰려면 --lan 옵션으로 실행하세요.")
  static func codeAlone(_ code: String) -> Phrase {
    Phrase("On the same network the code alone is enough: \(code)", "같은 네트워크에서는 코드만으로 충분합니다: \(code)")
  }
  static func goodUntil(_ date: String) -> Phrase {
    Phrase("Good for one device until \(date).", "\(date)까지 기기 한 대에 쓸 수 있습니다.")
  }

  static let joined = Phrase("joined", "들어감")
  static func group(of names: [String]) -> Phrase {
    let list = names.joined(separator: ", ")
    return Phrase(" the group of \(list)", ": \(list) 기기의 그룹")
  }

  static let isOnline = Phrase("online", "온라인")
  static let isOffline = Phrase(
    "offline: cut off from its peers until `peerd online`", "오프라인: `peerd online` 명령까지 다른 기기와 연결하지 않습니다")
  static func isCalled(_ name: String, everywhere: Bool) -> Phrase {
    everywhere
      ? Phrase(
        "this device is called \(name) now, on every device of its group",
        "이제 그룹의 모든 기기에서 이 기기의 이름은 ‘\(name)’입니다")
      : Phrase("this device is called \(name) now", "이제 이 기기의 이름은 ‘\(name)’입니다")
  }
  static let hasLeft = Phrase("left", "떠남")
  static func goesOn(with count: Int) -> Phrase {
    Phrase(
      ": the group goes on with \(count) device\(count == 1 ? "" : "s")", ": 그룹에는 기기 \(count)대가 남습니다")
  }

  static let removedDevice = Phrase("removed", "제거함")
  static func areLeft(_ name: String, _ count: Int) -> Phrase {
    Phrase(
      " \(name): \(count) device\(count == 1 ? " is" : "s are") left", ": ‘\(name)’ 기기, 남은 기기 \(count)대")
  }

  static let nothingDecided = Phrase("It has decided nothing of that.", "그 기기에서 정한 것이 없습니다.")
  static func then(_ stands: String, by name: String?) -> Phrase {
    Phrase(stands + (name.map { ", as \($0) decided" } ?? ""), stands + (name.map { "(‘\($0)’ 기기)" } ?? ""))
  }

  /// What a device has decided, by the word of the API.
  static func decision(_ kind: String) -> Phrase {
    let korean = [
      "expiration": "이용 기간", "grant": "부여", "product": "상품", "value": "값", "deviceName": "기기 이름",
    ]
    return Phrase(kind == "deviceName" ? "name" : kind, korean[kind] ?? kind)
  }

  static let nothing = Phrase("nothing", "없음")
  static func moreTakenBack(_ count: Int) -> Phrase {
    Phrase(
      "\(count) more, which had been outbid or are too many to list", "그 밖에 \(count)건: 이미 바뀌었거나 너무 많아 생략했습니다")
  }

  static func replacedAreGone(_ count: UInt64, of device: String) -> Phrase {
    Phrase(
      "\(count) earlier writes, which \(device) had replaced itself, are gone",
      "‘\(device)’ 기기가 스스로 바꾼 이전 기록 \(count)건은 없어집니다")
  }

  static func heldBackFalls(_ device: String) -> Phrase {
    Phrase(
      "decisions of \(device) that are held back here, for they are stamped ahead, never count",
      "‘\(device)’ 기기가 정한 것 가운데 앞선 시각이 찍혀 여기서 보류한 것은 영영 계산되지 않습니다")
  }

  static let done = Phrase("done", "완료")
  static func wroteProducts(_ written: Int, of count: Int) -> Phrase {
    Phrase("written: \(written) of \(count) products", "기록함: 상품 \(count)개 가운데 \(written)개")
  }

  static func exported(_ count: Int, to file: String) -> Phrase {
    Phrase("wrote \(count) registers to \(file)", "레지스터 \(count)개를 \(file) 파일에 썼습니다")
  }

  static func imported(_ count: Int, changed: Int, skipped: Int) -> Phrase {
    Phrase(
      "took in \(count) registers; \(changed) were new or newer"
        + (skipped == 0
          ? "" : "\nleft out \(skipped) that say what devices have spent: nobody says that for them"),
      "레지스터 \(count)개를 받았고, 그 가운데 \(changed)개가 새것입니다"
        + (skipped == 0 ? "" : "\n기기가 쓴 크레딧에 대한 \(skipped)개는 그 기기만 말할 수 있으므로 뺐습니다"))
  }

  static let accepted = Phrase("accepted", "받음")
  static let knownAlready = Phrase(", known already", ", 이미 있음")
  static func refusedItem(_ reason: Phrase?) -> Phrase { Phrase("refused: ", "거부: ") + (reason ?? .same("")) }

  // MARK: Setting a device up

  static let nextStart = Phrase(
    "It counts from the next start of the daemon on.", "데몬을 다음에 시작할 때부터 적용됩니다.")

  static func made(_ name: String, in directory: String) -> Phrase {
    Phrase("Made the device \(name) in \(directory).", "\(directory)에 \(name) 기기를 만들었습니다.")
  }

  static func facts(_ id: String, _ environment: String, _ app: String, _ products: Int) -> Phrase {
    Phrase(
      "  id           \(id)\n  environment  \(environment)\n  app          \(app)\n  products     \(products)\n",
      "  ID    \(id)\n  환경  \(environment)\n  앱    \(app)\n  상품  \(products)\n")
  }

  static func showsRecoveryKey(_ key: String) -> Phrase { Phrase("Recovery key: \(key)", "복구 키: \(key)") }

  static let writeItDown = Phrase(
    "Write it down: it is shown once and kept nowhere. It outranks this device and those that come in below it, and no "
      + "other. With it each of these can be removed, even when it is stolen, from any other device of the group:",
    "적어 두세요. 한 번만 보여 주고 어디에도 저장하지 않습니다. 이 키는 이 기기와 그 아래로 들어온 기기에만 우선합니다. "
      + "도난당한 기기라도 그룹의 다른 어느 기기에서나 이 키로 제거할 수 있습니다.")

  static func startWith(_ directory: String) -> Phrase {
    Phrase("Start it with: peerd run --data \(directory)", "시작하려면: peerd run --data \(directory)")
  }

  static let ready = Phrase("ready", "준비됨")

  static func serves(_ listen: String?, http: String, environment: String) -> Phrase {
    Phrase(
      "\(listen.map { "listening for peers on \($0)" } ?? "not listening for peers"), control API on \(http), environment \(environment)",
      "\(listen.map { "\($0)에서 다른 기기의 연결을 받음" } ?? "다른 기기의 연결을 받지 않음"), 제어 API \(http), 환경 \(environment)")
  }

  static func storeIsAt(_ url: String, products: Int) -> Phrase {
    Phrase(
      ": the store is at \(url), and sells \(products) products", ": 스토어 주소 \(url), 파는 상품 \(products)개")
  }

  /// How devices and servers use a store.
  static func storeServes(
    _ url: String, key: String, _ keyId: String, issuer: String, root: String
  ) -> Phrase {
    Phrase(
      """
      devices     peerd run --data DIR --store \(url)
      servers     key \(key), key id \(keyId), issuer id \(issuer)
      signatures  root certificate \(root)
      """,
      """
      기기    peerd run --data DIR --store \(url)
      서버    키 \(key), 키 ID \(keyId), 발급자 ID \(issuer)
      서명    루트 인증서 \(root)
      """)
  }

  static func labIsAt(_ url: String) -> Phrase { Phrase(": open \(url)", ": 다음 주소를 여세요\n\(url)") }
  static func labStays(in directory: String) -> Phrase {
    Phrase(
      "The address holds a secret: whoever has it may do everything here. Stop with Ctrl-C; the laboratory stays in \(directory).",
      "주소에 비밀이 들어 있어, 아는 사람은 여기서 무엇이든 할 수 있습니다. Ctrl-C 키로 멈춰도 실험실은 \(directory)에 남습니다.")
  }
  static let labGoes = Phrase(
    "The address holds a secret: whoever has it may do everything here. Stop with Ctrl-C; nothing is left then.",
    "주소에 비밀이 들어 있어, 아는 사람은 여기서 무엇이든 할 수 있습니다. Ctrl-C 키로 멈추면 아무것도 남지 않습니다.")
}
