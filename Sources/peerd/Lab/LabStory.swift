import PeerSync
import PeerSyncSimulation

extension LabState {
  /// What was done and what is seen now, as a story that `peerd rehearse` plays.
  var recording: String {
    let running = devices.filter { $0.status != nil }
    var lines = ["# Recorded in the laboratory: peerd lab", ""] + story
    let digests = Set(running.compactMap { $0.status?.digest })
    if digests.count == 1, running.count > 1, story.last != "settle" { lines.append("settle") }
    lines.append("")
    for device in running { lines += device.expectations }
    if digests.count == 1 { lines.append("expect all same digest") }
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
