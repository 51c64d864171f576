import PeerSyncCore

// For whoever decides what happens next: any of the things to come, whenever they are due.
extension World {
  /// Does one of the things to come, the first of those that fit.
  ///
  /// - Parameter isInTime: whether time passes until it is due; else it happens now
  /// - Returns: whether there was one
  @discardableResult
  func happenNext(isInTime: Bool = false, where fits: (Happening) -> Bool) -> Bool {
    guard let (when, happening) = queue.take(where: fits) else { return false }
    if isInTime { clock.advance(to: when) }
    counts.steps += 1
    happen(happening)
    return true
  }

  /// Does all that takes no time worth speaking of: devices handle what has come, queues empty, whoever is dialled answers.
  func settleNow() {
    while violations.isEmpty, happenNext(where: \.isImmediate) {}
  }
}

extension World.Happening {
  fileprivate var isImmediate: Bool {
    switch self {
    case .flush, .queueEmptied, .dialled: true
    default: false
    }
  }
}
