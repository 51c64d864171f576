extension Instant {
  /// Whether a store can state it in what it signs: from 1970 on, see ``Limits/signedMilliseconds``.
  package var canBeSigned: Bool { Limits.signedMilliseconds.contains(milliseconds) }

  /// Why a date cannot be signed, in one line that says what to do.
  ///
  /// - Parameter name: where the date comes from
  package static func cannotBeSigned(_ name: String, _ date: Instant) -> String {
    "\(name) is a time from 1970-01-01 on, as all that stores sign, not \(date)"
  }
}
