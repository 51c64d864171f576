import PeerSync

/// Where the laboratory writes how things stand, and its pages read it.
final class LabBoard: Sendable {
  private struct Contents {
    var state = LabState()
    /// What running devices say of themselves.
    var statuses: [String: StatusAnswer] = [:]
    /// By how many milliseconds their clocks are ahead of this machine's.
    var leads: [String: Int64] = [:]
    /// By how many milliseconds the time of the laboratory is ahead of this machine's clock.
    var lead: Int64 = 0
    /// Where running devices are.
    var directories: [String: String] = [:]
    var revision: UInt64 = 0
    var readers: [UInt64: AsyncStream<Void>.Continuation] = [:]
    var lastReader: UInt64 = 0
  }

  private let contents = Guarded(Contents())

  /// Changes what is shown.
  func update(_ change: (inout LabState) -> Void) {
    contents.withLock {
      change(&$0.state)
      Self.tell(&$0)
    }
  }

  /// Notes what a device says; nil: it says nothing any more.
  func note(_ status: StatusAnswer?, of name: String) {
    contents.withLock {
      guard $0.statuses[name] != status else { return }
      $0.statuses[name] = status
      $0.leads[name] = status.map { $0.time.wall.milliseconds - Instant.present.milliseconds }
      Self.tell(&$0)
    }
  }

  /// Notes by how many milliseconds the time of the laboratory is ahead of this machine's clock.
  func note(lead: Int64) { contents.withLock { $0.lead = lead } }

  /// Notes where a device is.
  func note(directory: String, of name: String) { contents.withLock { $0.directories[name] = directory } }

  /// Where a device is that there is.
  func directory(of name: String) -> String? { contents.withLock { $0.directories[name] } }

  /// Most crossings that are kept.
  private static let crossingsLimit = 200

  /// Notes what has come to a device.
  func note(_ traffic: TrafficAnswer, to name: String) {
    guard traffic.direction == "in", let peer = traffic.peer, !traffic.purchases.isEmpty else { return }
    update { state in
      for carried in traffic.purchases {
        state.crossings.append(
          LabState.Crossing(
            number: (state.crossings.last?.number ?? 0) + 1, from: peer.name, to: name,
            by: carried.device?.name, commit: carried.commit, transactions: carried.transactions,
            revoked: carried.revoked, isNews: carried.news ?? true))
      }
      state.crossings.removeFirst(max(0, state.crossings.count - Self.crossingsLimit))
    }
  }

  private static func tell(_ contents: inout Contents) {
    contents.revision += 1
    for reader in contents.readers.values { reader.yield() }
  }

  /// How things stand, with the number of the change that led to it.
  var now: (revision: UInt64, state: LabState) {
    contents.withLock { contents in
      var state = contents.state
      for index in state.devices.indices where state.devices[index].isRunning {
        let name = state.devices[index].name
        state.devices[index].take(contents.statuses[name])
        state.devices[index].clockAhead = contents.leads[name].map { $0 - contents.lead }
      }
      return (contents.revision, state)
    }
  }

  /// How things stand, at once and after every change. Who reads slowly misses what was between.
  var changes: AsyncStream<(revision: UInt64, state: LabState)> {
    let (changed, telling) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    telling.yield()
    let reader = contents.withLock { contents in
      contents.lastReader += 1
      contents.readers[contents.lastReader] = telling
      return contents.lastReader
    }
    let (states, giving) = AsyncStream.makeStream(
      of: (revision: UInt64, state: LabState).self, bufferingPolicy: .bufferingNewest(1))
    let task = Task { [self] in
      for await _ in changed { giving.yield(now) }
      giving.finish()
    }
    giving.onTermination = { [contents] _ in
      task.cancel()
      contents.withLock { $0.readers[reader] = nil }
    }
    return states
  }

  /// Ends what pages read.
  func close() {
    let readers = contents.withLock { contents in
      defer { contents.readers = [:] }
      return contents.readers
    }
    for reader in readers.values { reader.finish() }
  }
}
