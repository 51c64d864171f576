extension Instant {
  /// Whether a store can state it in what it signs: from 1970 on, see ``Limits/signedMilliseconds``.
  package var canBeSigned: Bool { Limits.signedMilliseconds.contains(milliseconds) }
}
