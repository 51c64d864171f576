/// Of all that may be wrong with a join, a new invitation mends two.
extension Problem.Reason {
  init(_ reason: CloseReason) {
    switch reason {
    case .wrongCode: self = .wrongCode
    case .noInvitation: self = .noInvitation
    default: self = .other
    }
  }
}

extension Problem {
  /// What a refusal is called, and what to do.
  package init(_ refusal: Refusal) {
    switch refusal {
    case .tooLarge: self = .tooLarge
    case .misfit: self = .misfit
    case .notName: self = .notName
    case .unfitProduct(let id): self.init(.invalidValue, Catalogue.misfitTold(id))
    case .tooManyProducts: self = .tooManyProducts
    case .unknownLine(let line, let known): self = .unknownLine(line, known: known)
    case .tooManyPurchases: self = .tooManyPurchases
    case .unknownGrant(let entitlement, let known): self = .unknownGrant(of: entitlement, known: known)
    case .purchase(let refusal): self.init(refusal)
    case .full:
      self.init(
        .ledgerFull,
        Phrase(
          "the ledger of this device is full: its status says who has filled it, and what to do",
          "이 기기의 기록이 가득 찼습니다. 누가 채웠고 어떻게 할지는 상태에 나옵니다"))
    case .tooFarAhead(let time): self = .tooFarAhead(time)
    case .notListening: self = .notListening
    case .noNetwork: self = .noNetwork
    case .offline: self = .offline
    case .busy:
      self.init(
        .busy,
        Phrase("another join is under way: wait for it", "이미 다른 그룹에 들어가는 중입니다. 끝날 때까지 기다리세요"))
    case .removed: self = .removed
    case .unknownDevice:
      self.init(.unknownDevice, Phrase("no such device is in the group", "그룹에 그런 기기가 없습니다"))
    case .removedAlready: self = .removedAlready
    case .hasLeft: self = .hasLeft
    case .notHeardOf: self = .notHeardOf
    case .notMet: self = .notMet
    case .notPermitted: self = .notPermitted
    case .noRoom: self = .noRoom
    case .disownedStay: self = .disownedStay
    case .goAlong(let devices): self = .goAlong(devices.map(\.shortForm))
    case .cloned: self = .cloned
    case .unreachable: self = .unreachable
    // To whoever is pairing just now, that they should pair would be no help.
    case .notAdmitted(.stranger): self = .otherApp
    // This device has been removed without hearing of it.
    case .notAdmitted(.removed): self = .removed
    case .notAdmitted(let reason): self.init(.notAdmitted, reason.told, reason: Reason(reason))
    case .unknownCredit: self.init(Code.unknownCredit)
    case .notEnough: self.init(.notEnough)
    case .spentOtherwise(let amount):
      self.init(
        .spentOtherwise,
        Phrase(
          "\(amount) were spent under this id before: give the new spend another id",
          "이 ID로 이미 \(amount)개를 썼습니다. 새로 쓸 때는 다른 ID를 지정하세요"))
    case .notComplete: self.init(.notComplete)
    case .notCustodian: self.init(.notCustodian)
    case .notYet(let time):
      self.init(
        .invalidValue,
        Phrase(
          "\(time) has not come yet: give a time that has passed", "\(time) 시각은 아직 오지 않았습니다. 지난 시각을 지정하세요"))
    case .knewNothing(let begin): self = .knewNothing(since: begin)
    case .mayNotAccept: self = .mayNotAccept
    }
  }

