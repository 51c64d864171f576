import PeerSync
import Testing

/// Which members a device recognises by what is announced, and for how long.
@Suite struct SightingsTests {
  private static let hour: Int64 = 500_000
  private let own: DeviceKey
  private let member: DeviceKey
  private let other: DeviceKey
  private var sightings: Sightings

  init() throws {
    own = try DeviceKey.generate()
    member = try DeviceKey.generate()
    other = try DeviceKey.generate()
    sightings = Sightings(try PairSecrets(own))
    _ = sightings.know([member.publicKey, other.publicKey], at: Self.time())
  }

  private static func time(_ hours: Int64 = 0, milliseconds: Int64 = 0, monotonic: UInt64 = 0) -> Now {
    Now(wall: Instant(clamping: (hour + hours) * 3_600_000 + milliseconds), monotonic: monotonic)
  }

  private func found(
    by member: DeviceKey, hours: Int64 = 0, as name: String = "a", at host: String = "10.0.0.1"
  ) throws -> FoundService {
    let secret = try #require(try PairSecrets(member).secret(with: own.publicKey))
    let nonce = [UInt8](repeating: 7, count: Announcement.nonceBytes)
    let tag = Announcement.tag(
      under: secret, nonce: nonce, announcer: member.publicKey,
      hour: AnnouncedHour(number: Self.hour + hours), port: 7400, .openSSL)
    return found(as: name, at: host, nonce: nonce, tags: [tag])
  }

  private func found(
    as name: String, at host: String = "10.0.0.1",
    nonce: [UInt8] = [UInt8](repeating: 7, count: Announcement.nonceBytes), tags: [[UInt8]] = []
  ) -> FoundService {
    var random = SeededGenerator(seed: 7)
    return FoundService(
      place: FoundService.Place(name: name, interface: 2, family: 0),
      address: Address(host: host, port: 7400),
      text: Announcement(nonce: nonce, tags: tags, using: &random).strings)
  }

  private func sighting(
    _ key: DeviceKey, at hosts: String...
  ) -> Sightings.Sighting {
    Sightings.Sighting(member: key.publicKey, addresses: hosts.map { Address(host: $0, port: 7400) })
  }

  /// Clocks differ a little, and the hour of one may have turned before that of the other. What is older has been repeated.
  @Test(arguments: [-3, -2, -1, 0, 1, 2, 3] as [Int64])
  mutating func anAnnouncementIsOfItsHour(hours: Int64) throws {
    let sighted = sightings.take(try found(by: member, hours: hours), at: Self.time())
    #expect(sighted == (abs(hours) <= 1 ? [sighting(member, at: "10.0.0.1")] : []))
  }

  /// Whoever repeats an announcement has members sighted until its hour is over, and no longer.
  @Test mutating func whatIsNotRenewedIsForgotten() throws {
    let old = try found(by: member)
    #expect(sightings.take(old, at: Self.time()).count == 1)
    #expect(sightings.turn(at: Self.time(1)) == [])
    #expect(sightings.turn(at: Self.time(1, milliseconds: 3_599_999)) == [])
    #expect(sightings.turn(at: Self.time(2)) == [sighting(member)])
    #expect(sightings.turn(at: Self.time(3)) == [])
    #expect(sightings.take(old, at: Self.time(3)) == [])
    // A clock that is set right again finds what it saw before.
    #expect(sightings.turn(at: Self.time()) == [sighting(member, at: "10.0.0.1")])
    // One that is renewed stays.
    let renewed = try found(by: member, hours: 1)
    #expect(sightings.take(renewed, at: Self.time(1)) == [sighting(member, at: "10.0.0.1")])
    #expect(sightings.turn(at: Self.time(2)) == [])
  }

