import PeerSyncCore

/// Everything that can happen in the sandbox store, besides time passing.
package enum SandboxCommand: Codable, Hashable, Sendable {
  // By devices
  case buy(SandboxOrder)
  /// The app has delivered what was bought.
  case finish(account: String, transactions: [UInt64])

  // By whoever simulates
  case approve(request: UInt64)
  case decline(request: UInt64)
  /// Takes a purchase back: all of it, or a part in milliunits.
  case refund(transaction: UInt64, percentage: Int?)
  case reverseRefund(transaction: UInt64)
  /// Tells servers that a refund was asked for and not given; nothing changes [C31].
  case declineRefund(transaction: UInt64)
  /// Asks servers how a purchase was used; nothing changes [C31].
  case requestConsumption(transaction: UInt64)
  case joinFamily(account: String, family: String)
  case leaveFamily(account: String)
  case setRenewal(transaction: UInt64, isOn: Bool)
  case raisePrice(product: String, price: Int64, needsConsent: Bool)
  case answerIncrease(transaction: UInt64, agrees: Bool)
  case setBilling(account: String, isFailing: Bool)
  case setCard(account: String, expires: Instant?)
  case withdraw(product: String, isWithdrawn: Bool)
  /// No account: for everybody.
  case setMood(SandboxMood, account: String?, isOnce: Bool)
  case setGrace(Bool)
  case testNotification(bundleId: String)
  /// A server was told, or not. Delivered is what every server has taken.
  case posted(notification: UInt64, SandboxNotification.Attempt, isDelivered: Bool)
}

/// What came of a command.
package enum SandboxResult: Hashable, Sendable {
  case done
  /// Bought, or bought before and still standing.
  case purchased(UInt64)
  /// Waits for approval.
  case pending(request: UInt64)
  case cancelled
  /// The payment was refused.
  case failed
  case notification(UInt64)
}

/// What has changed, in the order in which it happened. Snapshots, so that whoever signs them signs each as it was.
package enum SandboxEvent: Hashable, Sendable {
  /// To be signed anew.
  case transaction(SandboxTransaction)
  /// Nothing that is signed has changed.
  case finished(SandboxTransaction)
  /// To be signed anew.
  case subscription(SandboxSubscription)
  /// A subscription as it is for one who shares it: to be signed anew.
  case shared(SandboxSubscription)
  /// To be signed, with the newest of its transaction and subscription, and posted.
  case notification(SandboxNotification)
  case attempted(SandboxNotification)
  case account(SandboxAccount)
  case request(SandboxRequest)
  case product(SandboxProduct)
}

/// Why the sandbox store does not do what it is told.
package enum SandboxRefusal: Error, Hashable, Sendable {
  case unknownProduct(String)
  case unknownTransaction(UInt64)
  case unknownRequest(UInt64)
  case unknownAccount(String)
  case notForSale(String)
  case unknownOffer(String)
  case unknownCode(String)
  case notForThem(offer: String, [SandboxOffer.Customer])
  case tooEarly(offer: String, Instant)
  case redeemed(String)
  case notSubscription(UInt64)
  case decided(UInt64)
  case alreadyRefunded(UInt64)
  case notRefunded(UInt64)
  case noIncrease(UInt64)
  case noLowerPrice(String)
  case tooHighPrice
  case ended(UInt64)
  case noFamily(String)
  case notTheirs(String, account: String)
  case nothingBought(String)
  case nothingWaits
  case wrongWord(verb: String, what: String, subject: String)
  case wrongPrice
  case wrongQuantity(Int)
  case wrongPart(Int)
  case wrongDate(Instant)
  case renews(String)
  case tooLong
  case tooFar
  case full(String)

  /// One sentence that says what to do.
  package var description: String {
    switch self {
    case .unknownProduct(let id): "the store sells no '\(id)'"
    case .unknownTransaction(let id): "the store knows no transaction \(id)"
    case .unknownRequest(let id):
      "no purchase number \(id) waits for approval"
    case .unknownAccount(let id):
      "nobody with the account '\(id)' has been here"
    case .notForSale(let id): "'\(id)' was withdrawn from sale; offer it again"
    case .unknownCode(let code): "the store knows no code '\(code)'"
    case .unknownOffer(let id): "the store knows no offer '\(id)' of it"
    case .notForThem(let id, let customers):
      "the offer '\(id)' is only for \(customers.map(\.words).joined(separator: " and ")) of the group; buy without it"
    case .tooEarly(let id, let start):
      "the offer '\(id)' is open to this account from \(start) on; wait until then, or buy without it"
    case .redeemed(let id): "this account has redeemed '\(id)' before; buy without it, or redeem another code"
    case .notSubscription(let id):
      "transaction \(id) is of no auto-renewable subscription; choose one that is"
    case .decided(let id): "purchase number \(id) was approved or declined before; buy again"
    case .alreadyRefunded(let id):
      "transaction \(id) was taken back before; reverse the refund to give it back"
    case .notRefunded(let id): "transaction \(id) was not refunded; refund it first"
    case .noIncrease(let id):
      "no higher price waits for an answer on transaction \(id); raise the price first"
    case .noLowerPrice(let id): "the new price of '\(id)' is not above the old one; give a higher price"
    case .tooHighPrice: "a price is at most \(Price.text(Limits.sandboxPrice)); give a lower price"
    case .ended(let id): "the subscription of transaction \(id) has ended; buy it again"
    case .noFamily(let id): "the account '\(id)' is of no family; share something with it first"
    case .notTheirs(let what, let account):
      "\(what) is not of the account '\(account)'; leave the account out, or name something of theirs"
    case .nothingBought(let subject):
      "nothing was bought of '\(subject)' that this could be about"
    case .nothingWaits: "nothing waits for approval; let purchases ask for approval, then buy"
    case .wrongWord(let verb, let what, let subject): "\(verb) takes \(what), not '\(subject)'"
    case .wrongPrice: "a price is a decimal number such as 4.99"
    case .wrongQuantity(let count):
      "a quantity is from 1 to \(Limits.quantity), not \(count); buy more than once"
    case .wrongPart(let part):
      "the part that is refunded is from 1 to 100000 milliunits, not \(part); give a percentage up to 100"
    case .wrongDate(let date):
      "\(date) is not between 1970 and now, and nothing is bought ahead of its time; give an earlier time, or none"
    case .renews(let id): "'\(id)' renews from when it is bought, which is now; leave the time out"
    case .tooLong: "a name is empty or longer than \(Limits.textBytes) bytes; choose a shorter one"
    case .tooFar: "more than \(Limits.sandboxDeadlines) things would happen; advance by less"
    case .full(let what): "the store holds as many \(what) as it can; start a new one in another directory"
    }
  }
}

extension SandboxOffer.Customer {
  fileprivate var words: String {
    switch self {
    case .new: "new subscribers"
    case .existing: "subscribers"
    case .expired: "former subscribers"
    }
  }
}
