import PeerSyncCore

/// One device of a simulation: an engine while it runs, and the disk that outlives it.
struct SimulatedDevice {
  let identity: Identity
  let signer: SigningKey
  /// What outranks this device and those that come in below it.
  let recoveryKey: SigningKey
  let address: Address
  var disk: VirtualDisk
  /// Nil while the device is down.
  var engine: Engine?
  /// How far the wall clock is off, in milliseconds.
  var wallOffset: Int64
  /// When the device last started: its monotonic clock begins there.
  var bootTime: UInt64 = 0
  /// Counts the lives of the device, so that what was meant for an earlier one finds nobody.
  var life = 0
  /// Events that wait for the next flush.
  var mailbox: [Event] = []
  /// The deadline that is scheduled, in virtual time.
  var scheduledDeadline: UInt64?
  /// Whom it takes for members, and over which invitation one may join: what a real device's connections ask.
  var members: Set<PublicKey> = []
  /// Whom it takes for removed: it shows them so.
  var removed: Set<PublicKey> = []
  var invitation: Invitation?
  /// A copy of the disk, with the number of requests acknowledged by then, and what the device could spend if it was known.
  var backup: (disk: VirtualDisk, acknowledged: Int, available: Int64?)?
  /// Whether it was ever to be removed, or was set back: what it writes does not have to last.
  var isDoubtful = false
  /// Where it looks for others, paired or not, like whoever runs `peerd run --peer`.
  var peers: [Address] = []
  /// The device of which this is a copy.
  var original: Int?
  /// Whether it was stopped for good.
  var isGone = false
  /// Whether the device dies before it does anything more.
  var isDying = false
}

/// A device dies while it makes something durable.
struct SimulatedCrash: Error {}

/// Does what one device's engine wants done, in virtual time.
struct SimulatedRunner: EffectRunner {
  let world: World
  let device: Int
  /// Whether a person has just asked the device to take credits over.
  var isReclaiming = false

  func persist(_ durable: Durable) throws {
    try world.persist(durable, device, isReclaiming: isReclaiming)
  }
  func send(_ message: Message, on session: SessionID) { world.send(message, device, session) }
  func close(_ session: SessionID, _ reason: CloseReason) { world.close(device, session, reason) }
  func admit(_ belonging: Belonging) { world.admit(device, belonging) }
  func invite(_ change: InvitationChange) { world.invite(device, change) }
  func dial(_ target: DialTarget) { world.dial(device, target) }
  func answer(_ request: RequestID, _ answer: Answer) { world.answered(device, request, answer) }
  func sign(_ draft: Transaction, for request: RequestID) { world.sign(draft, device, for: request) }
  func notice(_ notice: Notice) { world.noticed(device, notice) }
  func changed() {}
}
