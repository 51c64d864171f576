// What the person who runs a device should know of its clock.
extension ClockFinding {
  /// What is wrong and what to do, in one line.
  ///
  /// - Parameter name: the name of a device
  func warning(_ name: (DeviceID) -> String) -> String {
    switch self {
    case .behind(let behind, .store(let date)):
      "the clock is \(span(behind)) behind what the store signed at \(date), which counts: set the clock right"
    case .behind(let behind, .peer(let device)):
      "the clock is \(span(behind)) behind the time that \(name(device)) vouched for, which counts: "
        + "set the clock right"
    case .stampedAhead(let lead):
      "what this device has decided is stamped up to \(span(lead)) ahead of its clock; "
        + "once a peer is met whose clock says the same, it is stamped anew"
    case .stampedAnew(let count): "writes that a wrong clock had stamped ahead were stamped anew: \(count)"
    case .skew(let peer, let skew):
      "the clock of \(peer) is \(span(abs(skew))) \(skew > 0 ? "ahead of" : "behind") this one: "
        + "set the wrong one right"
    case .heldBackHere(let device, let lead):
      "what \(name(device)) has decided is stamped up to \(span(lead)) ahead and does not count here yet: set its clock right"
    case .heldBackThere(let peer, let lead):
      "what this device has decided is stamped \(span(lead)) ahead of the clock of \(peer) and does not count there yet: "
        + "set the wrong one right"
    }
  }
}

/// A span of time in its greatest unit, for people.
private func span(_ milliseconds: Int64) -> String {
  let units: [(Int64, String)] = [(86_400_000, "day"), (3_600_000, "hour"), (60_000, "minute")]
  guard let (length, unit) = units.first(where: { milliseconds >= 2 * $0.0 }) else {
    return "\(milliseconds / 1000) seconds"
  }
  return "\(milliseconds / length) \(unit)s"
}
