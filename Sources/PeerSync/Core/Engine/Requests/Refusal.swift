/// Why a request was refused.
public enum Refusal: Error, Hashable, Sendable {
  /// A key or value is beyond its limit.
  case tooLarge
  /// Something else than its key says: nobody would take it.
  case misfit
  /// No device may be called so.
  case notName
  /// The product is beyond the limits of a register.
  case unfitProduct(String)
  /// The device would state more than ``Limits/products``.
  case tooManyProducts
  /// No product and no explicit date names the line; those that some do are these.
  case unknownLine(String, known: [String])
  /// The line has more purchases than an explicit date can stand in for.
  case tooManyPurchases
  /// No grant of the entitlement was ever known here; those of which some stand are these.
  case unknownGrant(String, known: [String])
  /// Nothing was bought or refunded.
  case purchase(PurchaseRefusal)
  /// The ledger is full (``Limits/registers``, ``Limits/recordBytes``).
  case full
  /// The decision is of a time that lies further ahead than ``Limits/clockDriftMilliseconds``.
  case tooFarAhead(Instant)
  /// The device does not listen, so that nobody can come.
  case notListening
  /// The device listens, and is on no network where anybody could reach it.
  case noNetwork
  /// The device is offline; joining and inviting need the network.
  case offline
  /// Another join, or too much else, is under way.
  case busy
  /// This device was removed from its group.
  case removed
  /// The device to be removed was removed before, and as much of what it decided would count.
  case removedAlready
  /// The device to be removed has left, and its own recovery key takes back nothing of what it said by that.
  case hasLeft
  /// The device cannot leave: no member that is connected has all that it has, and none would take it then.
  case notHeardOf
  /// The device cannot leave: it has had other lives, and has not been in sync with each member since it was started. One may hold what
  /// it has forgotten, which would be void then.
  case notMet
  /// No member has that id.
  case unknownDevice
  /// The record would have no effect: the signer may not, or nobody would be left.
  case notPermitted
  /// There is no room for a membership record.
  case noRoom
  /// Whom the device let in would stay: it is more senior than this one.
  case disownedStay
  /// With whom the device let in others would be out, who came in later; or this device itself.
  case goAlong([DeviceID])
  /// Another copy of this device is at work: until one is stopped and this one restarted, it decides nothing.
  case cloned
  /// No device listens at the address, or it went away.
  case unreachable
  /// The inviting device said no.
  case notAdmitted(CloseReason)
  /// No product of the catalogue buys such a credit.
  case unknownCredit
  /// This device may not spend as much, and peers could not help.
  case notEnough(Shortage)
  /// So many were spent under the same id before.
  case spentOtherwise(Int64)
  /// The app that made the device allows no person to have its clock count against what peers vouch for.
  case mayNotAccept
  /// Since when this device keeps what it knew; nil: it keeps nothing yet. What it knew before, it cannot tell.
  case knewNothing(since: Instant?)
  /// The time has not come.
  case notYet(Instant)
  /// These members have to be connected and in sync first.
  case notComplete([DeviceID])
  /// One device of the group does this, and not another one: the custodian.
  case notCustodian(DeviceID)
}

/// Why nothing was bought or refunded.
public enum PurchaseRefusal: Hashable, Sendable {
  /// In production the App Store sells and refunds.
  case realStore(StoreDeed)
  /// Only a sandbox store has offers.
  case noOffers
  /// No product of the catalogue has that id.
  case unknownProduct(String)
  /// So many units are not sold at once.
  case wrongQuantity(Int)
  /// No such transaction is known here.
  case unknownTransaction(String)
  /// The device's clock shows a time that no store signs.
  case wrongClock(Instant)
  /// No store signs such a date.
  case wrongDate(Instant)
  /// The store of this device could not sign it; or what it has signed counts for nothing, and why.
  case notSigned(JWSRejection?)
}

/// What a store does for a device's user.
public enum StoreDeed: Hashable, Sendable {
  /// To sign what was bought.
  case purchase
  /// To sign that it was given back.
  case refund
}

extension Refusal {
  /// Why nobody is removed.
  init(_ error: MembershipError) {
    self =
      switch error {
      case .removed, .notMember, .hostRemoved: .removed
      case .removedAlready: .removedAlready
      case .hasLeft: .hasLeft
      case .unknownDevice: .unknownDevice
      case .full: .noRoom
      case .alreadyKnown, .joinerRemoved, .notFirst, .otherApp, .wrongRecoveryKey, .lastMember,
        .otherProposal:
        .notPermitted
      }
  }
}
