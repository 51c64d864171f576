// What the person who runs a device should know of its clock.
extension ClockFinding {
  /// What is wrong and what to do, in one line.
  ///
  /// - Parameter name: the name of a device
  package func warning(_ name: (DeviceID) -> String) -> Phrase {
    switch self {
    case .behind(let behind, .store(let date), _): .behindStore(ClockSpan(milliseconds: behind), date)
    case .behind(let behind, .peer(let device), let remedy):
      .behindPeer(ClockSpan(milliseconds: behind), name(device)) + remedy.phrase(name(device))
    case .withdrawn(let device, let lead): .withdrawn(name(device), ClockSpan(milliseconds: lead))
    case .stampedAhead(let lead, let isAlone): .stampedAhead(ClockSpan(milliseconds: lead), isAlone: isAlone)
    case .stampedAnew(let count): .stampedAnew(count)
    case .skew(let peer, let skew): .skew("\(peer)", ClockSpan(milliseconds: skew), isAhead: skew > 0)
    case .heldBackHere(let device, let lead): .heldBackHere(name(device), ClockSpan(milliseconds: lead))
    case .heldBackThere(let peer, let lead, let isVouchedFor):
      .heldBackThere("\(peer)", ClockSpan(milliseconds: lead), isVouchedFor: isVouchedFor)
    }
  }
}

extension ClockRemedy {
  /// What to do where the clock is right already.
  fileprivate func phrase(_ supplier: String) -> Phrase {
    switch (hasWitness, mayAccept) {
    case (true, true): meet(supplier) + .orAccept
    case (true, false): meet(supplier)
    case (false, true): .accept
    case (false, false): .beginAnew
    }
  }

  private func meet(_ supplier: String) -> Phrase {
    isSupplierGone ? .meetMember(supplier) : .meetThird(supplier)
  }
}
