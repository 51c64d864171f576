/// How many connections may wait at a time for their welcome, in the manner of sshd's MaxStartups.
///
/// Nothing is known of whoever opens a connection, and each takes a descriptor and some memory for seconds. So few are
/// let in from one source; and from a number on they are refused at random, more and more of them, until all are. At
/// random, because then a flood does not keep everybody else out for certain: a good peer tries again.
///
/// A source from which a member has come lately, or where one was sighted, is let in all the same, as far as its own few go.
package struct StartupLimits: Sendable {
  /// Connections that wait, by source.
  private var waiting: [String: Int] = [:]
  /// Sources of members, the last to come at the end.
  private var known = RecentSources()
  /// Sources where a member was sighted. They push out none that has come: whoever repeats an announcement is sighted as well.
  private var vouched = RecentSources()

  package init() {}

  /// How many wait.
  package private(set) var count = 0

  /// Lets one more in, or not.
  ///
  /// - Parameters:
  ///   - source: where it comes from: see ``StartupLimits/source(of:)``
  ///   - random: any number, with which it is decided
  package mutating func admits(from source: String, random: UInt64) -> Bool {
    guard waiting[source, default: 0] < Limits.startupsPerSource else { return false }
    let isExpected = known.contains(source) || vouched.contains(source)
    guard isExpected || random % 100 >= refusedPercent else { return false }
    waiting[source, default: 0] += 1
    count += 1
    return true
  }

  /// Notes that one which was let in is gone.
  package mutating func left(from source: String) {
    guard let number = waiting[source] else { return }
    waiting[source] = number > 1 ? number - 1 : nil
    count -= 1
  }

  /// Notes that one which was let in is welcome.
  package mutating func welcomed(from source: String) {
    left(from: source)
    known.note(source)
  }

  /// Notes that a member was sighted there.
  package mutating func vouched(for source: String) { vouched.note(source) }

  /// How many of a hundred are refused now.
  private var refusedPercent: UInt64 {
    guard count >= Limits.startupsFree else { return 0 }
    guard count < Limits.startups else { return 100 }
    let (least, span) = (Limits.startupsRefusedPercent, Limits.startups - Limits.startupsFree)
    return UInt64(least + (100 - least) * (count - Limits.startupsFree) / span)
  }
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
