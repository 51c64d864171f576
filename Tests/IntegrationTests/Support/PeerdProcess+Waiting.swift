import PeerSync
import PeerSyncControl

extension PeerdProcess {
  /// What the device says now.
  func status() async throws -> StatusAnswer { try await json("status") }

  /// Writes a value of the app.
  func set(_ key: String, _ value: String) async throws {
    let _: ValueAnswer = try await client().send("PUT", "/v1/values/\(key)", body: ValueBody(value: value))
  }

  /// A value of the app; nil when the device knows none.
  func value(_ key: String) async throws -> String? {
    let answer: ValueAnswer? = try? await client().send("GET", "/v1/values/\(key)")
    return answer?.value
  }

  /// Talks to the daemon that runs now, without a process for each request.
  func client() throws -> ControlClient { try ControlClient(directory: data) }

  /// Waits until the device says that something holds.
  ///
  /// - Throws: ``NotReady`` with the last it said when that takes too long
  @discardableResult func wait(
    for what: String, within limit: Duration = .seconds(30),
    until holds: @escaping @Sendable (StatusAnswer) -> Bool
  ) async throws -> StatusAnswer {
    let client = try client()
    let found = try await withThrowingTaskGroup(of: StatusAnswer?.self) { group in
      group.addTask {
        for try await event in try client.events("full=true") where event.name == "changed" {
          let change = try client.decode(ChangeAnswer.self, Array(event.data.utf8))
          if holds(change.status) { return change.status }
        }
        return nil
      }
      group.addTask {
        try await Task.sleep(for: limit)
        return nil
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
    if let found { return found }
    throw NotReady(
      description: "waited \(limit) on \(name) for \(what); it says: \(try await status())\n\(log)")
  }

  /// Waits until the device is connected with so many peers, and each is known to hold all that either holds.
  ///
  /// - Parameter absent: the name of a member that does not count
  @discardableResult func waitInSync(with count: Int, besides absent: String? = nil) async throws
    -> StatusAnswer
  {
    try await wait(for: "\(count) peers in sync") { status in
      let peers = status.peers.filter { absent == nil || $0.name != absent }
      return peers.count == count && peers.allSatisfy { $0.connected && $0.inSync }
    }
  }

  /// Ends the daemon without a chance to do anything more, and starts it again.
  ///
  /// - Parameter isMoving: whether it then listens on another port
  func killAndRestart(isMoving: Bool = true) async throws {
    let address = ready?.listen
    kill()
    try await start(listen: isMoving ? "127.0.0.1:0" : address ?? "127.0.0.1:0")
  }
}

extension PeerdProcess {
  /// Starts the daemon with nothing but what it was told before.
  func startAsBefore() async throws { try await start(listen: nil, options: [], saysNothing: true) }
}
