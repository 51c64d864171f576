/// How many connections may wait at a time for their welcome.
///
/// Nothing is known of whoever opens a connection, and each takes a descriptor and some memory for seconds. So few may wait, and few of one
/// source. Nobody is refused for that: the one gives way that has waited longest. A member is welcome after some milliseconds, and who
/// says nothing waits in vain, so a flood keeps a member out only if it fills the door anew while that one is on its way through.
///
/// What comes from a source from which a member has come lately, or where one is said to be, gives way to nothing but what comes from there as
/// well.
package struct StartupLimits: Sendable {
  /// Connections that wait, the last to come at the end.
  private var waiting: [(session: SessionID, source: String)] = []
  /// Sources of members, the last to come at the end.
  private var known = RecentSources()
  /// Sources where a member was sighted, or has listened. They push out none that has come: whoever repeats an announcement is sighted as
  /// well.
  private var vouched = RecentSources()

  package init() {}

  /// How many wait.
  package var count: Int { waiting.count }

  /// Lets one more in.
  ///
  /// - Parameter source: where it comes from: see ``StartupLimits/source(of:)``
  /// - Returns: the one that has to give way
  package mutating func entered(_ session: SessionID, from source: String) -> SessionID? {
    waiting.append((session, source))
    guard let late = late(beside: source) else { return nil }
    left(late)
    return late
  }

  /// The one that has to give way to what has come from a source.
  private func late(beside source: String) -> SessionID? {
    let same = waiting.filter { $0.source == source }
    if same.count > Limits.startupsPerSource { return same.first?.session }
    let strangers = waiting.filter { !known.contains($0.source) && !vouched.contains($0.source) }
    return strangers.count > Limits.startups ? strangers.first?.session : nil
  }

  /// Notes that one is gone.
  package mutating func left(_ session: SessionID) { waiting.removeAll { $0.session == session } }

  /// Notes that one is welcome.
  package mutating func welcomed(_ session: SessionID, from source: String) {
    left(session)
    known.note(source)
  }

  /// Notes that a member is said to be there.
  package mutating func vouched(for source: String) { vouched.note(source) }
}

extension StartupLimits {
  /// What counts as one source: an IPv4 address, and an IPv6 address of one link (RFC 4291, section 2.5.6), where all are under one
  /// prefix; so are those of a network that this machine is on, and a stranger there would fill the door for everybody else who is. Of any
  /// other IPv6 address the first 64 bits, which one customer of a provider has all to itself.
  ///
  /// - Parameter isOnLink: whether an IPv6 address is of such a network
  package static func source(of address: Address, isOnLink: (String) -> Bool = { _ in false }) -> String {
    let host = String(address.host.prefix { $0 != "%" })
    guard host.contains(":"), let words = SocketAddress.words(ofIPv6: host) else { return host }
    if words.prefix(5).allSatisfy({ $0 == 0 }), words[5] == 0xffff {
      return [words[6] >> 8, words[6] & 0xff, words[7] >> 8, words[7] & 0xff].map(String.init)
        .joined(separator: ".")
    }
    if host == "::1" || words[0] & 0xffc0 == 0xfe80 || isOnLink(host) { return host }
    return words.prefix(4).map { String($0, radix: 16) }.joined(separator: ":") + "::/64"
  }
}

/// A few sources, the last to be noted at the end.
private struct RecentSources {
  private var sources: [String] = []

  func contains(_ source: String) -> Bool { sources.contains(source) }

  mutating func note(_ source: String) {
    sources.removeAll { $0 == source }
    sources.append(source)
    if sources.count > Limits.knownSources { sources.removeFirst() }
  }
}
