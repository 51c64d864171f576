import Foundation
import PeerSync
import PeerSyncControl

/// `peerd wait`: returns when all conditions hold.
struct WaitCommand {
  let options: WaitOptions

  /// Looks at every change until all conditions hold at once, or the time is up.
  func run(_ client: ControlClient, _ console: Console) async throws {
    let status = try await withThrowingTaskGroup(of: StatusAnswer?.self) { group in
      group.addTask { try await self.follow(client) }
      group.addTask {
        try await Task.sleep(for: .seconds(options.timeoutSeconds))
        return nil
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
    guard let status else {
      // What is missing now, at the end, is what the person wants to know.
      let last: StatusAnswer = try await client.send("GET", "/v1/status")
      guard let missing = options.missing(in: last) else { return try say(last, console) }
      Console.complain(console.words(.gaveUp(after: options.timeoutSeconds, missing)))
      throw ExitStatus.timedOut
    }
    try say(status, console)
  }

  private func say(_ status: StatusAnswer, _ console: Console) throws {
    try console.print(status) { console.words(.done) + "\n" }
  }

  private func follow(_ client: ControlClient) async throws -> StatusAnswer? {
    for try await event in try client.events("full=true") where event.name == "changed" {
      let change = try client.decode(ChangeAnswer.self, Array(event.data.utf8))
      if options.missing(in: change.status) == nil { return change.status }
    }
    throw CancellationError()
  }
}

extension WaitOptions {
  /// The first condition that does not hold, in words; nil when all do.
  package func missing(in status: StatusAnswer) -> Phrase? {
    if let digest, digest != status.digest { return .digestIs(status.digest) }
    if let peers {
      let connected = status.peers.count { $0.connected }
      if connected < peers { return .peersConnected(connected, of: peers) }
    }
    for wanted in entitlements {
      let isActive = status.entitlements.contains { $0.id == wanted.id && $0.active }
      if isActive != wanted.isActive { return .isActive(wanted.id, isActive) }
    }
    return nil
  }
}
