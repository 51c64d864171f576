import PeerSync
import PeerSyncSandbox
import PeerSyncSandboxServer
import PeerSyncSimulation

/// Everything `peerd` can be told to do: the whole grammar as one value.
package enum Command: Equatable, Sendable {
  /// Print how to use peerd, or one of its commands.
  case help(topic: String?)
  case version
  /// No name: all settings. No value: that of one.
  case configure(name: String?, value: String?)
  case doctor
  /// Out of the group.
  case leave(isConfirmed: Bool)
  /// Call the device that is asked something else.
  case rename(to: String)
  case completions(Shell)
  /// No name: of the program.
  case manual(command: String?)
  case initialize(InitOptions)
  case run(RunOptions)
  case invite
  case join(url: String)
  case devices
  /// No recovery key: by the right of the device that is asked.
  case remove(RemoveOptions)
  case products
  /// More products for a device that is there.
  case addCatalogue(file: String)
  case buy(BuyOptions)
  case refund(transaction: String)
  case spend(SpendOptions)
  case reclaim(credit: String, fromLost: Bool)
  /// No file but `-`: from standard input.
  case ingest(file: String)
  case notifications
  case status
  case dashboard(opens: Bool)
  case why(entitlement: String)
  case watch
  case history(since: Instant?, limit: Int)
  case transactions
  case wait(WaitOptions)
  /// Shows who vouches for which time; or has this device's clock count against peers.
  case time(accept: Bool, isConfirmed: Bool)
  case offline
  case online
  /// No date: the line has no cover but by purchases made from now on.
  case setExpiration(line: String, date: Instant?)
  /// No date: the grant does not end by itself.
  case grant(entitlement: String, until: Instant?)
  case revoke(entitlement: String)
  /// No file: to standard output.
  case exportLedger(file: String?)
  case importLedger(file: String)
  case simulate(SimulateOptions)
  case explore(ExploreOptions)
  case rehearse(RehearseOptions)
  case lab(LabOptions)
  case bench(Benchmark)
  case restore
  case store(StoreOptions)
  case storeShow(SandboxView)
  case storeProducts(account: String?)
  case storeDemand(SandboxDemand)
}

/// A command with what every command takes.
package struct Invocation: Equatable, Sendable {
  package var command: Command
  /// The device's data directory; empty for commands that have none.
  package var data: String
  /// Whether the result is one JSON document instead of text for people.
  package var json: Bool
  /// Whether text for people has whole instants.
  package var utc = false
}

package struct InitOptions: Equatable, Sendable {
  /// What people call the device; nil: the host's name.
  package var name: String?
  package var environment: Environment
  package var bundleId: String?
  /// Root certificates, in PEM files.
  package var trustRoots: [String] = []
  package var catalogues: [String]
  /// How far the device's wall clock is set off when it is made, in milliseconds.
  package var clockOffset: Int64?
  /// Whether a person may have the device's clock count against what peers vouch for.
  package var mayAcceptTime = true
}

package struct RunOptions: Equatable, Sendable {
  /// What was said of the settings, which stay.
  package var told = RunSettings()
  /// Where peers reach this device; nil: it dials but does not listen.
  package var listen: Address?
  package var http: Address
  package var peers: [Address]
  /// Whether it finds members on the local network, and is found there.
  package var discovers: Bool
  /// The only network interface for that; nil: all.
  package var interface: String?
  /// Whether members are told where it listens.
  package var announces = true
  /// How far this device's wall clock is set off, in milliseconds.
  package var clockOffset: Int64?
  /// The sandbox store that it buys from; nil: it signs for itself.
  package var store: LocalServer?
  /// Whose purchases they are there.
  package var account: String?
  package var log: LogOptions
}

package struct LabOptions: Equatable, Sendable {
  /// Most devices.
  package static let devicesLimit = 8

  /// What they are called.
  package var devices: [String]
  /// Whether somebody has named them.
  package var namesDevices = false
  /// Where the laboratory stays; nil: nothing of it does.
  package var data: String?
  /// Catalogue files; empty: the catalogue that is built in.
  package var catalogues: [String] = []
  package var http: Address
  /// Whether to show the page in a browser.
  package var opens: Bool
}

package struct StoreOptions: Equatable, Sendable {
  package var http: Address
  package var catalogues: [String]
  /// Nil: that of the catalogue, or as before.
  package var pace: SandboxPace?
  /// What the clock of a new store shows first; nil: the present time.
  package var begin: Instant?
  package var notified: [LocalServer]
  package var log: LogOptions
}

package struct LogOptions: Equatable, Sendable {
  package enum Format: String, CaseIterable, Sendable { case text, json }
  /// From the most to the least talkative.
  package enum Level: String, CaseIterable, Sendable { case debug, info, warning, error }

  package var format: Format
  /// Less severe lines are left out.
  package var level: Level
}

package struct BuyOptions: Equatable, Sendable {
  package var product: String
  package var quantity: Int
  /// When the purchase is made; nil: now.
  package var at: Instant?
  /// The id of an offer of the sandbox store.
  package var offer: String?
}

package struct SpendOptions: Equatable, Sendable {
  package var credit: String
  package var amount: Int
  /// Names the spend; nil: a new one.
  package var id: String?
}

/// What `peerd remove` is to do.
package struct RemoveOptions: Equatable, Sendable {
  package var device: String
  /// Nil: by the right of the device that is asked; `-`: it comes on standard input.
  package var recoveryKey: String?
  /// What of all that the device has decided is taken back.
  package var takingBack: TakingBack
  /// Devices that it let in and that go with it.
  package var disowned: [String]
  /// Whether not to ask first.
  package var isConfirmed: Bool
}

package struct WaitOptions: Equatable, Sendable {
  /// An entitlement and whether it is to be active.
  package struct Entitlement: Equatable, Sendable {
    package var id: String
    package var isActive: Bool
  }

  package var digest: String?
  package var entitlements: [Entitlement]
  /// How many peers are to be connected, at least.
  package var peers: Int?
  package var timeoutSeconds: Double
}

package struct RehearseOptions: Equatable, Sendable {
  /// The story; `-`: standard input.
  package var file: String
  /// Whether it is played in virtual time instead of by real processes.
  package var isSimulated: Bool
  /// Of the simulation; nil: a fresh one.
  package var seed: UInt64?
}

package struct SimulateOptions: Equatable, Sendable {
  /// Nil: a fresh one.
  package var seed: UInt64?
  /// How many seeds, counting up from the first.
  package var seeds: Int
  package var devices: Int
  /// Virtual time, in minutes.
  package var minutes: Int
  package var faults: [RareFault]
}

package struct ExploreOptions: Equatable, Sendable {
  package var seed: UInt64
  package var bounds: Explorer.Bounds
}
