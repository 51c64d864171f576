import PeerSyncCore

/// What the commands draw at random for the servers that they start.
enum Draws {
  /// Any number.
  @Sendable static func number() -> UInt64 { .random(in: .min ... .max) }

  /// A token nobody can guess: 256 random bits.
  static func token() -> String { (0..<4).map { _ in hexadecimal(number()) }.joined() }
}
