/// Membership records that members have told and that were not looked at yet.
///
/// Whatever comes has everybody's place worked out anew, which in a large set takes as long for one record as for all. So the device does other
/// things for a while after that, and what a member tells meanwhile is then looked at together, one member's after another's. Among
/// a few hundred records nobody waits.
package struct OfferedRecords: Sendable {
  /// What one member has told.
  package struct Part: Sendable {
    /// Who told it.
    package let device: DeviceID
    /// The session on which it told the last of it.
    package fileprivate(set) var session: SessionID
    /// In the order in which they came.
    package fileprivate(set) var records: [MembershipRecord] = []
    package fileprivate(set) var bytes = 0
    /// The same records. Kept up, for they may be large, and come one by one.
    fileprivate var known: Set<MembershipRecord> = []
  }

  /// Steps after which nothing waits.
  private static let littleWork = 1024
  /// For so many more of them what comes next waits a millisecond: several times what they take.
  private static let workPerMillisecond: UInt64 = 256

  private var parts: [Part] = []
  /// Until when none are looked at, on the monotonic clock.
  private var pause: UInt64 = 0
  /// When something took long the last time.
  private var workedAt: UInt64?

  package init() {}

  /// When the next ones are to be looked at; nil: none wait.
  package var deadline: UInt64? { parts.isEmpty ? nil : pause }

  /// Whether what comes now may be looked at now.
  package func isOpen(at now: UInt64) -> Bool { parts.isEmpty && now >= pause }

  /// Whether records were looked at just now, in the same round of events, and that took long.
  package func hasWorked(at now: UInt64) -> Bool { workedAt == now }

  /// Keeps records until it is their turn. They wait although the session may end: it may be the last thing that the member says.
  ///
  /// - Returns: whether there was room for them; if not, none are kept
  package mutating func add(
    _ records: [MembershipRecord], from device: DeviceID, on session: SessionID
  ) -> Bool {
    let place = parts.firstIndex { $0.device == device } ?? parts.count
    if place == parts.count { parts.append(Part(device: device, session: session)) }
    // A peer may tell the same ones again before they are looked at.
    let news = records.filter { !parts[place].known.contains($0) }
    let bytes = news.encodedBytes
    guard parts[place].records.count + news.count <= Limits.membershipOffered,
      parts[place].bytes + bytes <= Limits.heldBytes
    else { return false }
    parts[place].session = session
    parts[place].known.formUnion(news)
    parts[place].records += news
    parts[place].bytes += bytes
    return true
  }

  /// How many bytes wait.
  package var bytes: Int { parts.reduce(0) { $0 + $1.bytes } }

  /// The most that waits of one member.
  package var largest: Part? { parts.max { $0.bytes < $1.bytes } }

  /// Gives up what waits of a member: it has to tell it again.
  package mutating func drop(_ device: DeviceID) { parts.removeAll { $0.device == device } }

  /// Takes out what is to be looked at now.
  package mutating func next(at now: UInt64) -> Part? {
    guard now >= pause, !parts.isEmpty else { return nil }
    return parts.removeFirst()
  }

  /// Records were looked at.
  ///
  /// - Parameter work: what it took: see ``Membership/Insertion/work``
  package mutating func rest(after work: Int, at now: UInt64) {
    if work > Self.littleWork { workedAt = now }
    pause = max(pause, now + UInt64(max(work - Self.littleWork, 0)) / Self.workPerMillisecond)
  }
}
