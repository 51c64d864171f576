// What `status` warns of.
extension Phrase {
  /// The first of them, and how many there are besides.
  static func list(_ names: [String]) -> Phrase { list(names.map { same($0) }) }

  private static func list(_ names: [Phrase], atMost most: Int = 4) -> Phrase {
    let first = joined(Array(names.prefix(most)), by: ", ")
    guard names.count > most else { return first }
    return first + Phrase(" and \(names.count - most) more", " 외 \(names.count - most)개")
  }

  /// A device, where a sentence begins.
  private static func device(_ name: String?) -> Phrase {
    Phrase(name ?? "this device", name.map { "‘\($0)’ 기기" } ?? "이 기기")
  }

  // MARK: Purchases and the catalogue

  static func notUnderstood(_ count: Int) -> Phrase {
    Phrase(
      "\(count) registers are not understood here: update peerd on this device",
      "이해할 수 없는 레지스터가 \(count)개 있습니다. 이 기기의 peerd를 업데이트하세요")
  }

  static func countsForNothing(_ count: Int, _ reason: JWSRejection, in environment: Environment) -> Phrase {
    Phrase(
      "\(count) item\(count == 1 ? "" : "s") of the store count\(count == 1 ? "s" : "") for nothing: ",
      "스토어가 서명한 \(count)건은 계산되지 않습니다: ") + reason.told
      + (reason == .untrustedRoot && environment == .sandbox ? useItsStore : .same(""))
  }

  /// A store of its own process: those that devices bring along are trusted as their members are.
  private static let useItsStore = Phrase(
    "; where a sandbox store has sold them that this device does not use, start this device with that store, and it trusts it from then on",
    ". 이 기기가 쓰지 않는 샌드박스 스토어에서 판매한 것이면 그 스토어를 쓰도록 이 기기를 시작하세요. 그때부터 그 스토어를 신뢰합니다")

  static func soldTwice(_ ids: [String]) -> Phrase {
    Phrase("the store has sold two different things under one id: ", "스토어가 한 거래 번호로 서로 다른 두 가지를 판매했습니다: ")
      + list(ids)
      + Phrase(
        "; of each only what it signed last counts: an export has both, and what is missing has to be bought again or granted",
        ". 각각 마지막에 서명한 것만 계산됩니다. 내보내기에는 둘 다 들어 있으며, 빠진 것은 다시 구입하거나 권한으로 부여해야 합니다")
  }

  static func contradictions(_ ids: [String]) -> Phrase {
    Phrase(
      "the store has signed two different things at one instant about ", "스토어가 같은 시각에 서로 다른 두 가지를 서명했습니다: ")
      + list(ids)
      + Phrase(
        ": what it takes back counts, else the greater content; an export has both",
        ". 취소하는 내용이 우선하고, 아니면 더 큰 내용이 계산됩니다. 내보내기에는 둘 다 들어 있습니다")
  }

  static let emptyCatalogue = Phrase(
    "the catalogue is empty: no purchase grants anything until a device with a catalogue is met",
    "카탈로그가 비어 있습니다. 카탈로그가 있는 기기를 만나기 전에는 구입해도 아무것도 제공되지 않습니다")

  /// What several products lack alike.
  static func lack(_ kind: ProductLack.Kind, of products: [String]) -> Phrase {
    let names = list(products.map { same($0) }, atMost: 8)
    switch kind {
    case .before:
      return Phrase(
        "no file says what was bought before the first dates of ",
        "첫 날짜 전의 구입이 무엇인지 적은 파일이 없어, 그 전의 구입은 아무것도 제공하지 않는 상품: ")
        + names + Phrase(", so that what was bought before grants nothing", "")
    case .type:
      return Phrase("no file says the type of ", "종류를 적은 파일이 없어 아무것도 제공하지 않는 상품: ")
        + names + Phrase(", so that they grant nothing", "")
    case .line:
      return Phrase("no file says the line and period of ", "이용 기간과 길이를 적은 파일이 없어 아무것도 제공하지 않는 상품: ")
        + names + Phrase(", so that they grant nothing", "")
    case .credit:
      return Phrase("no file says the credit of ", "어떤 크레딧을 사는지 적은 파일이 없어 아무것도 제공하지 않는 상품: ")
        + names + Phrase(", so that they grant nothing", "")
    }
  }

