/// What the register of an item says, once its signature has been looked at: a transaction, or the renewal state of a
/// subscription.
package enum StoreReading: Hashable, Sendable {
  /// The store says it.
  case verified(StorePayload)
  /// Nobody who is trusted here says it, and why. What it claims is kept as evidence, where it can be read.
  case refused(JWSRejection, claimed: StorePayload?)
}

/// Reads the registers of items: puts signatures together from their parts and has them verified.
///
/// An item whose part has not arrived is pending: it is remembered, and read again when the part comes.
package struct StoreReader: Sendable {
  package let verifier: StoreVerifier
  /// SHA-256 of the root certificates that are trusted besides Apple's.
  package let trustedRoots: Set<ContentHash>

  /// Parts whose hash was checked.
  private var parts: [StorePartID: StorePart] = [:]
  /// The keys of items that wait for a part.
  private var waiting: [StorePartID: Set<[UInt8]>] = [:]

  /// Parts kept in memory: as many as a group ever has, and bounded whatever a member writes.
  private static let partLimit = 1024

  package init(verifier: StoreVerifier, trustedRoots: Set<ContentHash>) {
    self.verifier = verifier
    self.trustedRoots = trustedRoots
  }

  /// Reads the value of an item's register.
  ///
  /// - Parameter register: the value of another register
  package mutating func read(
    _ key: RegisterKey, value: ArraySlice<UInt8>, stamp: Stamp, register: (RegisterKey) -> [UInt8]?
  ) -> StoreReading {
    guard let subject = StoreSubject(key) else { return .refused(.malformed, claimed: nil) }
    guard StoreItem.isSigned(value) else { return readUnsigned(key, value) }
    guard let (item, rank) = try? StoreItem.decode(value) else { return .refused(.malformed, claimed: nil) }
    let unpacked = item.unpacked(id: subject.id.text, stamp: stamp) { part($0, register) }
    switch unpacked {
    case .malformed: return .refused(.malformed, claimed: nil)
    case .lacks(let part):
      waiting[part, default: []].insert(key.encoded)
      return .refused(.pending, claimed: nil)
    case .signature(let jws): return read(jws, key, rank, stamp)
    }
  }

  private func read(_ jws: JWS, _ key: RegisterKey, _ rank: StoreItem.Rank, _ stamp: Stamp) -> StoreReading {
    do throws(JWSRejection) {
      let payload = try verifier.verify(jws, trusting: trustedRoots)
      guard payload.kind == key.payloadKind else { throw .otherKind }
      guard payload.isAt(key), rank == payload.rank, stamp == Stamp(payload.signedDate) else {
        throw .contradictsRegister
      }
      return .verified(payload)
    } catch {
      guard let claimed = try? StorePayload(jws.payload), claimed.isAt(key) else {
        return .refused(error, claimed: nil)
      }
      return .refused(error, claimed: claimed)
    }
  }

  /// SHA-256 of the root certificate of the store that signed what a register holds; nil for one that is not trusted here.
  package mutating func root(
    of key: RegisterKey, value: ArraySlice<UInt8>, stamp: Stamp, register: (RegisterKey) -> [UInt8]?
  ) -> ContentHash? {
    guard let subject = StoreSubject(key), let (item, _) = try? StoreItem.decode(value),
      case .signature(let jws) = item.unpacked(
        id: subject.id.text, stamp: stamp, part: { part($0, register) }),
      let payload = try? StorePayload(jws.payload)
    else { return nil }
    return verifier.root(of: jws, payload, trusting: trustedRoots)
  }

  private func readUnsigned(_ key: RegisterKey, _ value: ArraySlice<UInt8>) -> StoreReading {
    guard case .transaction = key, let claimed = try? Transaction(decoding: value), claimed.isAt(key) else {
      return .refused(.malformed, claimed: nil)
    }
    return .refused(.unsigned, claimed: .transaction(claimed))
  }

  private mutating func part(_ id: StorePartID, _ register: (RegisterKey) -> [UInt8]?) -> StorePart? {
    if let known = parts[id] { return known }
    // A register that is not what its name says never comes as far as here: this guards against faults of this program.
    guard let bytes = register(.storePart(id)), StorePart.id(of: bytes, verifier.cryptography) == id,
      let part = try? StorePart(decoding: bytes)
    else { return nil }
    if parts.count >= Self.partLimit { parts = [:] }
    parts[id] = part
    return part
  }

  /// Whether a part is there.
  mutating func holds(_ id: StorePartID, _ register: (RegisterKey) -> [UInt8]?) -> Bool {
    parts.index(forKey: id) != nil || part(id, register) != nil
  }

  /// The parts of which an item is put together, which are there.
  mutating func parts(
    of write: borrowing WriteView, _ register: (RegisterKey) -> [UInt8]?
  ) -> [StorePartID] {
    guard RegisterKind.isSignedByStore(write.key),
      case .compact(let shape, _, _)? = try? StoreItem.decode(Array(write.value)[...]).0,
      case .template(let template)? = part(shape, register)
    else { return [] }
    return [shape, template.chain]
  }

  /// The keys of the items that waited for a part, which has come.
  mutating func takeWaiting(for part: StorePartID) -> Set<[UInt8]> { waiting.removeValue(forKey: part) ?? [] }
}

extension Transaction {
  /// Whether a register's key names it.
  func isAt(_ key: RegisterKey) -> Bool {
    guard let subject = StoreSubject(key) else { return false }
    return subject == StoreSubject(self, device: subject.device)
  }

  /// What ranks its signed snapshots of one stamp.
  package var rank: StoreItem.Rank { revocation.isInForce ? .revoked : .standing }
}

extension StorePayload {
  /// Whether a register's key names it.
  func isAt(_ key: RegisterKey) -> Bool {
    guard let subject = StoreSubject(key) else { return false }
    return subject == StoreSubject(self, bundleId: subject.bundleId.text, device: subject.device)
  }

  /// What ranks items of one stamp.
  package var rank: StoreItem.Rank {
    switch self {
    case .transaction(let transaction): transaction.rank
    case .renewalInfo, .notification: .standing
    }
  }
}

extension RegisterKey {
  /// The kind of payload that the item of a register has; nil for one that holds no item.
  fileprivate var payloadKind: StorePayload.Kind? {
    switch self {
    case .transaction: .transaction
    case .renewalInfo: .renewalInfo
    default: nil
    }
  }
}

extension StoreItem {
  /// The writes that put a signed item into its register, which comes last: its parts first.
  ///
  /// - Parameter stamp: the date of signing
  package static func writes(
    of jws: JWS, about subject: StoreSubject, rank: Rank, stamp: Stamp, _ cryptography: Cryptography
  ) -> [LocalWrite] {
    let packed = pack(jws, id: subject.id.text, stamp: stamp, cryptography)
    let parts = packed.parts.map { part in
      LocalWrite(
        key: RegisterKey.storePart(StorePart.id(of: part, cryptography)).encoded, stamp: Stamp(rawValue: 0),
        value: part)
    }
    let value = packed.item.encoded(rank)
    let key = subject.key(of: value, stamp: stamp, cryptography)
    return parts + [LocalWrite(key: key.encoded, stamp: stamp, value: value)]
  }
}
