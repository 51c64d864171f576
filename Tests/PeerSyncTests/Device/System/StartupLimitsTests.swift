import PeerSync
import Testing

/// The limits behind a reference: what an expectation looks at may change them.
private final class Door {
  private(set) var limits: StartupLimits

  init(_ limits: StartupLimits = StartupLimits()) { self.limits = limits }

  var count: Int { limits.count }

  func admits(from source: String, random: UInt64) -> Bool { limits.admits(from: source, random: random) }

  func left(from source: String) { limits.left(from: source) }

  func welcomed(from source: String) { limits.welcomed(from: source) }

  func vouched(for source: String) { limits.vouched(for: source) }
}

@Suite struct StartupLimitsTests {
  /// How many of a hundred are let in when so many wait already, each from a source of its own.
  private func admitted(beside count: Int) -> Int {
    let limits = Door()
    for number in 0..<count {
      // A number of 99 passes as long as anything does.
      #expect(limits.admits(from: "10.0.0.\(number)", random: 99))
    }
    #expect(limits.count == count)
    return (0..<100).count { random in
      Door(limits.limits).admits(from: "192.0.2.1", random: UInt64(random))
    }
  }

  @Test func fromTenOnMoreAndMoreAreRefused() {
    let expected = [0: 100, 1: 100, 9: 100, 10: 70, 15: 53, 20: 35, 25: 18, 29: 4, 30: 0]
    for (count, share) in expected { #expect(admitted(beside: count) == share, "\(count)") }
    #expect(Limits.startupsFree == 10 && Limits.startups == 30)
    #expect(admitted(beside: Limits.startupsFree) == 100 - Limits.startupsRefusedPercent)
  }

  @Test func oneSourceHasFour() {
    let limits = Door()
    for _ in 0..<Limits.startupsPerSource { #expect(limits.admits(from: "10.0.0.1", random: 0)) }
    for _ in 0..<10 { #expect(!limits.admits(from: "10.0.0.1", random: 99)) }
    #expect(limits.admits(from: "10.0.0.2", random: 0))
    limits.left(from: "10.0.0.1")
    #expect(limits.admits(from: "10.0.0.1", random: 0) && !limits.admits(from: "10.0.0.1", random: 0))
    #expect(limits.count == 5)
  }

  @Test func whoWasNotLetInDoesNotCount() {
    let limits = Door()
    limits.left(from: "10.0.0.1")
    #expect(limits.count == 0)
    #expect(limits.admits(from: "10.0.0.1", random: 0))
    for _ in 0..<3 { limits.left(from: "10.0.0.1") }
    #expect(limits.count == 0)
  }

  /// Under a flood from everywhere a member gets in, as far as its own four go.
  @Test func membersComeFromKnownPlaces() {
    let limits = Door()
    #expect(limits.admits(from: "10.0.0.1", random: 0))
    limits.welcomed(from: "10.0.0.1")
    #expect(limits.count == 0)
    for number in 0..<30 { #expect(limits.admits(from: "192.0.2.\(number)", random: 99)) }
    #expect(!limits.admits(from: "10.0.0.2", random: 99))
    for _ in 0..<4 { #expect(limits.admits(from: "10.0.0.1", random: 0)) }
    #expect(!limits.admits(from: "10.0.0.1", random: 99))
  }

  /// Under a flood a member gets in that this device has never seen but in its announcement.
  @Test func soDoMembersThatWereSighted() {
    let limits = Door()
    for number in 0..<30 { #expect(limits.admits(from: "192.0.2.\(number)", random: 99)) }
    #expect(!limits.admits(from: "10.0.0.1", random: 99))
    limits.vouched(for: "10.0.0.1")
    for _ in 0..<4 { #expect(limits.admits(from: "10.0.0.1", random: 0)) }
    #expect(!limits.admits(from: "10.0.0.1", random: 99) && !limits.admits(from: "10.0.0.2", random: 99))
  }

  /// Whoever repeats announcements keeps nobody out who has been here.
  @Test func sightingsPushOutNobody() {
    let limits = Door()
    #expect(limits.admits(from: "10.0.0.1", random: 0))
    limits.welcomed(from: "10.0.0.1")
    for number in 0...Limits.knownSources { limits.vouched(for: "source \(number)") }
    for number in 0..<30 { #expect(limits.admits(from: "192.0.2.\(number)", random: 99)) }
    #expect(limits.admits(from: "10.0.0.1", random: 0) && !limits.admits(from: "source 0", random: 0))
    #expect(limits.admits(from: "source 1", random: 0))
  }

  @Test func fewPlacesAreRemembered() {
    let limits = Door()
    for number in 0...Limits.knownSources {
      #expect(limits.admits(from: "source \(number)", random: 0))
      limits.welcomed(from: "source \(number)")
    }
    for number in 0..<30 { #expect(limits.admits(from: "192.0.2.\(number)", random: 99)) }
    #expect(!limits.admits(from: "source 0", random: 99))
    #expect(limits.admits(from: "source 1", random: 0))
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
