import PeerSyncCore

/// What a group of devices runs on: virtual time or real daemons. Devices are told by their places in ``Testbed/devices``.
protocol Backend: Actor {
  /// Asks something of a device, as its user, until it has answered.
  func perform(_ request: Request, on index: Int) async throws -> Answer
  /// Looks at a device.
  func look<Result: Sendable>(at index: Int, _ body: @Sendable (inout EngineView, Now) -> Result) async throws
    -> Result
  /// Whether a device was stopped and not started since.
  func isStopped(_ index: Int) -> Bool
  /// Cuts devices of different sides off from each other, and puts those of one side together.
  func part(_ sides: [[Int]]) async throws
  /// Has devices die at once, with what their disks do not have.
  func crash(_ indices: [Int]) async throws
  /// Starts a device from its disk.
  func start(_ index: Int) async throws
  /// Sets how far a device's wall clock is off, in milliseconds.
  func setClock(_ index: Int, offset: Int64) async throws
  /// Lets time pass on all devices.
  func pass(milliseconds: Int64) async throws
  /// Ends everything that is wrong.
  func heal() async throws
  /// A random number: an id of a purchase or a spend.
  func draw() -> UInt64

  /// Milliseconds since the beginning, for limits.
  var clock: UInt64 { get }
  /// How often something has changed.
  var changes: UInt64 { get }
  /// Waits until something has changed since, or that time has come.
  func change(since seen: UInt64, until limit: UInt64) async throws
  /// For how long devices may take to converge by themselves, in milliseconds.
  var patience: UInt64 { get }
  /// Looks at what only this medium can see, once devices hold the same.
  func checkConverged() async throws
}
