import PeerSyncCore

/// Which snapshot of a transaction or subscription it is.
package struct SandboxVersion: Codable, Hashable, Sendable {
  /// When it was signed. Each is later than the one before.
  package private(set) var signed: Instant
  /// The revision of the store at which it last changed.
  package private(set) var revision: UInt64

  init(signed: Instant, revision: UInt64) {
    self.signed = signed
    self.revision = revision
  }

  /// Goes on to the snapshot that is signed now.
  mutating func renew(at time: Instant, _ revision: UInt64) {
    signed = max(time, signed.advanced(byMilliseconds: 1))
    self.revision = revision
  }

  /// Tells of a change of another record as well.
  mutating func rise(to other: SandboxVersion) { revision = max(revision, other.revision) }
}
