import PeerSync
import PeerSyncSandbox

/// What is still to be posted, and when. The first attempt is made at once; after a failure the pause doubles from a
/// second, and after ``Limits/sandboxAttempts`` attempts that is it.
///
/// Each server is told in order: what comes later waits while something is tried again, for that server alone.
package struct SandboxCourier {
  /// One notification on its way to one server.
  package struct Parcel: Hashable, Sendable {
    package let number: UInt64
    let server: LocalServer
  }

  /// What waits for one server. The first is on its way, or waits for its next attempt.
  private struct Queue {
    let server: LocalServer
    var numbers: [UInt64] = []
    /// How often the first was tried.
    var tries = 0
    /// When the first may go, on the monotonic clock, in milliseconds.
    var due: UInt64 = 0
    var isUnderWay = false
  }

  private var queues: [Queue]
  /// What one server has refused at every try, as long as others are still to be told.
  private var refused: Set<UInt64> = []

  package init(_ servers: [LocalServer], undelivered: [SandboxNotification]) {
    // A server that was named twice is told once.
    queues = servers.enumerated().filter { !servers[..<$0].contains($1) }.map { Queue(server: $1) }
    // A store that posted nothing until now does not begin with what is past.
    guard let last = undelivered.lastIndex(where: { !$0.attempts.isEmpty }) else { return }
    for (index, told) in undelivered.enumerated()
    where !told.isDelivered && !told.isGivenUp && (index > last || !told.attempts.isEmpty) {
      add(told.number)
    }
  }

  package mutating func add(_ number: UInt64) {
    for index in queues.indices {
      queues[index].numbers.append(number)
      guard queues[index].numbers.count > Limits.sandboxNotifications else { continue }
      // The oldest makes room that was not tried yet.
      let isBegun = queues[index].isUnderWay || queues[index].tries > 0
      refused.remove(queues[index].numbers.remove(at: isBegun ? 1 : 0))
    }
  }

  /// The next one that may go.
  package mutating func next(at time: UInt64) -> Parcel? {
    for index in queues.indices where !queues[index].isUnderWay && queues[index].due <= time {
      guard let number = queues[index].numbers.first else { continue }
      queues[index].isUnderWay = true
      return Parcel(number: number, server: queues[index].server)
    }
    return nil
  }

  /// When the next one that has to wait may go.
  package var nextDue: UInt64? {
    queues.lazy.filter { !$0.isUnderWay && !$0.numbers.isEmpty }.map(\.due).min()
  }

  /// Notes what came of an attempt.
  ///
  /// - Returns: whether every server has taken the notification
  package mutating func posted(_ parcel: Parcel, _ result: String, at time: UInt64) -> Bool {
    guard let index = queues.firstIndex(where: { $0.isUnderWay && $0.server == parcel.server }) else {
      return false
    }
    queues[index].isUnderWay = false
    queues[index].tries += 1
    let tries = queues[index].tries
    if result != SandboxNotification.Attempt.success {
      guard tries >= Limits.sandboxAttempts else {
        queues[index].due = time + 1000 << UInt64(tries - 1)
        return false
      }
      refused.insert(parcel.number)
    }
    queues[index].numbers.removeFirst()
    (queues[index].tries, queues[index].due) = (0, 0)
    guard !queues.contains(where: { $0.numbers.contains(parcel.number) }) else { return false }
    return refused.remove(parcel.number) == nil
  }
}

extension LocalServer {
  /// Seconds that a server has to take a notification.
  private static let patience = 10.0

  /// Posts a signed notification.
  ///
  /// - Returns: Apple's `sendAttemptResult`
  func post(_ payload: String) async -> String {
    do {
      let body = Array("{\"signedPayload\":\"\(payload)\"}".utf8)
      let answer = try await send("POST", path, body: body, timeoutSeconds: LocalServer.patience)
      return (200..<300).contains(answer.status) ? "SUCCESS" : "UNSUCCESSFUL_HTTP_RESPONSE_CODE"
    } catch LoopbackConnection.Failure.timedOut {
      return "TIMED_OUT"
    } catch LoopbackConnection.Failure.refused {
      return "NO_RESPONSE"
    } catch is ResponseParser.Malformed {
      return "INVALID_RESPONSE"
    } catch { return "PREMATURE_CLOSE" }
  }
}
