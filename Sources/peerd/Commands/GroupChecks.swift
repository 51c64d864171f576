import Foundation
import PeerSync

/// The other devices, as a running daemon knows them.
struct GroupChecks {
  let status: StatusAnswer
  /// What a peer has reached of this device; nil: it could not be asked.
  let dialBack: DialBackAnswer?
  let console: Console

  private typealias Check = DoctorCommand.Check
  /// How long a device may be away before somebody should look.
  private static let longMilliseconds: Int64 = 14 * 86_400_000

  var all: [DoctorCommand.Check] {
    [time] + group + status.told.filter { $0.text(in: .english) != StatusAnswer.wasRemoved }.map(told)
  }

  /// A device that was removed meets nobody any more: what helps with the others does not help it.
  private var group: [DoctorCommand.Check] {
    guard !status.warnings.contains(StatusAnswer.wasRemoved) else {
      return [Check.warning("group", .isRemoved, .makeAnother)]
    }
    return [members] + reachability + status.peers.map(peer)
  }

  /// Whether others can dial this device: one of them has tried.
  private var reachability: [DoctorCommand.Check] {
    guard status.listen != nil, let dialBack, let asked = dialBack.peer else { return [] }
    let name = status.peers.first { $0.device == asked }?.name ?? asked
    let (reached, missed) = dialBack.addresses.split()
    if dialBack.addresses.isEmpty { return [Check.warning("dial-back", .dialBackUnknown(name), .askAgain)] }
    if reached.isEmpty { return [Check.warning("dial-back", .reachedNowhere(by: name, missed), .openPort)] }
    let detail = Phrase.reached(by: name, at: reached)
    guard !missed.isEmpty else { return [Check.ok("dial-back", detail)] }
    return [Check.ok("dial-back", detail + .notReached(at: missed))]
  }

  private var time: DoctorCommand.Check {
    guard status.time.source == "clock" else {
      return Check.warning("time", .clockBehind, .setClock)
    }
    return Check.ok("time", .clockCounts)
  }

  private var members: DoctorCommand.Check {
    guard status.group.members > 1 else {
      return Check.warning("group", .alone, .invite)
    }
    let connected = status.peers.count { $0.connected }
    let detail = Phrase.othersConnected(connected, of: status.peers.count)
    guard connected == 0 else { return Check.ok("group", detail) }
    // Others run, and do not know this one: a warning says what to do.
    guard !status.warnings.contains(StatusAnswer.mayBeRemoved) else {
      return Check(id: "group", state: .warning, detail: detail)
    }
    return Check.warning("group", detail, status.online ? .startAnother : .goOnline)
  }

  private func peer(_ peer: PeerAnswer) -> DoctorCommand.Check {
    let id = "peer \(peer.name)"
    let seen = Phrase.seen(peer.lastSeen.map { console.date.ago($0, from: status.time.wall) })
    let isThere = Phrase.isConnected(at: peer.address)
    let skew = Phrase.itsClock(peer.clockSkew.map { StatusCommand.skew($0) })
    if let lead = peer.clockSkew, lead.magnitude > UInt64(Limits.clockDriftMilliseconds) {
      return Check.warning(id, (peer.connected ? isThere : .notConnected + seen) + skew, .setWrongClock)
    }
    guard !peer.connected else {
      return Check.ok(id, isThere + skew + .runs(peer.program))
    }
    let isLong =
      peer.lastSeen.map {
        status.time.wall.milliseconds - $0.milliseconds > Self.longMilliseconds
      } ?? true
    let detail = .notConnected + seen + .at(peer.address)
    return isLong ? Check.warning(id, detail, .startOrRemove) : Check.ok(id, detail)
  }

  /// What `peerd status` warns of says what to do itself.
  private func told(_ warning: Phrase) -> DoctorCommand.Check {
    Check(id: "status", state: .warning, detail: warning)
  }
}

extension [DialBackAnswer.Dialled] {
  /// The addresses that were reached and those that were not, each as one text.
  fileprivate func split() -> (reached: String, missed: String) {
    func text(_ isReached: Bool) -> String {
      filter { $0.reached == isReached }.map(\.address).joined(separator: ", ")
    }
    return (text(true), text(false))
  }
}
