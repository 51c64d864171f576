/// What an engine knows of another device beyond their sessions.
///
/// Where it listens and when it was last heard from are kept on disk, the rest for as long as the engine runs.
public struct KnownPeer: Hashable, Sendable {
  /// Where it was last known to listen, whoever says so: the newest word of all members.
  var listening: Listening?
  /// Where it said itself that it listens, when it was last met. Both are dialled, and the disk keeps this one if there is one: who tells
  /// wrong addresses of another member does not part those who have met.
  var own: Listening?
  /// When it was last heard from, by this device's wall clock.
  var seen: Instant?
  /// What the disk holds as ``seen``.
  var savedSeen: Instant?
  /// A vector that both devices are known to have reached: a reunion opens with what came after it.
  var common: VersionVector?
  /// The vector at which both last held the same.
  var alike: VersionVector?
  /// Whether both have held the same at some time since this device was started.
  var wasAlike = false
  /// The cuts that this device knew when both last held the same. Where there are others now, writes may have been voided since, on one
  /// of the two or on a third device that one has its writes from. What these had replaced only one of the two may hold, and nobody
  /// sends what both claim.
  var cuts: [ReplicaID: UInt64] = [:]
  /// The forks of which it has shown evidence, with their cuts.
  var forks: [ReplicaID: UInt64] = [:]
  /// Runs of its program, in the order in which they were first met.
  var boots: [Boot] = []
  /// Runs that were at work at the same time: they are not spoken to until there is another.
  var copies: [UInt64] = []
  /// What it may still ask: see ``Limits/questions``.
  var questions = TokenBucket(capacity: Limits.questions * 1000, perMillisecond: Limits.questionsPerSecond)
  /// How much of the key space may still be walked for it, in parts of 2^32: see ``Limits/walks``.
  var walks = TokenBucket(capacity: Limits.walks << 32, perMillisecond: (1 << 32) / Limits.walkMilliseconds)

  /// How often it may still be seen: see ``Limits/sightings``.
  var sightings = TokenBucket(
    capacity: Limits.sightings * Limits.sightingMilliseconds, perMillisecond: 1)
  /// Where it was last seen, when that was too often: it counts later, for it may be there for good.
  var waitingSighting: [Address] = []

  /// Most ``boots``: a copy shows itself within a few sessions.
  static let bootsLimit = 8

  /// Where a device listens: what members tell each other, and a row on disk.
  public struct Listening: Hashable, Sendable {
    package let device: DeviceID
    /// All of them, the likeliest first. None only in this device's own entry, while it is on no network.
    package let addresses: [Address]
    /// When the device began to listen there: the newer entry of a device wins.
    package let stamp: Stamp

    package init(device: DeviceID, addresses: [Address], stamp: Stamp) {
      self.device = device
      self.addresses = addresses
      self.stamp = stamp
    }

    package init(device: DeviceID, address: Address, stamp: Stamp) {
      self.init(device: device, addresses: [address], stamp: stamp)
    }

    /// The likeliest address.
    package var address: Address? { addresses.first }

    /// The same addresses, good until any others come.
    var weak: Listening { Listening(device: device, addresses: addresses, stamp: Stamp(rawValue: 0)) }

    /// What may be passed on of it: addresses that mean the same everywhere. Nil when there is none.
    var passable: Listening? {
      let passable = addresses.filter { !$0.isLinkLocal }
      return passable.isEmpty ? nil : Listening(device: device, addresses: passable, stamp: stamp)
    }
  }

  /// When a device was last heard from, by this device's wall clock: a row on disk.
  package struct Contact: Hashable, Sendable {
    package let device: DeviceID
    package let seen: Instant

    package init(device: DeviceID, seen: Instant) {
      self.device = device
      self.seen = seen
    }
  }

  /// One start of a device's program.
  struct Boot: Hashable, Sendable {
    let number: UInt64
    /// The session on which it was first met. Sessions are numbered as they open.
    let session: SessionID
  }

  /// The last contact, if the disk is this far behind. A clock that was turned back makes it so as well.
  func unsavedContact(after milliseconds: UInt64) -> Instant? {
    guard let seen else { return nil }
    guard let savedSeen else { return seen }
    return (seen.milliseconds - savedSeen.milliseconds).magnitude >= milliseconds ? seen : nil
  }
}