  /// Also where two names say it, one of them somebody else's.
  @Test mutating func whereAMemberIsSightedGoesWithItsAnnouncement() throws {
    let (first, second) = (try found(by: member), try found(by: member, as: "b", at: "203.0.113.5"))
    #expect(sightings.take(first, at: Self.time()) == [sighting(member, at: "10.0.0.1")])
    #expect(sightings.take(second, at: Self.time()) == [sighting(member, at: "203.0.113.5", "10.0.0.1")])
    // The newest is the likeliest, and then the oldest: somebody who repeats what is announced was not there before.
    let third = try found(by: member, as: "c", at: "203.0.113.6")
    #expect(
      sightings.take(third, at: Self.time())
        == [sighting(member, at: "203.0.113.6", "10.0.0.1", "203.0.113.5")])
    #expect(sightings.take(first, at: Self.time()).first?.addresses.first?.host == "203.0.113.6")
    #expect(sightings.lose(third.place) == [sighting(member, at: "203.0.113.5", "10.0.0.1")])
    #expect(sightings.lose(second.place) == [sighting(member, at: "10.0.0.1")])
    #expect(sightings.clear() == [sighting(member)])
    #expect(sightings.clear() == [])
  }

  /// However many names somebody repeats an announcement under.
  @Test mutating func whoeverRepeatsAnAnnouncementHidesNobody() throws {
    _ = sightings.take(try found(by: member), at: Self.time())
    for number in 1...40 {
      let other = try found(by: member, as: "n\(number)", at: "203.0.113.\(number)")
      let addresses = try #require(sightings.take(other, at: Self.time()).first?.addresses)
      #expect(addresses.count == min(number + 1, Limits.deviceAddresses))
      #expect(addresses.prefix(2).map(\.host) == ["203.0.113.\(number)", "10.0.0.1"])
    }
  }

  /// A record that is no announcement any more, or none for this device, says nothing of the member, though its name stays.
  @Test(arguments: [true, false])
  mutating func whatTurnsUnreadableIsForgotten(isReadable: Bool) throws {
    let first = try found(by: member)
    let after = FoundService(
      place: first.place, address: first.address,
      text: isReadable ? found(as: "a").text : [Array("v=2".utf8)])
    #expect(sightings.take(first, at: Self.time()) == [sighting(member, at: "10.0.0.1")])
    #expect(sightings.take(after, at: Self.time()) == [sighting(member)])
    #expect(sightings.take(after, at: Self.time()) == [])
    #expect(sightings.take(first, at: Self.time()) == [sighting(member, at: "10.0.0.1")])
  }

  @Test mutating func aNameThatIsAnotherMembersNowIsNotTheFirstOnesAnyMore() throws {
    #expect(sightings.take(try found(by: member), at: Self.time()) == [sighting(member, at: "10.0.0.1")])
    #expect(
      sightings.take(try found(by: other), at: Self.time())
        == [sighting(member), sighting(other, at: "10.0.0.1")])
  }

  // MARK: Wrong clocks

  /// It is told by its own hour, wherever that goes; it is not sighted, for what is old may have been repeated.
  @Test(arguments: [2, -2, 14, -Limits.strayHours, Limits.strayHours] as [Int64])
  mutating func aMemberWithAWrongClockIsKnownByItsHour(hours: Int64) throws {
    let current = AnnouncedHour(number: Self.hour)
    #expect(sightings.take(try found(by: member, hours: hours), at: Self.time()) == [])
    #expect(sightings.hour(of: member.publicKey, at: current) == current.advanced(by: hours))
    let later = current.advanced(by: 5)
    #expect(sightings.hour(of: member.publicKey, at: later) == later.advanced(by: hours))
    #expect(sightings.hour(of: other.publicKey, at: current) == nil)
    // Set right, it is one like any other; removed, it is nobody.
    #expect(sightings.take(try found(by: member), at: Self.time()).count == 1)
    #expect(sightings.hour(of: member.publicKey, at: current) == nil)
    _ = sightings.take(try found(by: other, hours: hours, as: "b"), at: Self.time())
    _ = sightings.know([member.publicKey], at: Self.time())
    #expect(sightings.hour(of: other.publicKey, at: current) == nil)
  }

  @Test mutating func aClockThatIsFartherOffIsNotLookedFor() throws {
    for hours in [-Limits.strayHours - 1, Limits.strayHours + 1] {
      _ = sightings.take(try found(by: member, hours: hours), at: Self.time())
    }
    #expect(sightings.hour(of: member.publicKey, at: AnnouncedHour(number: Self.hour)) == nil)
  }

  /// Made-up announcements cost no more than so many looks.
  @Test mutating func onlySoManyAreLookedAtForAWrongClock() throws {
    let current = AnnouncedHour(number: Self.hour)
    for number in 0..<Limits.strayLooks { _ = sightings.take(found(as: "n\(number)"), at: Self.time()) }
    let stray = try found(by: member, hours: 10)
    _ = sightings.take(stray, at: Self.time())
    #expect(sightings.hour(of: member.publicKey, at: current) == nil)
    _ = sightings.take(stray, at: Self.time(monotonic: Limits.strayLookMilliseconds))
    #expect(sightings.hour(of: member.publicKey, at: current) == current.advanced(by: 10))
  }
}
