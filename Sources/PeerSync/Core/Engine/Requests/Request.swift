/// What a device's own user or app can ask of its engine. What is not known to the engine, such as the ids of purchases and
/// spends, whoever runs it draws.
public enum Request: Sendable {
  /// Write registers as they are, such as those of an export. Each write that would not win its register is left out:
  /// writing again changes nothing.
  case write([LocalWrite])
  /// Add products to the catalogue that all devices of the group share: all of them, or none.
  case addProducts([Product], version: UInt64)
  /// Write products so that they count, whatever version others have given them: all of them, or none.
  case putProducts([Product])
  /// Write products that a sandbox store sells and nobody has stated anything of yet: all of them, or none. Whatever a catalogue states
  /// of them, on any device and at any time, stands above it.
  case adoptProducts([Product])
  /// Write an explicit date for a line, which stands in for every purchase of it known here; nil: no cover.
  case setExpiration(line: String, Instant?)
  /// Grant an entitlement that no purchase explains; the end is nil for never. Grants of one entitlement are told apart by
  /// their ids.
  case grant(entitlement: String, id: String = Grant.manual, until: Instant?)
  /// Take back every grant of an entitlement.
  case revoke(entitlement: String)
  /// Write a value of the app.
  case setValue(key: String, [UInt8])
  /// Call this device something else, on every device of the group.
  case rename(String)
  /// Buy from the store that the device simulates for itself, which will call the purchase by that id.
  case purchase(PurchaseOrder, id: UInt64)
  /// Refund all of a purchase in the store that the device simulates for itself.
  case refund(transaction: String)
  /// Take in what a store has signed, verified before. Good items count among bad ones.
  case ingest([IngestedItem])
  /// Leave the network, or come back to it.
  case setOnline(Bool)
  /// Have a peer dial this device wherever it says that it listens, to find out whether others reach it.
  case dialBack
  /// Have each peer that is connected say what it holds by now.
  case probe
  /// Open an invitation; it takes the place of one that is open. One that is announced on the local network takes no address.
  case invite(Invitation, isAnnounced: Bool = false)
  /// Join the group of the device that listens there and opened an invitation under the key.
  case join(Address, InvitationKey)
  /// Join the group of the device that opened an invitation under the key, and may listen at any of these addresses. Others may pretend to.
  case joinAny([Address], InvitationKey)
  /// Spend credits: at once from this device's own rights, or after asking peers for theirs.
  case spend(Spending)
  /// Take over the rights to a credit that earlier incarnations of this device hold.
  case reclaim(credit: String)
  /// Take over the rights to a credit of devices that nobody in the group has ever met, and that are lost. It is final.
  case reclaimLost(credit: String)
  /// Have this device's clock count against what peers vouch for, which is dropped: a person says that it is right.
  case acceptTime
  /// Remove a device from the group: by this device's own right, or by that of the recovery key. What it has decided can be taken
  /// back with it, and devices that it let in can go with it.
  case remove(
    DeviceID, recoveryKey: SigningKey?, takingBack: TakingBack = .nothing, disowning: Set<DeviceID> = [])
}

/// Which of a removed device's decisions are taken back: what others had decided stands again. Purchases stay, and what was spent.
public enum TakingBack: Hashable, Sendable {
  /// None: only what it decides from now on does not count.
  case nothing
  /// All that it ever decided.
  case everything
  /// What it decided since a time, by what the device that is asked knew when the hour of that time began.
  case since(Instant)
}

/// A write that this device is about to make.
public struct LocalWrite: Sendable {
  /// Which register.
  package let key: [UInt8]
  /// The store's date, the catalogue's version or an imported stamp; nil: now, by the hybrid logical clock.
  package let stamp: Stamp?
  /// The encoded value.
  package let value: [UInt8]

  /// Makes a write.
  public init(key: [UInt8], stamp: Stamp? = nil, value: [UInt8]) {
    self.key = key
    self.stamp = stamp
    self.value = value
  }
}