  static func revalued(_ product: String, _ count: Int) -> Phrase {
    let (purchases, when) = count == 1 ? ("purchase", "it was") : ("purchases", "they were")
    return Phrase(
      "the newest catalogue counts \(count) \(purchases) of \(product) otherwise than when \(when) made: if that is not meant, "
        + "write the product again with the former entry, and the new one with the date that it counts from as `from`",
      "최신 카탈로그는 ‘\(product)’ 상품의 구입 \(count)건을 구입 당시와 다르게 계산합니다. 의도한 것이 아니면 이전 항목으로 상품을 다시 쓰고, "
        + "새 항목에는 적용되기 시작하는 날짜를 `from` 값으로 쓰세요")
  }

  static func revaluedMore(_ count: Int) -> Phrase {
    Phrase(
      "the newest catalogue counts purchases of \(count) more products otherwise as well",
      "최신 카탈로그는 그 밖의 상품 \(count)개의 구입도 다르게 계산합니다")
  }

  // MARK: Devices

  static let anotherCopy = Phrase(
    StatusAnswer.anotherCopy,
    "이 기기의 복사본이 동작하고 있어 아무것도 정하지 않습니다. 둘 가운데 하나를 완전히 멈춘 뒤 다른 하나를 다시 시작하세요")

  static func equivocated(_ name: String, _ id: String) -> Phrase {
    Phrase(
      "\(name) (\(id)) equivocated: it signed two conflicting commits. It was copied, restored, or is dishonest. What it wrote "
        + "since under that name does not count until it has met a device of the group, and writes it again; remove it if it is stolen or "
        + "dishonest",
      "‘\(name)’ 기기(\(id))가 서로 어긋나는 두 기록에 서명했습니다. 복사되었거나, 되돌려졌거나, 정직하지 않습니다. 그 뒤에 그 이름으로 쓴 것은 그룹의 기기와 "
        + "만나 다시 쓸 때까지 계산되지 않습니다. 도난당했거나 정직하지 않은 기기라면 제거하세요")
  }

  static func setBack(at time: Instant) -> Phrase {
    Phrase(
      "at \(time) the database was found to be older than what this device had acknowledged, or a copy: connect to a device of the group, "
        + "which brings back what it knows; what was spent since is not known here, so credits stay locked until they are reclaimed",
      "\(time)에 데이터베이스가 이 기기가 확인해 준 것보다 오래되었거나 복사본임을 알았습니다. 그룹의 다른 기기에 연결하면 알고 있는 것을 다시 가져옵니다. 그 뒤에 쓴 "
        + "크레딧은 여기서 알 수 없어, 회수할 때까지 잠겨 있습니다")
  }

  static func wroteOddly(_ name: String, _ titles: [Phrase]) -> Phrase {
    Phrase(
      "\(name) wrote what is not understood here, and what counts for nothing: ",
      "‘\(name)’ 기기가 쓴 것을 이해할 수 없어 계산하지 않습니다: ")
      + list(titles)
      + Phrase(
        "; update peerd on this device, or remove \(name) with all that it decided if it is not honest",
        ". 이 기기의 peerd를 업데이트하거나, 정직하지 않으면 정한 모든 것과 함께 그 기기를 제거하세요")
  }

  private static let putRight = Phrase(
    ": if that is wrong, write the product into the catalogue again, and remove a member that is not honest with all that it decided",
    ". 잘못된 것이면 상품을 카탈로그에 다시 쓰고, 정직하지 않은 기기는 정한 모든 것과 함께 제거하세요")

  static func otherType(_ name: String, _ product: String, than others: [String]) -> Phrase {
    Phrase(
      "\(name) gave the product '\(product)' another type than ",
      "‘\(name)’ 기기가 ‘\(product)’ 상품의 종류를 다음 기기와 다르게 정했습니다: ")
      + list(others) + Phrase(", and its entry counts", ". 그 항목이 계산됩니다") + putRight
  }

  static func greatestVersion(_ name: String, _ product: String) -> Phrase {
    Phrase(
      "\(name) gave the product '\(product)' the greatest version that there is, so that no other catalogue replaces it",
      "‘\(name)’ 기기가 ‘\(product)’ 상품에 가장 큰 버전을 주어 다른 카탈로그가 대신할 수 없습니다") + putRight
  }

