import PeerSyncCore

/// Who asks the sandbox store: an account's app on a device.
package struct SandboxCustomer: Hashable, Sendable {
  package let account: String
  package let bundleId: String
  /// Nil: none in particular.
  package let device: String?

  package init(account: String, bundleId: String, device: String? = nil) {
    self.account = account
    self.bundleId = bundleId
    self.device = device
  }

  fileprivate func owns(_ account: String, _ bundleId: String) -> Bool {
    Name(account) == Name(self.account) && Name(bundleId) == Name(self.bundleId)
  }

  /// What StoreKit shows on the device: what the store brings to all devices of the account, what was bought here, and
  /// what was ever taken back.
  fileprivate func sees(_ transaction: SandboxTransaction) -> Bool {
    guard owns(transaction.account, transaction.bundleId) else { return false }
    if transaction.type.isRestorable || transaction.standing.wasRevoked { return true }
    guard let buyer = transaction.device else { return true }
    return device.map { Name($0) == Name(buyer) } ?? false
  }
}

// What StoreKit would show. Each list is in the order of ids, but the changes, which are in their own.
extension SandboxStore {
  /// Everything that the customer has bought, finished or not.
  package func history(of customer: SandboxCustomer) -> [SandboxTransaction] {
    transactions.filter(customer.sees)
  }

  /// What has not been delivered: it is told again until it is finished.
  package func unfinished(of customer: SandboxCustomer) -> [SandboxTransaction] {
    history(of: customer).filter { !$0.isFinished && $0.standing.stands }
  }

  /// What gives access now.
  package func entitlements(of customer: SandboxCustomer) -> [SandboxTransaction] {
    history(of: customer).filter { transaction in
      guard transaction.standing.stands else { return false }
      switch transaction.type {
      case .consumable: return false
      case .nonConsumable, .nonRenewingSubscription: return true
      case .autoRenewableSubscription: return isRunning(transaction)
      }
    }
  }

  /// Whether it gives access: until its end, and in grace beyond it.
  func isRunning(_ transaction: SandboxTransaction) -> Bool {
    guard transaction.purchaseDate <= time else { return false }
    if let end = transaction.expires, end > time { return true }
    guard let subscription = subscription(behind: transaction), subscription.state == .inGracePeriod else {
      return false
    }
    return self.transaction(subscription.latest)?.expires == transaction.expires
  }

  /// What the store restores: never what is used up, nor what lasts for a time that it does not know.
  package func restorable(of customer: SandboxCustomer) -> [SandboxTransaction] {
    history(of: customer).filter { $0.type.isRestorable && $0.revocation == nil }
  }

  /// The state of the customer's subscriptions, and of those that the family shares with him.
  package func subscriptions(of customer: SandboxCustomer) -> [SandboxSubscription] {
    subscriptions.filter { customer.owns($0.account, $0.bundleId) } + shared(with: customer)
  }

  private func shared(with customer: SandboxCustomer) -> [SandboxSubscription] {
    shared { customer.owns($0.account, $0.bundleId) }
  }

  /// A subscription as it is for each who shares it.
  package func shared(_ subscription: SandboxSubscription) -> [SandboxSubscription] {
    guard accounts[Name(subscription.account)]?.family != nil else { return [] }
    return shared { $0.sharedFrom == subscription.original }
  }

  /// Every subscription that somebody shares, as it is for him.
  package var sharedSubscriptions: [SandboxSubscription] { shared { _ in true } }

  private func shared(_ isWanted: (SandboxTransaction) -> Bool) -> [SandboxSubscription] {
    let wanted = transactions.filter { isShared($0) && isWanted($0) }
    return Dictionary(wanted.map { ($0.original, $0) }) { $1 }.values.sorted { $0.original < $1.original }
      .compactMap { subscription(behind: $0)?.shared(by: $0) }
  }

  /// Whether one of the family shares it still; what was over before somebody left was not taken back from him.
  private func isShared(_ transaction: SandboxTransaction) -> Bool {
    guard transaction.revocation == nil, let original = transaction.sharedFrom,
      let owner = self.transaction(original)?.account, let family = accounts[Name(owner)]?.family
    else { return false }
    return accounts[Name(transaction.account)]?.family.map(Name.init) == Name(family)
  }

  /// The subscription that a transaction is of; of a shared one, that of whom it is shared by, as it is for him who shares it.
  package func subscription(for transaction: SandboxTransaction) -> SandboxSubscription? {
    let subscription = subscription(behind: transaction)
    return transaction.sharedFrom == nil ? subscription : subscription?.shared(by: transaction)
  }

  private func subscription(behind transaction: SandboxTransaction) -> SandboxSubscription? {
    places[transaction.sharedFrom ?? transaction.original].map { subscriptions[$0] }
  }

  /// What has changed after a revision, oldest change first, ``Limits/sandboxAnswerItems`` at most.
  ///
  /// - Returns: with the revision from which the next question goes on
  package func changes(
    since revision: UInt64, for customer: SandboxCustomer
  ) -> (transactions: [SandboxTransaction], subscriptions: [SandboxSubscription], revision: UInt64) {
    let bought = transactions.filter { $0.revision > revision && customer.sees($0) }
    let states = subscriptions(of: customer).filter { $0.revision > revision }
    let numbers = (bought.map(\.revision) + states.map(\.revision)).sorted()
    guard numbers.count > Limits.sandboxAnswerItems else {
      return (
        bought.sorted { $0.revision < $1.revision }, states.sorted { $0.revision < $1.revision },
        self.revision
      )
    }
    let last = numbers[Limits.sandboxAnswerItems - 1]
    return (
      bought.filter { $0.revision <= last }.sorted { $0.revision < $1.revision },
      states.filter { $0.revision <= last }.sorted { $0.revision < $1.revision }, last
    )
  }

  /// What servers were told of what the customer sees, after a notification that is known, oldest first:
  /// ``Limits/sandboxAnswerItems`` at most, of the newest ``Limits/notifications``.
  ///
  /// - Parameter uuid: what is known; nil, and one that is not known here: none
  package func notifications(after uuid: String?, for customer: SandboxCustomer) -> [SandboxNotification] {
    let known = uuid.flatMap { uuid in notifications.last { $0.uuid == uuid }?.number } ?? 0
    let seen = notifications.filter { told in
      guard told.number > known, Name(told.bundleId) == Name(customer.bundleId) else { return false }
      return told.transaction.map { transaction($0).map(customer.sees) ?? false } ?? true
    }
    return Array(seen.suffix(Limits.notifications).prefix(Limits.sandboxAnswerItems))
  }

  // MARK: For servers

  /// All purchases of the customer of a transaction in its app, whatever device made them.
  package func purchases(withCustomerOf transaction: SandboxTransaction) -> [SandboxTransaction] {
    transactions.filter {
      Name($0.account) == Name(transaction.account) && Name($0.bundleId) == Name(transaction.bundleId)
    }
  }

  /// Apple's status of what a transaction is of; shared ones have that of whom they are shared by, unless they were taken back.
  package func status(of transaction: SandboxTransaction) -> SandboxSubscription.State {
    if transaction.revocation != nil { return .revoked }
    if transaction.sharedFrom != nil, !isShared(transaction) { return .expired }
    return subscription(behind: transaction)?.state
      ?? (transaction.expires.map { $0 > time } ?? false ? .subscribed : .expired)
  }
}