  private init(_ refusal: PurchaseRefusal) {
    switch refusal {
    case .realStore(let deed):
      self.init(
        .realStore,
        Phrase(
          "\(deed == .purchase ? "buying" : "refunding") goes through the App Store in the production environment, not "
            + "through peerd",
          "production 환경에서 \(deed == .purchase ? "구입은" : "환불은") peerd가 아니라 App Store를 거칩니다"))
    case .noOffers:
      self.init(
        .storeRefused,
        Phrase(
          "only a sandbox store has offers: let this device use one, or buy without an offer",
          "혜택은 샌드박스 스토어에만 있습니다. 이 기기가 샌드박스 스토어를 쓰게 하거나 혜택 없이 구입하세요"))
    case .unknownProduct(let id):
      self.init(
        .unknownProduct, Phrase("the catalogue has no product '\(id)'", "카탈로그에 ‘\(id)’ 상품이 없습니다"))
    case .wrongQuantity(let quantity):
      self.init(
        .invalidValue,
        Phrase(
          "a quantity is from 1 to \(Limits.quantity), not \(quantity)",
          "수량은 1에서 \(Limits.quantity)까지입니다. 지정한 값: \(quantity)"))
    case .unknownTransaction(let id):
      self.init(
        .unknownTransaction,
        Phrase("no transaction '\(id)' is known here", "여기서 아는 ‘\(id)’ 거래가 없습니다"))
    case .wrongClock(let time):
      self.init(.invalidValue, Instant.unsignedTold(Phrase("this device's clock", "이 기기의 시계"), time))
    case .wrongDate(let date): self.init(.invalidValue, Instant.unsignedTold(.same("at"), date))
    case .notSigned(let reason?): self = .refusedHere(reason.told)
    case .notSigned(nil):
      self.init(
        .failed,
        Phrase(
          "the store of this device cannot sign: its log says why", "이 기기의 스토어가 서명하지 못했습니다. 로그에 이유가 있습니다"))
    }
  }

  /// What to tell a client of an error that is none of its own.
  package init(of error: any Error) {
    switch error {
    case let problem as Problem: self = problem
    case let error as DaemonError: self.init(.stopping, error.told)
    default: self.init(.failed, Phrase(error))
    }
  }

  /// What a store has signed counts for nothing.
  static func refusedHere(_ reason: Phrase) -> Problem {
    Problem(
      .failed,
      Phrase("what the store has signed is refused here: ", "스토어가 서명한 것을 여기서 받아들이지 않습니다: ") + reason)
  }
}

// What is written.
extension Problem {
  private static func unknownGrant(of entitlement: String, known: [String]) -> Problem {
    let absence = Phrase("no grant of '\(entitlement)' is known here", "여기서 아는 ‘\(entitlement)’ 권한의 부여가 없습니다")
    let others = known.isEmpty ? .same("") : Phrase("; granted: ", ". 부여된 권한: ") + .same(named(known))
    return Problem(.unknownEntitlement, absence + others)
  }

  private static let tooLarge = Problem(
    .tooLarge,
    Phrase("a name or value is longer than a register takes", "이름이나 값이 레지스터에 담을 수 있는 것보다 깁니다"))
  private static let misfit = Problem(
    .invalidValue, Phrase("a register is not what its key says", "레지스터의 내용이 키와 맞지 않습니다"))
  private static let notName = Problem(
    .invalidValue,
    Phrase(
      "a device's name is 1 to \(Limits.textBytes) bytes without control or formatting characters",
      "기기 이름은 제어 문자나 서식 문자 없이 1~\(Limits.textBytes)바이트입니다"))
  private static let tooManyProducts = Problem(
    .invalidValue,
    Phrase(
      "a device adds \(Limits.products) products at most, with all that it has added before: leave some out",
      "기기 하나는 전에 추가한 것까지 합쳐 상품을 \(Limits.products)개까지 추가할 수 있습니다. 일부를 빼세요"))
  private static let tooManyPurchases = Problem(
    .tooLarge,
    Phrase(
      "the line has more purchases than an explicit date can stand in for",
      "이용 기간에 딸린 구입이 너무 많아 정해진 날짜로 대신할 수 없습니다"))
  private static func tooFarAhead(_ time: Instant) -> Problem {
    Problem(
      .tooFarAhead,
      Phrase(
        "what was decided at \(time.inUTC(.english)) lies too far ahead of this device's clock: check the clocks of both devices",
        "\(time.inUTC(.korean))에 정한 것이 이 기기의 시계보다 너무 앞섭니다. 두 기기의 시계를 확인하세요"))
  }
  private static let mayNotAccept = Problem(
    .acceptForbidden,
    Phrase(
      "the app that made this device allows nobody to accept its clock: set the clocks of the others right, or "
        + "connect it with a device whose clock is right; where that does not help, make a new device here, let it join, and remove this one",
      "이 기기를 만든 앱에서 이 시계를 받아들이는 것을 금지했습니다. 다른 기기의 시계를 맞추거나, 시계가 맞는 기기와 연결하세요. 그래도 안 되면 "
        + "여기서 새 기기를 만들어 그룹에 들이고, 이 기기는 제거하세요"))

