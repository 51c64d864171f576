// What the person who runs a device should know of its clock.
extension ClockFinding {
  /// What is wrong and what to do, in one line.
  ///
  /// - Parameter name: the name of a device
  package func warning(_ name: (DeviceID) -> String) -> String {
    switch self {
    case .behind(let behind, .store(let date), _):
      "the clock is \(span(behind)) behind what the store signed at \(date), which counts: set the clock right"
    case .behind(let behind, .peer(let device), let remedy):
      "the clock is \(span(behind)) behind the time that \(name(device)) vouched for, which counts: "
        + "set the clock right" + remedy.words(name(device))
    case .withdrawn(let device, let lead):
      "\(name(device)) had vouched for a time \(span(lead)) ahead, which counts no more: its clock, this one and a third "
        + "agree on an earlier time"
    case .stampedAhead(let lead, let isAlone):
      "what this device has decided is stamped up to \(span(lead)) ahead of its clock; "
        + (isAlone
          ? "it counts here, and is stamped anew once a device whose clock is right has joined: pair one"
          : "connect a device of the group whose clock is right, and it is stamped anew")
    case .stampedAnew(let count): "writes that a wrong clock had stamped ahead were stamped anew: \(count)"
    case .skew(let peer, let skew):
      "the clock of \(peer) is \(span(skew)) \(skew > 0 ? "ahead of" : "behind") this one: "
        + "set the wrong one right"
    case .heldBackHere(let device, let lead):
      "decisions of \(name(device)) are stamped \(span(lead)) ahead and held back: set its clock right, or this one's, "
        + "and they count"
    case .heldBackThere(let peer, let lead):
      "\(peer) holds back decisions of this device, stamped \(span(lead)) ahead of its clock: set this clock right, or "
        + "that one, and they count"
    }
  }
}

extension ClockRemedy {
  /// What to do where the clock is right already.
  fileprivate func words(_ supplier: String) -> String {
    switch (hasWitness, mayAccept) {
    case (true, true):
      "; if it is right, set that of \(supplier) right and connect both with a third one, or accept "
        + "this clock"
    case (true, false): "; if it is right, set that of \(supplier) right and connect both with a third one"
    case (false, true): "; if it is right, accept it"
    case (false, false):
      "; if it is right, make a new device here, let it join, and remove this one: the app allows nobody to accept this clock"
    }
  }
}

/// A stretch of time, for people.
private func span(_ milliseconds: Int64) -> ClockSpan { ClockSpan(milliseconds: milliseconds) }