  static func takesOver(_ name: String) -> Phrase {
    Phrase(
      "\(name) says that it has taken over credits of a device that is not removed: nothing moves by that. It was right to if somebody had "
        + "removed that device and was overruled, or if the device was taken for lost and has joined since; else remove \(name)",
      "‘\(name)’ 기기가 제거되지 않은 기기의 크레딧을 넘겨받았다고 합니다. 그것으로 옮겨지는 것은 없습니다. 누가 그 기기를 제거했다가 그 제거가 "
        + "무효가 되었거나, 잃어버린 줄 알았던 그 기기가 나중에 참여했으면 문제가 없고, 아니면 ‘\(name)’ 기기를 제거하세요")
  }

  /// - Parameter name: nil: this device
  static func outlived(_ name: String?, _ lives: Int) -> Phrase {
    device(name)
      + Phrase(
        " has lived \(lives) times, and what it writes in another life is not taken: make a new device there, let it join, and remove this one",
        ": \(lives)번 다시 시작된 저장소라 그 뒤에 쓰는 것은 받아들여지지 않습니다. 그곳에 새 기기를 만들어 그룹에 들어오게 하고, 이 기기는 제거하세요")
  }

  static let ledgerFull = Phrase(
    "the ledger of this device is full: what is new is not taken in, neither from here nor from others. Where a warning names who has filled it, "
      + "remove that device as it says; else begin anew with new devices, and import there what is exported here",
    "이 기기의 기록이 가득 차서 여기서든 다른 기기에서든 새 내용을 받지 않습니다. 기록을 채운 기기가 경고에 나오면 경고에 적힌 대로 제거하고, 아니면 새 기기로 다시 "
      + "시작해 여기서 내보낸 것을 가져오세요")

  /// - Parameter name: nil: this device
  static func fills(_ name: String?, _ count: Int, of most: Int) -> Phrase {
    device(name)
      + Phrase(
        " has written \(count) of the \(most) registers that there can be, far more than a person needs: if that is not meant, remove it with "
          + "--all, also if it was removed before, and what it wrote makes room",
        ": 레지스터 \(most)개 가운데 \(count)개를 썼습니다. 한 사람에게 필요한 것보다 훨씬 많습니다. 의도한 것이 아니면 --all로 제거하세요(이미 제거했어도 다시). 그러면 그 "
          + "기기가 쓴 것이 빠져 자리가 납니다")
  }

  /// - Parameters:
  ///   - name: nil: this device
  ///   - below: how many devices came in below it
  static func fillTogether(_ name: String?, _ below: Int, _ count: Int, of most: Int) -> Phrase {
    device(name)
      + Phrase(
        " and the \(below) devices that came in below it have written \(count) of the \(most) registers that there can be: if that is not meant, "
          + "remove it with --all, also if it was removed before, and name those that it let in with --disown; what they wrote makes room",
        "와 그 아래로 들어온 기기 \(below)대가 레지스터 \(most)개 가운데 \(count)개를 썼습니다. 의도한 것이 아니면 --all로 제거하면서(이미 제거했어도 다시), 그 "
          + "기기가 들어오게 한 기기들을 --disown으로 지정하세요. 그러면 그 기기들이 쓴 것이 빠져 자리가 납니다")
  }

  // MARK: Credits

  static func overspent(_ name: Phrase, _ amount: Int64, of credit: String, isRemoved: Bool) -> Phrase {
    name
      + Phrase(
        " has spent or given away \(amount) of '\(credit)' that it never had, as far as is known here: others pay of it no more than "
          + "what it gave them. ",
        " 가진 적 없는 ‘\(credit)’ 크레딧 \(amount)개를 썼거나 주었습니다(여기서 아는 한). 다른 기기는 받은 만큼만 부담합니다. ")
      + (isRemoved
        ? Phrase("It was removed, and nothing else is to be done", "이미 제거된 기기이므로 더 할 일은 없습니다")
        : Phrase("Remove it if it is not honest", "정직하지 않으면 제거하세요"))
  }

  // Who has done something: in Korean with the particle of a subject.
  static let thisDevice = Phrase("this device", "이 기기가")
  static let purchaseTakenTwice = Phrase(
    "a purchase that names no device, and was taken over twice,", "기기를 밝히지 않아 두 번 넘겨받은 구입이")

  static func device(_ name: String) -> Phrase { Phrase(name, "‘\(name)’ 기기가") }

