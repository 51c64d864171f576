// What a removal takes back of what the removed device has decided.
extension Engine {
  /// The last decisions that are to count of a device whose writes are cut there; nil: all that are taken.
  func counted(
    of cuts: [Dot], _ takingBack: TakingBack, now: Now
  ) throws(Refusal) -> [Dot]? {
    switch takingBack {
    case .nothing: return nil
    case .everything: return []
    case .since(let time):
      guard time <= timekeeper.trusted.reading(at: now).now else { throw .notYet(time) }
      guard history.reaches(time) else { throw .knewNothing(since: history.begin) }
      return cuts.map { cut in
        let known = history.sequence(of: cut.replica, at: time) ?? .max
        return Dot(replica: cut.replica, sequence: min(cut.sequence, known))
      }
    }
  }
}
