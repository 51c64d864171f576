import PeerSyncCore
import Testing

@Suite struct PeerNetworkTests {
  private let one = SessionID(rawValue: 1)
  private let other = SessionID(rawValue: 2)

  private func entry(_ device: DeviceID, _ host: String, _ stamp: UInt64) -> KnownPeer.Listening {
    KnownPeer.Listening(
      device: device, address: Address(host: host, port: 1), stamp: Stamp(rawValue: stamp))
  }

  @Test func theNewerEntryOfADeviceStands() throws {
    var network = try Machines().network
    let device = Author(2).device
    let taken = [("a", UInt64(5)), ("b", 5), ("c", 4), ("d", 6)].map {
      network.remember(entry(device, $0.0, $0.1))
    }
    #expect(taken == [true, false, false, true])
    #expect(network.addressBook == [entry(device, "d", 6)])
  }

  @Test func theAddressBookIsBounded() throws {
    var network = try Machines().network
    for index in 0...UInt64(Limits.addresses) {
      let isKnown = network.remember(entry(DeviceID(high: index, low: 1), "a", 1))
      #expect(isKnown == (index < Limits.addresses))
    }
    let isNewer = network.remember(entry(DeviceID(high: 0, low: 1), "b", 2))
    #expect(isNewer)
  }

  @Test func aSessionEndsOnce() throws {
    var machines = try Machines()
    machines.connect(Author(2), as: 1)
    machines.network.end(one, .busy, &machines.effects)
    machines.network.end(one, .forged, &machines.effects)
    #expect(machines.effects.closings.map(\.1) == [.busy])
    #expect(machines.effects.notices == [.disconnected(Author(2).device), .refused(one, .busy)])
  }

  @Test func pairingOutlivesWhatEndsAmongMembers() throws {
    var machines = try Machines()
    machines.connect(Author(2), as: 1)
    machines.network.sessions[other] = Session(
      id: other, opening: .accepted(from: Address(host: "a", port: 1)),
      channel: .invitation(exporter: ContentHash(words: (1, 1, 1, 1))), openedAt: 0)
    machines.network.endMeetings(&machines.effects)
    #expect(machines.effects.closings.map(\.0) == [one])
    machines.network.endAll(.leaving, &machines.effects)
    #expect(machines.effects.closings.map(\.0) == [one, other])
  }

  @Test func aFullQueueHasNoRoom() throws {
    var machines = try Machines()
    machines.connect(Author(2), as: 1)
    machines.network.queueLimit = 100
    #expect(machines.network.hasRoom(on: one) && !machines.network.hasRoom(on: other))
    machines.network.send(.hello(Peer.of(Author(1)).hello), on: one, &machines.effects)
    #expect(!machines.network.hasRoom(on: one) && machines.effects.messages.count == 1)
    // What is written meanwhile is not pushed: the two compare once the queue has drained.
    _ = machines.holdings.setValue("a", to: [1], at: Machines.moment(), &machines.effects)
    machines.network.push(&machines.holdings, &machines.effects)
    #expect(machines.effects.messages.count == 1)
    let wasBehind = machines.network.sessions.update(one) { $0.queue.drain() }
    #expect(wasBehind == true)
  }

  @Test func aCommitGoesToEveryPeerButItsAuthor() throws {
    var machines = try Machines()
    machines.connect(Author(2), as: 1)
    machines.connect(Author(3), as: 2)
    _ = machines.holdings.setValue("a", to: [1], at: Machines.moment(), &machines.effects)
    machines.network.push(&machines.holdings, &machines.effects)
    #expect(machines.effects.messages.map(\.0) == [one, other])
    let commit = try #require(
      Author(2).commit([
        Write(
          key: RegisterKey.value(key: "b").encoded, stamp: Stamp(rawValue: 1), value: [1],
          dot: Dot(replica: Author(2).replica, sequence: 1))
      ]))
    machines.network.spread(
      commit, by: Author(2).replica, within: machines.holdings.replica.vector, except: nil, &machines.effects)
    #expect(machines.effects.messages.map(\.0) == [one, other, other])
  }

  /// A run of a program that comes back after another one had begun is one of two copies.
  @Test func aRunThatComesBackIsACopy() throws {
    var network = try Machines().network
    let runs = [1, 1, 2, 1, 2, 3] as [UInt64]
    let isOnly = runs.enumerated().map { index, boot in
      network.isOnlyBoot(.of(Author(2), boot: boot), on: SessionID(rawValue: UInt64(index)))
    }
    #expect(isOnly == [true, true, true, false, false, true])
    #expect(network.isLate(.of(Author(2), boot: 2), on: SessionID(rawValue: 4)))
    #expect(!network.isLate(.of(Author(2), boot: 2), on: SessionID(rawValue: 6)))
  }

  @Test func thoseWithoutASessionAreSought() throws {
    var machines = try Machines()
    machines.effects.changed = true
    machines.connect(Author(2), as: 1)
    machines.network.tellSought(isThere: true, in: machines.roster.group, &machines.effects)
    #expect(machines.effects.sought == [Author(3).key.publicKey])
    machines.effects.sought = nil
    machines.network.tellSought(isThere: true, in: machines.roster.group, &machines.effects)
    #expect(machines.effects.sought == nil)
    machines.network.tellSought(isThere: false, in: machines.roster.group, &machines.effects)
    #expect(machines.effects.sought == [])
  }

  @Test func addressesOfThisNetworkAloneAreNotAnnounced() throws {
    let network = try Machines().network
    let addresses = ["10.0.0.1", "fe80::1", "10.0.0.1", "10.0.0.2"].map { Address(host: $0, port: 1) }
    #expect(network.announceable(addresses).map(\.host) == ["10.0.0.1", "10.0.0.2"])
    let many = (0...Limits.deviceAddresses).map { Address(host: "10.0.0.\($0)", port: 1) }
    #expect(network.announceable(many) == Array(many.dropLast()))
  }
}
