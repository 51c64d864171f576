import PeerSync
import Testing

/// Several devices of one group, all running.
struct PeerdGroup {
  static let names = ["Phone", "Tablet", "Mac", "Watch", "Television"]

  let devices: [PeerdProcess]

  /// Makes devices, starts them, and pairs them with the first.
  ///
  /// - Parameter options: more options of `peerd init`
  init(_ count: Int, options: [String] = []) async throws {
    var devices: [PeerdProcess] = []
    for name in Self.names.prefix(count) {
      let device = try await PeerdProcess(
        name, catalogue: devices.isEmpty ? Catalogues.insomniOwl : nil, options: options)
      try await device.start()
      if let first = devices.first { try await device.join(first) }
      devices.append(device)
    }
    self.devices = devices
    for device in devices { try await device.waitInSync(with: count - 1) }
  }

  /// What all say once they have one digest: rights to credits still move for a moment after devices have met.
  private func settled() async throws -> [StatusAnswer] {
    var statuses: [StatusAnswer] = []
    for _ in 0..<40 {
      statuses = []
      for device in devices { statuses.append(try await device.status()) }
      let digest = statuses[0].digest
      guard let behind = statuses.firstIndex(where: { $0.digest != digest }) else { break }
      _ = try await devices[behind].run("wait", "--digest", digest, "--timeout", "1")
    }
    return statuses
  }

  /// Devices that are members already.
  init(of devices: [PeerdProcess]) { self.devices = devices }

  subscript(index: Int) -> PeerdProcess { devices[index] }

  /// Waits until all devices hold the same, and checks that all say the same.
  ///
  /// - Parameter absent: the name of a member that is not one of them
  /// - Returns: what the first says
  @discardableResult func agree(
    _ comment: String = "", besides absent: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> StatusAnswer {
    for device in devices { try await device.waitInSync(with: devices.count - 1, besides: absent) }
    let statuses = try await settled()
    let first = statuses[0]
    for (device, status) in zip(devices, statuses) {
      #expect(
        Answers(status) == Answers(first), "\(device.name) \(comment)", sourceLocation: sourceLocation)
    }
    return first
  }
}

/// What all devices of a group must say alike.
struct Answers: Equatable {
  let digest: String
  let lines: [LineAnswer]
  let entitlements: [EntitlementAnswer]
  let purchased: [String]
  let balances: [String: Int64]
  let debts: [String: Int64]
  let members: Int

  init(_ status: StatusAnswer) {
    digest = status.digest
    lines = status.lines
    entitlements = status.entitlements
    purchased = status.purchased
    balances = Dictionary(uniqueKeysWithValues: status.credits.map { ($0.id, $0.balance) })
    debts = Dictionary(uniqueKeysWithValues: status.credits.map { ($0.id, $0.debt) })
    members = status.group.members
  }
}
