/// One signed statement about who belongs to a group: a device was founded, two groups became one, a device was
/// removed. Records name the records their author knew of by their hashes, so that nobody can slip one in below others.
///
/// Devices are named by their *founding*, the hash of the record that introduced them: it fixes their key, their
/// recovery key and their app for good. docs/membership.md tells what follows from a set of records.
public struct MembershipRecord: Hashable, Sendable {
  /// What is stated.
  package enum Body: Hashable, Sendable {
    case found(Founding)
    case merge(Merge)
    case remove(Removal)
    /// A kind of a later version that this one may pass over: see ``MembershipRecord/isOptional(_:)``.
    case other(kind: UInt8, author: ContentHash, payload: [UInt8])
  }

  /// A device introduces itself, alone in a group of its own.
  package struct Founding: Hashable, Sendable {
    /// The key by which the device is known.
    package let key: PublicKey
    /// The key whose private half is on paper: it may remove this device and whoever came in below it.
    package let recoveryKey: PublicKey
    /// What the device is called, at most ``Limits/textBytes``.
    package let name: String
    package let environment: Environment
    package let bundleId: String
    /// The root certificate of the sandbox store that the device brings along, by its hash.
    package let storeRoot: ContentHash?

    package init(
      key: PublicKey, recoveryKey: PublicKey, name: String, environment: Environment, bundleId: String,
      storeRoot: ContentHash? = nil
    ) {
      self.key = key
      self.recoveryKey = recoveryKey
      self.name = name
      self.environment = environment
      self.bundleId = bundleId
      self.storeRoot = storeRoot
    }

    /// Whether two devices run the same app in the same environment. Others never form a group [B26].
    func isOfSameApp(as other: Founding) -> Bool {
      environment == other.environment && Name(bundleId) == Name(other.bundleId)
    }
  }

  /// A device, with everybody below it, comes under a group. Signed by the host and by the joiner.
  package struct Merge: Hashable, Sendable {
    /// The founding of the host's group: what the joiner agrees to belong to.
    package let group: ContentHash
    /// The founding of the member that takes the joiner in.
    package let host: ContentHash
    /// The founding of the device that joins.
    package let joiner: ContentHash

    package init(group: ContentHash, host: ContentHash, joiner: ContentHash) {
      self.group = group
      self.host = host
      self.joiner = joiner
    }
  }

  /// A device is removed for good.
  package struct Removal: Hashable, Sendable {
    /// The founding of the device that removes, or whose recovery key does.
    package let author: ContentHash
    /// Whether the recovery key of the author's founding signed, and not the device's own.
    package let isByRecoveryKey: Bool
    /// The key of the device that is removed.
    package let target: PublicKey
    /// The last write of each of its replicas that is taken, sorted by replica: those known to the author. Of replicas not named
    /// none is; later ones leave the registers and are refused.
    package let cuts: [Dot]
    /// The last decision of each of its replicas that counts, sorted by replica; of those not named none does. Nil: all that are
    /// taken count. What does not count stays in its registers.
    package let counted: [Dot]?

    package init(
      author: ContentHash, isByRecoveryKey: Bool, target: PublicKey, cuts: [Dot], counted: [Dot]? = nil
    ) {
      self.author = author
      self.isByRecoveryKey = isByRecoveryKey
      self.target = target
      self.cuts = cuts
      self.counted = counted
    }
  }

  /// What the author knew of: the hashes of the newest records, sorted. Empty for a founding alone.
  package let parents: [ContentHash]
  package let body: Body
  /// The author's signature, and behind it the joiner's where the record is a merge.
  package let signatures: [Signature]

  package init(parents: [ContentHash], body: Body, signatures: [Signature]) {
    self.parents = parents
    self.body = body
    self.signatures = signatures
  }

  /// The hash by which other records name this one: of what is signed, and not of the signatures. Whoever changed a
  /// signature into another valid one would otherwise make a second record out of the first.
  package func hash(_ cryptography: Cryptography) -> ContentHash { cryptography.hash(of: signedBytes) }

  /// What the signatures are of: a label, so that nothing else that a key signs can pass for a record, and the content.
  package var signedBytes: [UInt8] {
    var writer = ByteWriter(reserving: 256)
    writer.write(raw: "PeerSync membership".utf8)
    writeContent(to: &writer)
    return writer.bytes
  }
}
