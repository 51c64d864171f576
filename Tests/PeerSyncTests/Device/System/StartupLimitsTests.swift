import PeerSync
import Testing

/// The limits behind a reference: what an expectation looks at may change them.
private final class Door {
  private var limits = StartupLimits()
  private var last: UInt64 = 0

  var count: Int { limits.count }

  /// Lets one more in.
  ///
  /// - Returns: its number, and the one that has to give way
  @discardableResult func enter(_ source: String) -> (number: UInt64, late: UInt64?) {
    last += 1
    return (last, limits.entered(SessionID(rawValue: last), from: source)?.rawValue)
  }

  func left(_ number: UInt64) { limits.left(SessionID(rawValue: number)) }

  func welcomed(_ number: UInt64, _ source: String) {
    limits.welcomed(SessionID(rawValue: number), from: source)
  }

  func vouched(for source: String) { limits.vouched(for: source) }

  /// Strangers from everywhere, so many that none of those waits any more who waited before them, if it gives way at all.
  ///
  /// - Returns: who had to give way
  @discardableResult func flood() -> [UInt64] {
    (0..<Limits.startups).compactMap { enter("192.0.2.\($0)").late }
  }
}

@Suite struct StartupLimitsTests {
  /// Whoever has waited longest gives way, and nobody is refused.
  @Test func thirtyWait() {
    let door = Door()
    #expect(door.flood().isEmpty && door.count == Limits.startups)
    #expect(door.enter("10.0.0.1").late == 1 && door.enter("10.0.0.2").late == 2)
    #expect(door.count == Limits.startups)
    door.left(3)
    #expect(door.enter("10.0.0.3").late == nil && door.enter("10.0.0.4").late == 4)
  }

  /// Of more that come from one place one of those gives way, however few wait beside them.
  @Test func oneSourceHasFour() {
    let door = Door()
    for _ in 0..<Limits.startupsPerSource { #expect(door.enter("10.0.0.1").late == nil) }
    #expect(door.enter("10.0.0.2").late == nil)
    for number in 1...10 as ClosedRange<UInt64> {
      #expect(door.enter("10.0.0.1").late == (number < 5 ? number : number + 1))
    }
    #expect(door.count == Limits.startupsPerSource + 1)
  }

  @Test func whoIsGoneDoesNotCount() {
    let door = Door()
    door.left(1)
    #expect(door.count == 0)
    for _ in 0..<3 { door.left(door.enter("10.0.0.1").number) }
    #expect(door.count == 0)
  }

  /// Under a flood from everywhere a member stays, as far as its own four go.
  @Test func membersComeFromKnownPlaces() {
    let door = Door()
    door.welcomed(door.enter("10.0.0.1").number, "10.0.0.1")
    #expect(door.count == 0)
    let member = door.enter("10.0.0.1").number
    let stranger = door.enter("10.0.0.2").number
    #expect(door.flood() == [stranger])
    for _ in 1..<Limits.startupsPerSource { #expect(door.enter("10.0.0.1").late == nil) }
    #expect(door.enter("10.0.0.1").late == member)
  }

  /// Under a flood a member stays that this device has never seen but in its announcement.
  @Test func soDoMembersThatWereSighted() {
    let door = Door()
    door.vouched(for: "10.0.0.1")
    let member = door.enter("10.0.0.1").number
    #expect(!door.flood().contains(member))
  }

  /// Whoever repeats announcements keeps nobody out who has been here.
  @Test func sightingsPushOutNobody() {
    let door = Door()
    door.welcomed(door.enter("10.0.0.1").number, "10.0.0.1")
    for number in 0...Limits.knownSources { door.vouched(for: "source \(number)") }
    let waiting = ["10.0.0.1", "source 0", "source 1"].map { door.enter($0).number }
    #expect(door.flood() == [waiting[1]])
  }

  @Test func fewPlacesAreRemembered() {
    let door = Door()
    for number in 0...Limits.knownSources {
      door.welcomed(door.enter("source \(number)").number, "source \(number)")
    }
    let waiting = ["source 0", "source 1"].map { door.enter($0).number }
    #expect(door.flood() == [waiting[0]])
  }

  @Test func sources() {
    let sources = [
      "192.0.2.1": "192.0.2.1", "127.0.0.1": "127.0.0.1", "::1": "::1", "::ffff:192.0.2.1": "192.0.2.1",
      "2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64", "2001:db8:1:2::9": "2001:db8:1:2::/64",
      "2001:db8:1:3::9": "2001:db8:1:3::/64", "fe80::1%eth0": "fe80::1", "fe80::2%eth0": "fe80::2",
      "unknown": "unknown",
    ]
    for (host, source) in sources {
      #expect(StartupLimits.source(of: Address(host: host, port: 9)) == source, "\(host)")
    }
  }

  /// Of a network that this machine is on each address counts for itself: a neighbour keeps nobody out.
  @Test func neighboursAreSourcesOfTheirOwn() {
    let interfaces = Interfaces([
      Interfaces.Entry(name: "eth0", host: "2001:db8:1:2::1", prefixBits: 64),
      Interfaces.Entry(name: "eth1", host: "2001:db8:5:80::1", prefixBits: 57),
      Interfaces.Entry(name: "eth2", host: "2001:db8:6::1", prefixBits: 64, isRunning: false),
      Interfaces.Entry(name: "lo", host: "::1", prefixBits: 1, isLoopback: true),
      Interfaces.Entry(name: "eth3", host: "192.0.2.1", prefixBits: 0),
    ])
    let sources = [
      "2001:db8:1:2::9": "2001:db8:1:2::9", "2001:db8:1:3::9": "2001:db8:1:3::/64",
      "2001:db8:5:ff::9": "2001:db8:5:ff::9", "2001:db8:5:7f::9": "2001:db8:5:7f::/64",
      "2001:db8:5:100::9": "2001:db8:5:100::/64", "2001:db8:6::9": "2001:db8:6:0::/64",
      "192.0.2.9": "192.0.2.9", "::ffff:192.0.2.9": "192.0.2.9",
    ]
    for (host, source) in sources {
      let address = Address(host: host, port: 9)
      #expect(StartupLimits.source(of: address, isOnLink: interfaces.isOnLink) == source, "\(host)")
    }
  }

  @Test func descriptorsAreSharedOut() {
    let shares = [0: (2, 2), 32: (2, 2), 64: (20, 4), 256: (140, 28), 1024: (512, 64), 1_000_000: (512, 64)]
    for (limit, share) in shares {
      let budget = DescriptorBudget(limit: limit)
      #expect((budget.peers, budget.requests) == share, "\(limit)")
      // Both together leave a reserve, unless there is next to nothing.
      #expect(limit < 64 || budget.peers + 3 * budget.requests + 32 <= limit)
    }
  }
}