  private static func knewNothing(since begin: Instant?) -> Problem {
    Problem(
      .invalidValue,
      Phrase(
        "this device cannot tell what it knew then: it has kept that since \(begin.map { $0.inUTC(.english) } ?? "just now"); ask a "
          + "device that is older, give a later time, or take back all that was decided",
        "이 기기는 그때 무엇을 알고 있었는지 알 수 없습니다. \(begin.map { "\($0.inUTC(.korean))부터" } ?? "이제 막") 그것을 적어 두기 시작했습니다. 더 오래된 기기에서 하거나, "
          + "더 나중 시각을 지정하거나, 정한 것을 모두 되돌리세요"))
  }
}

// The group and the network.
extension Problem {
  private static let notListening = Problem(
    .notListening,
    Phrase(
      "the device does not listen for peers: start it with an address to listen on",
      "이 기기는 다른 기기의 연결을 받지 않습니다. 연결을 받을 주소를 지정해 시작하세요"))
  private static let noNetwork = Problem(
    .notListening,
    Phrase(
      "no other device can reach this one: this machine is on no network, or on a single link, where it is found by discovery alone; "
        + "connect it to a network or turn discovery on, then invite again",
      "다른 기기가 이 기기에 연결할 수 없습니다. 이 컴퓨터가 네트워크에 연결되어 있지 않거나, 찾기로만 찾을 수 있는 한 링크에만 연결되어 있습니다. "
        + "네트워크에 연결하거나 찾기를 켠 뒤에 다시 초대하세요"))
  private static let offline = Problem(
    .offline, Phrase("the device is offline: let it go online first", "이 기기는 오프라인입니다. 먼저 온라인으로 바꾸세요"))
  private static let removed = Problem(
    .removed,
    Phrase(
      "this device was removed from its group: make a new one and let it join",
      "이 기기는 그룹에서 제거되었습니다. 새 기기를 만들어 그룹에 들어오게 하세요"))
  private static let notPermitted = Problem(
    .noEffect,
    Phrase(
      "the removal would have no effect: a group keeps its last device, and a recovery key removes only the "
        + "device it was made for and those that came in below it, until a device senior to these has removed that one",
      "제거해도 달라지는 것이 없습니다. 그룹의 마지막 기기는 제거할 수 없고, 복구 키로는 그 키를 만든 기기와 그 아래로 들어온 기기만, 더 선임인 "
        + "기기가 그 키를 만든 기기를 제거하기 전까지만 제거할 수 있습니다"))
  private static let noRoom = Problem(
    .noEffect,
    Phrase(
      "there is no room for another membership record here: the status says who has used it up, and who can remove that one",
      "그룹 구성 기록을 둘 자리가 없습니다. 누가 자리를 다 썼고 누가 그 기기를 제거할 수 있는지는 상태에 나옵니다"))
  private static let disownedStay = Problem(
    .noEffect,
    Phrase(
      "the device to be removed is more senior than this one, so that whom it let in would stay: use its recovery key or a more senior "
        + "device, or remove each of them by itself",
      "제거할 기기가 이 기기보다 선임이어서, 그 기기가 받아들인 기기는 남습니다. 그 기기의 복구 키나 더 선임인 기기를 쓰거나, 남는 기기를 하나씩 제거하세요")
  )
  /// - Parameter names: of the devices that would be out as well
  static func goAlong(_ names: [String]) -> Problem {
    let names = named(names)
    return Problem(
      .noEffect,
      Phrase(
        "with those that are disowned others would be out of the group, which came in later: \(names). Disown these as well and let them "
          + "join anew, or remove each device by itself and disown none",
        "함께 빠질 기기로 지정한 기기보다 나중에 들어온 기기도 그룹에서 빠집니다: \(names). 그 기기도 함께 지정한 뒤 다시 들이거나, 지정하지 말고 기기를 "
          + "하나씩 제거하세요"))
  }
  static let wouldGoItself = Problem(
    .noEffect,
    Phrase(
      "this device came in after those that are disowned, and would be out as well: do it on one that came in before them, or remove each "
        + "device by itself and disown none",
      "이 기기는 함께 빠질 기기로 지정한 기기보다 나중에 들어와 함께 빠지게 됩니다. 더 먼저 들어온 기기에서 하거나, 지정하지 말고 기기를 하나씩 "
        + "제거하세요"))
  private static let removedAlready = Problem(
    .noEffect,
    Phrase(
      "the device was removed from the group already, and this would take back nothing more of what it decided",
      "이미 그룹에서 제거된 기기이고, 이렇게 해도 그 기기에서 정한 것을 더 되돌리지 않습니다"))
  private static let hasLeft = Problem(
    .noEffect,
    Phrase(
      "the device has signed that it leaves, and its own recovery key takes back nothing of that: remove it on a device that is senior to it, "
        + "or with the recovery key of the group's first device, and those that it had let in before are members again",
      "그룹을 떠난다고 서명한 기기라, 그 기기의 복구 키로는 되돌릴 수 없습니다. 그보다 먼저 들어온 기기에서, 또는 그룹의 첫 기기의 복구 키로 "
        + "제거하면 그전에 그 기기가 들였던 기기가 다시 구성원이 됩니다"))
  static let notHeardOf = Problem(
    .notComplete,
    Phrase(
      "no device of the group that is connected has all that this one knows, and none would take it once this one has left: connect it to "
        + "one of them first, until the two are in sync",
      "연결된 기기 가운데 이 기기가 아는 것을 모두 가진 기기가 없고, 그룹을 떠난 뒤에는 어느 기기도 받지 않습니다. 먼저 그룹의 다른 기기에 연결해 두 기기를 "
        + "동기화하세요"))
  private static let notMet = Problem(
    .notComplete,
    Phrase(
      "this device was copied, restored or damaged once, and another one may hold what it has forgotten: that would be void once this one "
        + "has left; connect it to every device of the group first, and remove those that will never connect again",
      "이 기기는 복사되거나 복원되거나 손상된 적이 있어, 잊은 것을 다른 기기가 가지고 있을 수 있습니다. 그룹을 떠나면 그것이 무효가 됩니다. 먼저 그룹의 모든 "
        + "기기에 연결하고, 다시 연결되지 않을 기기는 제거하세요"))
  private static let cloned = Problem(
    .cloned,
    Phrase(
      "another copy of this device is at work: stop one of them for good, then restart the other",
      "이 기기의 복사본이 동작하고 있습니다. 둘 가운데 하나를 완전히 멈춘 뒤 다른 하나를 다시 시작하세요"))
  private static let unreachable = Problem(
    .unreachable,
    Phrase(
      "the inviting device cannot be reached: is its daemon running and online?",
      "초대한 기기에 연결할 수 없습니다. 그 기기의 데몬이 실행 중이고 온라인인지 확인하세요"))
  private static let otherApp = Problem(
    .notAdmitted,
    Phrase(
      "the inviting device is of another app or environment: both must be of the same",
      "초대한 기기의 앱이나 환경이 다릅니다. 두 기기의 앱과 환경이 같아야 합니다"))
}
