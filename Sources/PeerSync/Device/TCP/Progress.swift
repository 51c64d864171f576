/// Whether what one side owes the other gets on: bytes of a frame that has begun, or room for bytes that wait.
///
/// Time comes in windows. Whoever owed something all through a window and moved too little in it has stalled. A peer may be
/// slow; it may not be so slow that its half of a frame, or what waits for it, takes memory for as long as it likes.
package struct Progress: Sendable {
  /// Whether something is owed now.
  package private(set) var isOwing = false
  /// Whether it has been since the window began.
  private var owedAllAlong = false
  private var bytes = 0

  package init() {}

  /// So many bytes went through.
  package mutating func moved(_ count: Int) { bytes += count }

  /// Something has begun that the other side has to end.
  package mutating func began() { isOwing = true }

  /// It has ended.
  package mutating func ended() {
    isOwing = false
    owedAllAlong = false
  }

  /// Ends a window and begins the next.
  ///
  /// - Returns: whether the other side has stalled
  package mutating func isStalled(below minimum: Int) -> Bool {
    defer {
      bytes = 0
      owedAllAlong = isOwing
    }
    return owedAllAlong && bytes < minimum
  }
}
