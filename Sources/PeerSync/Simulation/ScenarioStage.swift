import PeerSyncCore
import PeerSyncSandbox

/// Where a story is played: in virtual time, or by real processes.
///
/// ``ScenarioRunner`` knows the story: who is there, what they bought, and what must be so. A stage knows how things are done.
/// Devices are numbered from 0, in the order in which they began; whoever has to be running is when a stage is asked.
package protocol ScenarioStage: AnyObject {
  /// What the stage itself has found to be wrong, whatever the story expects.
  var problem: ScenarioProblem? { get }
  /// What an error of the stage's own says; nil: it says it in English alone.
  func explain(_ error: any Error) -> ScenarioProblem?
  /// What the devices hash with.
  var cryptography: Cryptography { get }

  /// Gets ready for devices of an environment.
  ///
  /// - Throws: ``ScenarioProblem`` where it cannot be played here
  func prepare(for environment: Environment) throws
  /// Comes to the end of the story.
  func finish() throws

  // MARK: Devices

  /// Makes a device, which is alone, and starts it.
  func begin(_ name: String, in environment: Environment) async throws
  /// Whether a device runs.
  func isRunning(_ device: Int) -> Bool
  /// Starts a device from its disk.
  func start(_ device: Int) async throws
  /// Kills a device: what its disk does not have is gone.
  func crash(_ device: Int) async throws
  /// Copies a device's disk.
  func backUp(_ device: Int) async throws
  /// Puts the copy back and starts the device from it.
  ///
  /// - Parameter isNoticed: whether it can tell; it cannot when all of its machine is set back
  /// - Returns: whether there is a copy
  func setBack(_ device: Int, isNoticed: Bool) async throws -> Bool
  /// Starts a copy of a device beside it.
  func copy(_ device: Int, as name: String) async throws
  /// Sets how far a device's wall clock is off, in milliseconds.
  func setClock(_ device: Int, offset: Int64) async throws

  // MARK: The network

  /// Lets something happen to the link between two devices.
  func setLink(_ left: Int, _ right: Int, _ change: LinkChange) async throws
  /// Takes a device off the network, as its user wants, or back to it.
  func setOnline(_ isOnline: Bool, _ device: Int) async throws -> ScenarioReply
  /// Has a device try to connect with another at its address from now on.
  func call(_ other: Int, from device: Int) async throws
  /// Pairs a device with another by an invitation.
  func join(_ device: Int, to host: Int) async throws -> ScenarioReply
  /// Lets time pass.
  func wait(_ milliseconds: UInt64) async throws
  /// Waits until devices that can reach each other, directly or through others, hold the same.
  ///
  /// - Returns: whether they do
  func settle() async throws -> Bool

  // MARK: What people ask

  /// Asks something of a device.
  func ask(_ request: ScenarioRequest, of device: Int) async throws -> ScenarioReply

  // MARK: Purchases

  /// Who a device is to others.
  func id(of device: Int) async throws -> DeviceID
  /// Whose credits a purchase on a device is.
  func holder(of device: Int) async throws -> CreditHolder
  /// Takes note of what the story's store has sold.
  func noteSold(_ transaction: Transaction)
  /// Signs as the story's store does, or as nobody is to believe.
  func sign(_ payload: [UInt8], isForged: Bool) throws -> JWS
  /// Hands a device what is signed.
  ///
  /// - Returns: why it does not count there
  func hand(_ item: JWS, to device: Int) async throws -> String?

  // MARK: The sandbox store

  /// Opens it, before there is a device.
  func openStore(selling products: [SandboxProduct]) throws
  /// Has a device buy with an account from now on; before, ``SandboxDemand/somebody`` buys.
  func use(_ account: String, on device: Int) async throws
  /// Has a device buy something.
  func order(_ order: ScenarioOrder, on device: Int) async throws -> SandboxResult
  /// Lets something happen in the store.
  ///
  /// - Parameter demand: with the store's numbers
  func obey(_ demand: SandboxDemand) async throws -> SandboxResult
  /// Brings back on a device what was bought.
  func restore(_ device: Int) async throws -> ScenarioRestored
  /// Lets every running device take in what is new in the store, if there is one.
  func hearStore() async throws

  // MARK: Looking

  /// The digest of a running device, in hexadecimal digits.
  func digest(of device: Int) async throws -> String
  /// What a running device answers, in the words of ``ScenarioAnswer/expected``.
  func seen(_ answer: ScenarioAnswer, by device: Int) async throws -> String
  /// Looks at something until it is as expected, or for as long as what comes by itself may take here.
  ///
  /// - Parameter seconds: what that is where devices take their time
  func look<Seen>(
    within seconds: Int, _ look: () async throws -> Seen, until isExpected: (Seen) -> Bool
  ) async throws -> Seen
}

/// What a story's people ask of their devices.
package enum ScenarioRequest {
  /// Know these products.
  case learn([Product])
  /// Take in what another program has exported.
  case write([LocalWrite])
  /// Buy from the store that the device simulates for itself.
  case purchase(PurchaseOrder)
  /// Have that store take a purchase back.
  case refund(transaction: String)
  case spend(Spending)
  /// Take over what earlier incarnations of the device hold.
  case reclaim(credit: String)
  /// Take over what was bought on devices that nobody has met, and that are lost.
  case reclaimLost(credit: String)
  /// A person says that the device's clock is right.
  case acceptTime
  /// Remove a device, by one's own right or by the recovery key of that one.
  case remove(Int, byRecoveryKey: Bool, ScenarioTakingBack)
  case setExpiration(line: String, Instant?)
  case grant(entitlement: String, until: Instant?)
  case revoke(entitlement: String)
}

/// What a removal in a story takes back of what the device had decided.
package enum ScenarioTakingBack: Hashable, Sendable {
  case nothing
  case everything
  /// What was decided in the last milliseconds, by the clock of the device that removes.
  case last(Int64)

  /// - Parameter now: what time that device says it is
  package func takingBack(at now: Instant) -> TakingBack {
    switch self {
    case .nothing: .nothing
    case .everything: .everything
    case .last(let duration): .since(now.advanced(byMilliseconds: 0 - duration))
    }
  }
}

/// What a device answers to a request.
package enum ScenarioReply {
  case done
  /// The purchase or refund is done; the transaction's id.
  case transaction(String)
  /// It may not spend as much. Who else holds rights, and the same in words.
  case notEnough([RightsHeld], why: ScenarioProblem)
  case refused(ScenarioProblem)
  /// No answer came.
  case silent
}
