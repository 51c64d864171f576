import PeerSync

/// How a line covers an instant: until when, and what comes after a gap.
struct LineCover {
  /// When the present run ends; without one, when the last one ended that has begun.
  let end: Instant?
  /// When the next run begins after the present one, or after the present.
  let next: Instant?
  /// Whether there was a run before that one.
  let isAgain: Bool

  init(_ line: LineAnswer, at now: Instant) {
    let begun = line.runs.filter { $0.start <= now }
    next = line.runs.first { $0.start > now }?.start
    // Where no run has begun, an explicit date may have ended the line.
    end = begun.last?.end ?? (next == nil ? line.expires : nil)
    isAgain = !begun.isEmpty
  }
}
