/// One signed item that was handed in, looked at.
public struct IngestedItem: Sendable {
  /// As it came.
  package let text: String
  /// The item and what is signed inside it; empty when it was refused.
  package private(set) var items: [VerifiedItem] = []
  /// Why it was refused.
  public private(set) var reason: JWSRejection?
  /// What a refused item claims to be, as far as it can be read and is of this app.
  package private(set) var evidence: Evidence?

  /// A refused item that claims a transaction or a renewal of this app.
  package struct Evidence: Sendable {
    let jws: JWS
    package let payload: StorePayload
    let subject: StoreSubject

    /// As a good item would be written: where its root is trusted later, it is one.
    package func writes(_ cryptography: Cryptography) -> [LocalWrite] {
      StoreItem.writes(
        of: jws, about: subject, rank: payload.rank, stamp: Stamp(payload.signedDate), cryptography)
    }
  }

  /// Verifies an item with everything signed inside it.
  ///
  /// - Parameters:
  ///   - text: a JSON Web Signature in compact serialization
  ///   - identity: of the device that it is for
  ///   - roots: SHA-256 of the roots that are trusted besides Apple's: ``Engine/trustedRoots``
  public init(
    _ text: String, _ identity: Identity, _ verifier: StoreVerifier, trusting roots: Set<ContentHash>
  ) {
    self.text = text
    do throws(JWSRejection) {
      let jws = try JWS(Array(text.utf8), atMost: Limits.notificationBytes)
      do throws(JWSRejection) {
        items = try verifier.verifyAll(
          jws, environment: identity.environment, bundleId: identity.bundleId, trusting: roots)
        try requireRoom(identity)
      } catch {
        items = []
        reason = error
        evidence = IngestedItem.evidence(jws, identity)
      }
    } catch {
      reason = error
    }
  }

  /// Items are kept as registers: each has to fit one. A notification is not.
  private func requireRoom(_ identity: Identity) throws(JWSRejection) {
    for item in items {
      guard let subject = IngestedItem.subject(of: item.payload, identity) else { continue }
      guard subject.isWithinLimits, item.jws.isWithinLimits else { throw .tooLong }
    }
  }

  private static func evidence(_ jws: JWS, _ identity: Identity) -> Evidence? {
    guard jws.isWithinLimits, let payload = try? StorePayload(jws.payload),
      payload.environment == identity.environment, let subject = subject(of: payload, identity),
      subject.bundleId == Name(identity.bundleId), subject.isWithinLimits
    else { return nil }
    return Evidence(jws: jws, payload: payload, subject: subject)
  }

  /// A renewal state names no app: it is taken for this one, whose user has it.
  private static func subject(of payload: StorePayload, _ identity: Identity) -> StoreSubject? {
    StoreSubject(payload, bundleId: identity.bundleId, device: identity.device)
  }

  /// The notification that it is; nil for anything else, and for one that was refused.
  package var notification: StoreNotification? {
    if case .notification(let notification)? = items.first?.payload { notification } else { nil }
  }

  /// What makes it known.
  package func writes(_ identity: Identity, _ cryptography: Cryptography) -> [LocalWrite] {
    items.flatMap { item -> [LocalWrite] in
      guard let subject = IngestedItem.subject(of: item.payload, identity) else { return [] }
      return StoreItem.writes(
        of: item.jws, about: subject, rank: item.payload.rank, stamp: Stamp(item.payload.signedDate),
        cryptography)
    }
  }

  /// The transaction that it is about, as far as it can be read.
  package var transactionId: String? {
    (items.map(\.payload) + [evidence?.payload].compactMap(\.self)).lazy.compactMap { payload -> String? in
      switch payload {
      case .transaction(let transaction): transaction.transactionId
      case .renewalInfo(let info): info.originalTransactionId
      case .notification: nil
      }
    }.first
  }

  /// What it claims to be; nil when it cannot be read.
  package var kind: StorePayload.Kind? {
    if let item = items.first { return item.payload.kind }
    guard let jws = try? JWS(Array(text.utf8), atMost: Limits.notificationBytes) else { return nil }
    return (try? StorePayload(jws.payload))?.kind
  }
}

extension StoreItem {
  /// The key of the register in which devices keep what a store has signed; nil for what they would not keep.
  package static func register(of text: String, bundleId: String, _ cryptography: Cryptography) -> [UInt8]? {
    guard let jws = try? JWS(Array(text.utf8), atMost: Limits.notificationBytes),
      let payload = try? StorePayload(jws.payload),
      let subject = StoreSubject(payload, bundleId: bundleId, device: DeviceID(high: 0, low: 0))
    else { return nil }
    let writes = StoreItem.writes(
      of: jws, about: subject, rank: payload.rank, stamp: Stamp(payload.signedDate), cryptography)
    // The parts that it shares with others come first.
    return writes.last?.key
  }
}
