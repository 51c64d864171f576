import Foundation
@_exported import PeerSync
import PeerSyncCore
import PeerSyncSimulation

/// What a test is about: the names of the devices of one person, what can be bought, and what goes wrong by itself.
///
/// ``run(in:_:)`` makes the devices, pairs them, and hands them to a test as a ``DeviceGroup``: in virtual time,
/// where a test runs once for each of many seeds, or as real daemons in this process. ``explore(seeds:steps:weights:attempts:expecting:)``
/// makes up what people do.
///
/// What fails is thrown. A ``TestFailure`` says which seed it was, and how to run that seed again.
public struct Testbed: Sendable {
  /// What people call the devices, each once. The first one takes the others in.
  public var devices: [String]
  /// What can be bought.
  public var catalogue: Catalogue
  /// What goes wrong by itself, in virtual time, once the devices are paired.
  public var faults: FaultRates
  /// The app whose purchases these are.
  public var bundleId: String
  /// A fault of the program itself, for seeing the checkers fail.
  package var sabotage: Sabotage?

  /// States what a test is about.
  public init(
    devices: [String], catalogue: Catalogue, faults: FaultRates = .none,
    bundleId: String = "com.example.app"
  ) {
    self.devices = devices
    self.catalogue = catalogue
    self.faults = faults
    self.bundleId = bundleId
  }

  /// States what a test is about, with these products.
  public init(
    devices: [String], products: [Product], faults: FaultRates = .none, bundleId: String = "com.example.app"
  ) {
    self.init(
      devices: devices, catalogue: Catalogue(products: products), faults: faults, bundleId: bundleId)
  }

  /// Makes the devices, paired and with the catalogue, and lets a test have them: in virtual time once for each seed, one
  /// after another, up to the first that fails.
  ///
  /// What `body` throws is told with its seed. An expectation that only records, such as `#expect`, does not say under which
  /// seed it failed: use `#require`, or ``DeviceGroup/expect(_:_:)``.
  ///
  /// - Throws: a ``TestFailure``; with daemons, what `body` throws as it is
  public func run(in medium: Medium = .virtualTime, _ body: (DeviceGroup) async throws -> Void) async throws {
    guard let seeds = try medium.seedsToRun() else { return try await runDaemons(body) }
    for seed in seeds {
      do { try await runVirtually(seed, body) } catch { throw TestFailure(error, seed: seed) }
    }
  }

  private func runVirtually(_ seed: UInt64, _ body: (DeviceGroup) async throws -> Void) async throws {
    let backend = try VirtualBackend(self, seed: seed)
    try await body(DeviceGroup(self, on: backend, seed: seed))
    try await backend.finish()
  }

  private func runDaemons(_ body: (DeviceGroup) async throws -> Void) async throws {
    let backend = try DaemonBackend(self)
    do {
      try await backend.open()
      try await body(DeviceGroup(self, on: backend, seed: nil))
    } catch {
      await backend.close()
      throw error
    }
    await backend.close()
  }

  /// Refuses what no group can be made of.
  func requireSense() throws(TestFailure) {
    guard !devices.isEmpty, devices.count <= 64 else {
      throw .misuse("a testbed has 1 to 64 devices, not \(devices.count)")
    }
    for (index, name) in devices.enumerated() where devices[..<index].contains(name) {
      throw .misuse("two devices are called '\(name)'")
    }
    if let misfit = catalogue.misfit { throw .misuse(misfit) }
  }
}
