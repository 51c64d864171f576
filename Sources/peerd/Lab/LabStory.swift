import PeerSync
import PeerSyncSimulation

extension LabState {
  /// What was done and what is seen now, as a story that `peerd rehearse` plays.
  ///
  /// - Parameter isSettled: whether devices that can reach each other hold the same, so that a replay may wait for it
  func recording(isSettled: Bool) -> String {
    let running = devices.filter { $0.status != nil }
    var lines = ["# Recorded in the laboratory: peerd lab", ""] + story
    if isSettled, running.count > 1, story.last != "settle" { lines.append("settle") }
    lines.append("")
    for device in running { lines += device.expectations }
    // What a removed device still hears is a matter of luck.
    let isOne = Set(running.compactMap { $0.status?.digest }).count == 1
    if isSettled, isOne, !running.contains(where: \.isRemoved) { lines.append("expect all same digest") }
    return lines.joined(separator: "\n") + "\n"
  }
}

extension LabState.Device {
  /// Lines that hold now.
  fileprivate var expectations: [String] {
    guard let status else { return [] }
    var facts = status.lines.map { "\($0.id) until \($0.expires?.short ?? "none")" }
    facts += status.entitlements.map { "\($0.id) \($0.active ? "active" : "inactive") now" }
    facts += status.credits.map { "\($0.id) balance \($0.balance)" }
    facts.append("purchased \(status.purchased.isEmpty ? "none" : status.purchased.joined(separator: ", "))")
    return facts.map { "expect \(name) \($0)" }
  }
}
