/// The live sessions in the order in which they were opened.
package struct SessionTable: Sendable {
  package private(set) var all: [Session] = []

  package init() {}

  /// How far a device has been reached.
  func reach(of device: DeviceID) -> Dialler.Reach {
    // By their places: a session that is handed over is copied.
    all.indices.lazy.map { all[$0].reach(of: device) }.max() ?? .none
  }

  /// Whether another address of the same device has answered just before: of addresses dialled side by side the first that
  /// stands is kept, before the peer hears of a second one. One that others tell may hold a handshake for as long as it likes: it
  /// is in the way of its like alone.
  func isOutrun(_ id: SessionID, now: Now) -> Bool {
    guard let new = self[id], let device = new.reached else { return false }
    return all.contains {
      $0.id != id && !$0.times.isProven(at: now.monotonic)
        && $0.reach(of: device) >= (new.isByHearsay ? .byHearsay : .settled)
    }
  }

  /// The session with a device over which data flows; there is one at most.
  package func ready(with device: DeviceID) -> Session? {
    all.first { $0.isReady && $0.device == device }
  }

  /// The session of that id; nil when there is none (any more).
  package subscript(id: SessionID) -> Session? {
    get { index(of: id).map { all[$0] } }
    set {
      switch (index(of: id), newValue) {
      case (let index?, let session?): all[index] = session
      case (let index?, nil): all.remove(at: index)
      case (nil, let session?): all.insert(session, at: all.firstIndex { $0.id > id } ?? all.count)
      case (nil, nil): break
      }
    }
  }

  /// Changes one session in place; nothing when there is none of that id.
  package mutating func update<Result>(_ id: SessionID, _ body: (inout Session) -> Result) -> Result? {
    guard let index = index(of: id) else { return nil }
    return body(&all[index])
  }

  /// Changes what there is on one session over which data flows, in place; nothing when it does not.
  @discardableResult package mutating func flow<Result>(
    _ id: SessionID, _ body: (inout DataFlow) -> Result
  ) -> Result? {
    update(id) { $0.changeFlow(body) } ?? nil
  }

  /// What there is on a session over which data flows; nil when it does not.
  package func flow(_ id: SessionID) -> DataFlow? { self[id]?.flow }

  /// Puts the parts of a list of records together that come on a session.
  ///
  /// - Returns: the whole list once its last part is here
  package mutating func collect(_ part: RecordsPart, on id: SessionID) throws(CloseReason)
    -> [MembershipRecord]?
  {
    guard let index = index(of: id) else { return nil }
    return try all[index].collect(part)
  }

  /// What there is on each session over which data flows.
  package var flows: [DataFlow] { all.compactMap(\.flow) }

  /// The ids of the sessions over which data flows.
  package var ready: [SessionID] { all.compactMap { $0.isReady ? $0.id : nil } }

  private func index(of id: SessionID) -> Int? {
    var (low, high) = (0, all.count)
    while low < high {
      let middle = (low + high) / 2
      if all[middle].id < id { low = middle + 1 } else { high = middle }
    }
    return low < all.count && all[low].id == id ? low : nil
  }
}

extension Session {
  /// How far it has reached a device. A handshake that the device has begun is none of this: somebody else may have passed it on.
  fileprivate func reach(of device: DeviceID) -> Dialler.Reach {
    if isReady { return self.device == device ? .settled : .none }
    guard !isEnding, reached == device else { return .none }
    return isByHearsay ? .byHearsay : .settled
  }
}
