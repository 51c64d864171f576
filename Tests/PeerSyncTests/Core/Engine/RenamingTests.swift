import PeerSyncCore
import PeerSyncSimulation
import Testing

/// What devices are called: each says so itself, and all say the same.
@Suite struct RenamingTests {
  private func names(_ harness: Harness, on device: Int) -> [String] {
    harness.engines[device].group.members.prefix(3).map(\.name)
  }

  private func meet(_ harness: Harness) {
    for (one, other) in [(0, 1), (1, 2)] { harness.connect(one, other) }
    harness.settle()
    harness.cut()
  }

  @Test func everyDeviceCallsItByItsNewName() {
    let harness = Harness(3)
    let first = names(harness, on: 0)
    // While apart, and again before the others hear of it.
    for name in ["Kitchen", "Bedroom"] { harness.request(.rename(name), of: 1) }
    harness.request(.rename("Study"), of: 2)
    #expect(harness.engines[1].identity.name == "Bedroom")
    meet(harness)
    meet(harness)
    let place = first.firstIndex(of: "Device 2"), other = first.firstIndex(of: "Device 3")
    for device in 0..<3 {
      let now = names(harness, on: device)
      #expect(place.map { now[$0] } == "Bedroom" && other.map { now[$0] } == "Study", "\(now)")
      #expect(now.contains("Device 1"))
    }
    harness.restart(0)
    #expect(names(harness, on: 0) == names(harness, on: 1))
    harness.restart(1)
    #expect(harness.engines[1].identity.name == "Bedroom")
    #expect(harness.engines[0].peers.map(\.name).contains("Bedroom"))
  }

  @Test(arguments: ["👨‍👩‍👧 iPad", "می‌خواهم", "주방"])
  func whatWritesNamesIsTaken(name: String) {
    let harness = Harness(1)
    let id = harness.request(.rename(name), of: 0)
    #expect(harness.answers[id] == .done(changed: 1) && harness.engines[0].identity.name == name)
  }

  @Test(arguments: [
    "", "a\nb", "\u{1b}[31m", "a\u{2028}b", "a\u{2029}b", "a\u{202e}b", "a\u{2066}b", "a\u{200b}b",
    "a\u{feff}b",
    "a\u{e0041}b", String(repeating: "x", count: Limits.textBytes + 1),
  ])
  func whatIsNoNameIsRefused(name: String) {
    let harness = Harness(1)
    let held = harness.replica(0).count
    let id = harness.request(.rename(name), of: 0)
    #expect(harness.answers[id] == .refused(.notName) && harness.replica(0).count == held)
  }

  @Test func whatAMemberWritesThatIsNoNameChangesNothing() {
    let harness = Harness(2)
    let write = LocalWrite(key: RegisterKey.deviceName.encoded, value: Array("a\u{7}".utf8))
    harness.request(.write([write]), of: 1)
    harness.connect(0, 1)
    harness.settle()
    #expect(harness.engines[0].group.members.map(\.name).contains("Device 2"))
  }

  @Test func aRemovalTakesTheNameBackWithAllElse() throws {
    let harness = Harness(3)
    harness.request(.rename("Thief"), of: 1)
    meet(harness)
    let thief = try #require(harness.engines[0].group.members.first { $0.name == "Thief" })
    let id = harness.request(.remove(thief.id, recoveryKey: nil, takingBack: .everything), of: 0)
    #expect(harness.answers[id] == .done(changed: 1))
    #expect(harness.engines[0].group.removed.map(\.device.name) == ["Device 2"])
  }

  @Test func theHistoryTellsOfIt() {
    let harness = Harness(2)
    harness.request(.rename("Kitchen"), of: 1)
    harness.connect(0, 1)
    harness.settle()
    let now = harness.now(0).wall
    harness.adjust(0) { engine in
      engine.look { view in
        let told = view.history(at: now, atMost: 100).filter { $0.what == .renamed("Kitchen") }
        #expect(told.map { $0.device?.name } == ["Kitchen"])
        #expect(told.map { $0.device?.firstName } == ["Device 2"])
      }
    }
  }

  @Test func whatIsCalledAsAtFirstHasNoOtherName() {
    let harness = Harness(1)
    for name in ["Kitchen", "Bedroom"] { harness.request(.rename(name), of: 0) }
    #expect(harness.engines[0].group.members.compactMap(\.firstName) == ["Device 1"])
    harness.request(.rename("Device 1"), of: 0)
    #expect(harness.engines[0].group.members.allSatisfy { $0.firstName == nil })
  }
}
