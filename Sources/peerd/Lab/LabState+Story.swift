import PeerSync
import PeerSyncSimulation

extension LabState {
  /// What was done and what is seen now, as a story that `peerd rehearse` plays.
  ///
  /// Of devices that were removed, and of copies of them, nothing is expected: what they heard before they were cut off is a matter
  /// of luck.
  ///
  /// - Parameters:
  ///   - isSettled: whether devices that can reach each other hold the same, so that a replay may wait for it
  ///   - removed: the names of devices that were removed
  func recording(isSettled: Bool, removed: Set<String>) -> String {
    let running = devices.filter { $0.status != nil }
    let gone = Set(running.filter { removed.contains($0.name) }.compactMap { $0.status?.device.id })
    let staying = running.filter { one in
      !removed.contains(one.name) && !one.isRemoved && !gone.contains(one.status?.device.id ?? "")
    }
    // First what the page shows, so that its lines keep their numbers.
    var lines = story
    if isSettled, running.count > 1, story.last != "settle" { lines.append("settle") }
    lines += ["", "# What was seen when this was recorded in the laboratory: peerd lab"]
    let bought = Set(purchases.map(\.product))
    let rights = Set(products.filter { bought.contains($0.id) }.flatMap(\.entitlements))
    for device in staying { lines += device.expectations(of: rights) }
    let isOne = Set(staying.compactMap { $0.status?.digest }).count == 1
    if isSettled, isOne, staying.count == running.count { lines.append("expect all same digest") }
    return lines.joined(separator: "\n") + "\n"
  }
}

extension LabState.Device {
  /// Lines that hold now.
  ///
  /// - Parameter rights: the entitlements of what was bought; of the others it is told which are active
  fileprivate func expectations(of rights: Set<String>) -> [String] {
    guard let status else { return [] }
    var facts = status.lines.map { "\($0.id) until \($0.expires?.short ?? "none")" }
    facts += status.entitlements.filter { $0.active || rights.contains($0.id) }.map {
      "\($0.id) \($0.active ? "active" : "inactive") now"
    }
    facts += status.credits.map { "\($0.id) balance \($0.balance)" }
    facts.append("purchased \(status.purchased.isEmpty ? "none" : status.purchased.joined(separator: ", "))")
    return facts.map { "expect \(name) \($0)" }
  }
}
