/// The live sessions in the order in which they were opened.
package struct SessionTable: Sendable {
  package private(set) var all: [Session] = []

  package init() {}

  package func isConnected(_ device: DeviceID) -> Bool {
    all.contains { ($0.device == device || $0.reached == device) && !$0.isEnding }
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
  package var ready: [SessionID] { all.filter(\.isReady).map(\.id) }

  private func index(of id: SessionID) -> Int? {
    var (low, high) = (0, all.count)
    while low < high {
      let middle = (low + high) / 2
      if all[middle].id < id { low = middle + 1 } else { high = middle }
    }
    return low < all.count && all[low].id == id ? low : nil
  }
}
