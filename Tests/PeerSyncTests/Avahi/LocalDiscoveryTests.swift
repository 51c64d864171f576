import Foundation
import PeerSync
import PeerSyncAvahi
import Testing

/// How a device finds others on the local network, with a directory that does what the tests say.
@Suite(.noHang) struct LocalDiscoveryTests {
  @Test func whoIsNotThereAnnouncesNothing() async throws {
    let discovery = try DiscoveryUnderTest()
    #expect(await discovery.next() == .connect)
    discovery.on { $0.show(true) }
    #expect(await discovery.next().name != nil)
    discovery.on {
      $0.show(true)
      $0.show(false)
    }
    #expect(await discovery.next() == .withdraw)
    discovery.on { $0.show(true) }
    #expect(await discovery.next().name != nil)
  }

  /// That of a member that was found may stay for a while.
  @Test func theTagOfARemovedDeviceGoesAtOnce() async throws {
    let (left, removed) = (try DeviceKey.generate(), try DeviceKey.generate())
    let discovery = try DiscoveryUnderTest()
    await discovery.begin(seeking: left, removed)
    let before = await discovery.next()
    #expect(try before.isFor(left, from: discovery.key) && before.isFor(removed, from: discovery.key))
    discovery.on {
      $0.know([left.publicKey])
      $0.seek([left.publicKey])
    }
    // The times of one loop come in their order, however busy the machine is.
    let mark = discovery.mark(afterMilliseconds: 4_000)
    let after = await discovery.next()
    withExtendedLifetime(mark) {}
    #expect(try after.isFor(left, from: discovery.key) && !after.isFor(removed, from: discovery.key))
  }

  /// From day to day nothing that is announced is the same, though the same members are sought: the name, the nonce and every tag.
  @Test func eachDayHasAnotherNameAndOtherTags() async throws {
    #expect(Discovery.renewalMilliseconds == 24 * 60 * 60 * 1000)
    let member = try DeviceKey.generate()
    let discovery = try DiscoveryUnderTest(renewal: 100)
    await discovery.begin(seeking: member)
    var (names, nonces, tags) = (Set<String>(), Set<[UInt8]>(), Set<[UInt8]>())
    for day in 1...3 {
      // What was put off for the newly sought goes out as well, under the name of the day.
      var asked = await discovery.next()
      while let name = asked.name, names.contains(name) { asked = await discovery.next() }
      #expect(try asked.isFor(member, from: discovery.key), "day \(day)")
      let announcement = try #require(asked.announcement)
      names.insert(try #require(asked.name))
      nonces.insert(announcement.nonce)
      tags.formUnion(announcement.tags)
      #expect(names.count == day && nonces.count == day && tags.count == day * Announcement.steps[0])
    }
  }

  /// With the same name, for it is the same day.
  @Test func eachHourHasOtherTags() async throws {
    let member = try DeviceKey.generate()
    let discovery = try DiscoveryUnderTest(late: 0...1)
    await discovery.begin(seeking: member)
    let name = await discovery.next().name
    discovery.clock.set(to: 3_600_000 * 500_001)
    discovery.on { $0.clockChanged() }
    let asked = await discovery.next()
    #expect(try asked.isFor(member, from: discovery.key, AnnouncedHour(number: 500_001)))
    #expect(try !asked.isFor(member, from: discovery.key, AnnouncedHour(number: 500_000)))
    #expect(asked.name == name)
    // Nothing goes out while the hour stays.
    discovery.clock.set(to: 3_600_000 * 500_001 + 3_599_000)
    discovery.on { $0.clockChanged() }
    let mark = discovery.mark(afterMilliseconds: 1_000)
    #expect(await discovery.next() == .stop)
    withExtendedLifetime(mark) {}
  }

  /// By itself, and late: when exactly it turns by a clock tells whose it is.
  @Test func theTurnOfTheHourIsWaitedFor() async throws {
    #expect(Discovery.lateMilliseconds == 5_000...60_000)
    let member = try DeviceKey.generate()
    let discovery = try DiscoveryUnderTest(late: 0...1, wall: 3_600_000 * 500_001 - 300)
    #expect(await discovery.next() == .connect)
    discovery.clock.set(to: 3_600_000 * 500_001)
    discovery.on {
      $0.know([member.publicKey])
      $0.seek([member.publicKey])
    }
    discovery.clock.set(to: 3_600_000 * 500_001 - 300)
    discovery.on { $0.show(true) }
    #expect(try await discovery.next().isFor(member, from: discovery.key))
    discovery.clock.set(to: 3_600_000 * 500_001)
    let mark = discovery.mark(afterMilliseconds: 4_000)
    var asked = await discovery.next()
    while asked != .stop, try !asked.isFor(member, from: discovery.key, AnnouncedHour(number: 500_001)) {
      asked = await discovery.next()
    }
    #expect(asked != .stop)
    withExtendedLifetime(mark) {}
  }

  /// A clock that is set has the hour turn at another time than was waited for.
  @Test func theTurnOfTheHourIsWaitedForAnewWhenTheClockIsSet() async throws {
    let member = try DeviceKey.generate()
    let discovery = try DiscoveryUnderTest(late: 0...1)
    await discovery.begin(seeking: member)
    #expect(try await discovery.next().isFor(member, from: discovery.key))
    discovery.clock.set(to: 3_600_000 * 500_001 - 100)
    discovery.on { $0.clockChanged() }
    discovery.clock.set(to: 3_600_000 * 500_001)
    let mark = discovery.mark(afterMilliseconds: 4_000)
    #expect(try await discovery.next().isFor(member, from: discovery.key, AnnouncedHour(number: 500_001)))
    withExtendedLifetime(mark) {}
  }

  /// A member whose clock is wrong finds this device by its own hour, with the next record that goes out anyway: one that went out for
  /// that would answer whoever repeats an old announcement.
  @Test func whoseClockIsWrongIsAnsweredByItsHour() async throws {
    let member = try DeviceKey.generate()
    let discovery = try DiscoveryUnderTest()
    await discovery.begin(seeking: member)
    #expect(try await discovery.next().isFor(member, from: discovery.key))
    let wrong = AnnouncedHour(number: 499_990)
    let found = try announced(by: member, to: discovery.key, in: wrong)
    discovery.on { $0.take(.found(found)) }
    let mark = discovery.mark(afterMilliseconds: 1_000)
    #expect(await discovery.next() == .stop && discovery.sighted.isEmpty)
    withExtendedLifetime(mark) {}
    discovery.on { $0.show(false) }
    #expect(await discovery.next() == .withdraw)
    discovery.on { $0.show(true) }
    let asked = await discovery.next()
    #expect(try asked.isFor(member, from: discovery.key) && asked.isFor(member, from: discovery.key, wrong))
  }

  @Test func whereAMemberIsSightedIsTold() throws {
    let member = try DeviceKey.generate()
    let discovery = try DiscoveryUnderTest()
    let hour = AnnouncedHour(number: 500_000)
    let found = try announced(by: member, to: discovery.key, in: hour)
    let elsewhere = try announced(by: member, to: discovery.key, in: hour, as: "b", at: "203.0.113.5")
    discovery.on {
      $0.know([member.publicKey])
      $0.take(.found(found))
      $0.take(.found(elsewhere))
      $0.take(.lost(elsewhere.place))
      $0.take(.failed("gone"))
    }
    #expect(
      discovery.sighted == [
        [found.address], [elsewhere.address, found.address], [found.address], [],
      ])
  }