  /// - Parameter names: who says so in place of these devices; empty: nobody
  static func overspentUnknown(_ amount: Int64, of credit: String, namedBy names: String) -> Phrase {
    let by =
      names.isEmpty
      ? Phrase("", "")
      : Phrase(
        ". This comes from \(names), which may only repeat what a removed device said: remove whoever made it up",
        " ‘\(names)’ 기기가 그렇게 알렸습니다. 제거된 기기의 말을 옮긴 것일 수도 있습니다. 지어낸 기기가 있으면 제거하세요")
    return Phrase(
      "devices that are not known here have spent or given away \(amount) of '\(credit)' that they never had: others pay of it no more than "
        + "what they were given",
      "여기서 모르는 기기가 가진 적 없는 ‘\(credit)’ 크레딧 \(amount)개를 썼거나 주었습니다. 다른 기기는 받은 만큼만 부담합니다.") + by
  }

  /// - Parameter amounts: of each of the lives
  static func earlierLivesHold(_ amounts: [Int64], of credit: String) -> Phrase {
    let all = amounts.reduce(0, &+)
    guard amounts.count > 1 else {
      return Phrase(
        "an earlier life of this device holds \(all) of '\(credit)': reclaim the credit if that life is over",
        "이 기기의 이전 저장소가 ‘\(credit)’ 크레딧 \(all)개를 가지고 있습니다. 더는 쓰지 않는 저장소면 크레딧을 회수하세요")
    }
    return Phrase(
      "\(amounts.count) earlier lives of this device hold \(all) of '\(credit)': reclaim the credit if those lives are over",
      "이 기기의 이전 저장소 \(amounts.count)개가 ‘\(credit)’ 크레딧 \(all)개를 가지고 있습니다. 더는 쓰지 않는 저장소면 크레딧을 회수하세요")
  }

  static func outsidersHold(_ amount: Int64, of credit: String) -> Phrase {
    Phrase(
      "a device that was met, and neither belongs to the group nor was removed from it, holds \(amount) of '\(credit)': let it join anew, or if "
        + "it is lost for good, reclaim the credit from lost devices",
      "만난 적은 있지만 그룹에 속하지 않고 제거된 것도 아닌 기기가 ‘\(credit)’ 크레딧 \(amount)개를 가지고 있습니다. 다시 참여시키거나, 완전히 "
        + "잃어버렸으면 잃어버린 기기의 크레딧을 회수하세요")
  }

  static func removedMaySpend(_ name: String, _ amount: Int64, of credit: String) -> Phrase {
    Phrase(
      "\(name), which was removed, can still spend \(amount) of '\(credit)' until it hears of it: if it is lost for good, reclaim the credit",
      "제거된 ‘\(name)’ 기기가 그 사실을 알 때까지 ‘\(credit)’ 크레딧 \(amount)개를 쓸 수 있습니다. 완전히 잃어버렸으면 크레딧을 회수하세요")
  }

  static func removedHeld(_ name: String, _ amount: Int64, of credit: String) -> Phrase {
    Phrase(
      "the \(amount) of '\(credit)' that \(name) held, which was removed, are not taken over automatically: a device was copied, put back or "
        + "moved once, or may overrule its removal, and another life of it may have spent them; if that is over, reclaim the credit",
      "제거된 ‘\(name)’ 기기가 가졌던 ‘\(credit)’ 크레딧 \(amount)개를 아무도 저절로 넘겨받지 않습니다. 복사되거나 되돌려지거나 옮겨진 적이 있거나 제거를 뒤집을 수 있는 "
        + "기기가 있어, 그 다른 저장소가 이미 썼을 수 있습니다. 더는 그럴 일이 없으면 크레딧을 회수하세요")
  }

  static func removeAgain(_ name: String, of credit: String) -> Phrase {
    Phrase(
      "no device of the group has all that counts of \(name), so what removed devices hold of '\(credit)' cannot be taken over: remove "
        + "\(name) again, and only what is here counts",
      "그룹의 어느 기기에도 ‘\(name)’ 기기가 쓴 것 가운데 계산될 것이 다 있지 않아, 제거된 기기가 가진 ‘\(credit)’ 크레딧을 넘겨받을 수 없습니다. ‘\(name)’ 기기를 "
        + "다시 제거하면 여기 있는 것만 계산됩니다")
  }
}
