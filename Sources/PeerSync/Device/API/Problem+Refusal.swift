extension Problem {
  /// What a refusal is called, and what to do.
  package init(_ refusal: Refusal) {
    switch refusal {
    case .tooLarge: self.init(.tooLarge, "a name or value is longer than a register takes")
    case .misfit: self.init(.invalidValue, "a register is not what its key says")
    case .notName:
      self.init(
        .invalidValue, "a device's name is 1 to \(Limits.textBytes) bytes without control characters")
    case .unfitProduct(let id): self.init(.invalidValue, Catalogue.misfit(id))
    case .unknownLine(let line, let known): self = .unknownLine(line, known: known)
    case .tooManyPurchases:
      self.init(.tooLarge, "the line has more purchases than an explicit date can stand in for")
    case .unknownGrant(let entitlement):
      self.init(.unknownEntitlement, "no grant of '\(entitlement)' is known here")
    case .purchase(let refusal): self.init(refusal)
    case .full: self.init(.ledgerFull, "the ledger of this device is full")
    case .tooFarAhead:
      self.init(
        .tooFarAhead, "a time lies too far ahead of this device's clock: check the clocks of both devices")
    case .notListening:
      self.init(
        .notListening, "the device does not listen for peers: start it with an address to listen on")
    case .noNetwork:
      self.init(
        .notListening,
        "no other device can reach this one: this machine is on no network, or on a single link, where it is found by discovery alone; "
          + "connect it to a network or turn discovery on, then invite again"
      )
    case .offline: self.init(.offline, "the device is offline: let it go online first")
    case .busy: self.init(.busy, "another join is under way: wait for it")
    case .removed:
      self.init(
        .removed, "this device was removed from its group: make a new one and let it join")
    case .unknownDevice: self.init(.unknownDevice, "no such device is in the group")
    case .notPermitted:
      self.init(
        .noEffect,
        "the removal would have no effect: a group keeps its last device, and a recovery key removes only the "
          + "device it was made for and those that came in below it")
    case .cloned:
      self.init(
        .cloned, "another copy of this device is at work: stop one of them for good, then restart the other")
    case .unreachable:
      self.init(.unreachable, "the inviting device cannot be reached: is its daemon running and online?")
    // To whoever is pairing just now, that they should pair would be no help.
    case .notAdmitted(.stranger):
      self.init(
        .notAdmitted,
        "the inviting device is of another app or environment: both must be of the same"
      )
    case .notAdmitted(let reason): self.init(.notAdmitted, reason.explanation)
    case .unknownCredit: self.init(Code.unknownCredit)
    case .notEnough: self.init(.notEnough)
    case .spentOtherwise(let amount):
      self.init(
        .spentOtherwise, "\(amount) were spent under this id before: give the new spend another id")
    case .notComplete: self.init(.notComplete)
    case .notYet(let time): self.init(.invalidValue, "\(time) has not come yet: give a time that has passed")
    case .knewNothing(let begin):
      self.init(
        .invalidValue,
        "this device cannot tell what it knew then: it has kept that since \(begin.map { "\($0)" } ?? "just now"); ask a "
          + "device that is older, give a later time, or take back all that was decided")
    case .mayNotAccept:
      self.init(
        .acceptForbidden,
        "the app that made this device allows nobody to accept its clock: set the clocks of the others right, or "
          + "connect it with a device whose clock is right")
    }
  }

  private init(_ refusal: PurchaseRefusal) {
    switch refusal {
    case .realStore(let deed):
      self.init(
        .realStore,
        "\(deed == .purchase ? "buying" : "refunding") goes through the App Store in the production environment, not "
          + "through peerd")
    case .noOffers:
      self.init(
        .storeRefused, "only a sandbox store has offers: let this device use one, or buy without an offer")
    case .unknownProduct(let id):
      self.init(
        .unknownProduct, "the catalogue has no product '\(id)'")
    case .wrongQuantity(let quantity):
      self.init(.invalidValue, "a quantity is from 1 to \(Limits.quantity), not \(quantity)")
    case .unknownTransaction(let id):
      self.init(
        .unknownTransaction,
        "no transaction '\(id)' is known here")
    case .wrongClock(let time):
      self.init(.invalidValue, Instant.cannotBeSigned("this device's clock", time))
    case .wrongDate(let date): self.init(.invalidValue, Instant.cannotBeSigned("at", date))
    case .notSigned(let reason?):
      self.init(.failed, "what the store has signed is refused here: \(reason)")
    case .notSigned(nil): self.init(.failed, "the store of this device cannot sign: its log says why")
    }
  }

  /// What to tell a client of an error that is none of its own.
  package init(of error: any Error) {
    switch error {
    case let problem as Problem: self = problem
    case let error as DaemonError: self.init(.stopping, error.description)
    case let error as StorageError: self.init(.failed, error.description)
    default: self.init(.failed, "\(error)")
    }
  }
}