  /// Nothing else is the matter: there is no warning, and what was found stays.
  @Test func aNameThatIsTakenIsReplacedAtOnce() async throws {
    let discovery = try DiscoveryUnderTest()
    let key = InvitationKey(words: (1, 2, 3, 4))
    #expect(await discovery.next() == .connect)
    discovery.on { $0.show(true) }
    let first = try #require(await discovery.next().name)
    let place = FoundService.Place(name: "other", interface: 1, family: 0)
    let address = Address(host: "10.0.0.1", port: 7400)
    discovery.on {
      $0.take(.found(FoundService(place: place, address: address, text: invitationText(key, port: 7400))))
      $0.take(.taken(first))
      // It is told twice: that of now is not meant.
      $0.take(.taken(first))
    }
    let mark = discovery.mark(afterMilliseconds: 1)
    let second = try #require(await discovery.next().name)
    #expect(await discovery.next() == .stop)
    withExtendedLifetime(mark) {}
    #expect(second != first && discovery.warnings.isEmpty)
    #expect(await discovery.find(key) == [address])
  }

  /// Somebody may claim every name: that is said, and not gone along with for ever.
  @Test func namesThatAreAllTakenAreAFailure() async throws {
    let discovery = try DiscoveryUnderTest()
    #expect(await discovery.next() == .connect)
    discovery.on { $0.show(true) }
    for _ in 0..<8 {
      let name = try #require(await discovery.next().name)
      #expect(discovery.warnings.isEmpty)
      discovery.on { $0.take(.taken(name)) }
    }
    let last = try #require(await discovery.next().name)
    discovery.on { $0.take(.taken(last)) }
    let mark = discovery.mark(afterMilliseconds: 1_000)
    #expect(await discovery.next() == .stop)
    withExtendedLifetime(mark) {}
    #expect(discovery.warnings.count == 1 && discovery.warnings[0].contains("claims every name"))
  }

  @Test func whoeverRepeatsAnAnnouncementDoesNotHideIt() async throws {
    let discovery = try DiscoveryUnderTest()
    let key = InvitationKey(words: (1, 2, 3, 4))
    let text = invitationText(key, port: 7400)
    for number in 1...3 {
      let addresses = (1...2).map { Address(host: "10.0.\(number).\($0)", port: 7400) }
      for (index, address) in addresses.enumerated() {
        let place = FoundService.Place(name: "\(number)", interface: Int32(index), family: 0)
        discovery.on { $0.take(.found(FoundService(place: place, address: address, text: text))) }
      }
    }
    let hosts = await discovery.find(key).map(\.host)
    #expect(Set(hosts.prefix(3)) == ["10.0.1.1", "10.0.2.1", "10.0.3.1"], "\(hosts)")
    #expect(Set(hosts.dropFirst(3)) == ["10.0.1.2", "10.0.2.2", "10.0.3.2"], "\(hosts)")
    #expect(await discovery.find(InvitationKey(words: (4, 3, 2, 1))).isEmpty)
  }

  /// One that is not there now may be there later.
  @Test func anInterfaceThatIsMissingIsAFailure() async throws {
    let (reports, reporter) = AsyncStream.makeStream(of: ServiceReport.self)
    let service = try #require(
      LocalDiscovery.avahi.directory("_peersync._tcp", "no-such-0", EventLoop()) { reporter.yield($0) })
    service.connect()
    for await case .failed(let reason) in reports {
      #expect(reason.contains("no-such-0"))
      break
    }
    service.stop()
  }
}
