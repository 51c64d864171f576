import PeerSyncCore

/// What the sandbox store tells servers: an App Store Server Notification, version 2.
package struct SandboxNotification: Codable, Hashable, Sendable {
  /// One attempt to post it.
  package struct Attempt: Codable, Hashable, Sendable {
    package let date: Instant
    /// Apple's `sendAttemptResult`.
    package let result: String

    /// The result of an attempt that went well.
    package static let success = "SUCCESS"

    package init(date: Instant, result: String) {
      self.date = date
      self.result = result
    }
  }

  /// Counts from 1.
  package let number: UInt64
  package let type: String
  package let subtype: String?
  package let bundleId: String
  /// What it is about; nil: a test.
  package let transaction: UInt64?
  /// The subscription it is about.
  package let subscription: UInt64?
  /// Apple's status of the subscription.
  package let status: Int?
  package let signed: Instant
  /// Its name for ever, and the token of a test.
  package let uuid: String
  package var attempts: [Attempt] = []
  /// Whether every server has taken it.
  package var isDelivered = false

  /// Whether it was tried as often as it is, and in vain.
  package var isGivenUp: Bool { !isDelivered && attempts.count >= Limits.sandboxAttempts }
  /// Whether a server has not taken it, or not yet.
  package var hasFailed: Bool { !isDelivered && attempts.contains { $0.result != Attempt.success } }
}
