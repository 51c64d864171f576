// Whom a host took in is a member, but the others know it only once they have met somebody who does. Should the host die, or
// be stolen and removed, before they have, the newcomer would stay a stranger to them for ever. So a device that is not
// recognized calls once more, to show the signed records that make it a member. Whoever is called says nothing, believes
// nothing but these records, and lets the device come again as any member does.
//
//     dialler            listener
//     records      →
//                  ←     close
//
// Whoever calls is a stranger until then: what it may send, how long it may take and how often this happens is bounded.
extension Engine {
  mutating func introduceOneself(on id: SessionID, _ effects: inout Effects) {
    let records = membership.introduction(
      of: identity.key, preferring: identity.group, atMost: Limits.introductionBytes - 1024)
    tell(records, on: id, &effects)
  }

  mutating func receiveIntroduction(
    _ message: Message, on id: SessionID, now: Now, _ effects: inout Effects
  ) {
    guard case .records(let part) = message, case .introduction(let key)? = sessions[id]?.channel else {
      return end(id, .unexpected, &effects)
    }
    guard let records = collect(part, on: id, &effects) else { return }
    guard key != identity.key else { return end(id, .itself, &effects) }
    // Whoever is known has nothing to show.
    guard !group.isMember(key) else { return end(id, .leaving, &effects) }
    guard introductions.take(Limits.introductionMilliseconds, now: now.monotonic) else {
      return end(id, .busy, &effects)
    }
    guard records.reduce(0, { $0 + $1.encoded.count }) <= Limits.introductionBytes else {
      return end(id, .beyondLimit, &effects)
    }
    // Of a device that does not prove to be a member nothing is kept.
    var trial = membership
    _ = trial.insert(records)
    guard trial.group(of: identity.key, preferring: identity.group)?.isMember(key) == true else {
      return end(id, .stranger, &effects)
    }
    adopt(records, from: id, now: now, &effects)
    end(id, .leaving, &effects)
  }
}
