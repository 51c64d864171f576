import PeerSync
import Testing

/// What is announced on the local network, and who can make anything of it.
@Suite struct AnnouncementTests {
  private var random = SeededGenerator(seed: 7)
  private let secret = PairSecret(words: (1, 2, 3, 4))

  private func nonce(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: Announcement.nonceBytes) }

  /// RFC 4231, test cases 1 and 2.
  @Test func authentication() {
    let first = Cryptography.openSSL.authenticate(
      Array("Hi There".utf8), under: [UInt8](repeating: 0x0b, count: 20))
    #expect("\(first)" == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
    let second = Cryptography.openSSL.authenticate(
      Array("what do ya want for nothing?".utf8), under: Array("Jefe".utf8))
    #expect("\(second)" == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
  }

  /// Whatever the number of members, the number of tags is one of three; each tag is there, and nothing tells which ones mean something.
  @Test(arguments: [0, 1, 4, 5, 16, 17, Limits.announcedTags, Limits.announcedTags + 9])
  mutating func tagsAreFilledUp(count: Int) throws {
    let tags = (0..<count).map { [UInt8](repeating: UInt8($0), count: Announcement.tagBytes) }
    let announcement = Announcement(nonce: nonce(1), tags: tags, using: &random)
    #expect(Announcement.steps.contains(announcement.tags.count))
    #expect(tags.prefix(Limits.announcedTags).allSatisfy { announcement.tags.contains($0) })
    #expect(count < 4 || announcement.tags.prefix(count) != tags.prefix(announcement.tags.count))
    let strings = announcement.strings
    #expect(strings.allSatisfy { $0.count <= 255 } && strings.count <= Limits.sightedStrings)
    #expect(Announcement(strings) == announcement)
    #expect(Announcement([Array("x=1".utf8)] + strings.reversed())?.nonce == announcement.nonce)
  }

  @Test mutating func whatIsNoneIsPassedOver() {
    let strings = Announcement(nonce: nonce(1), tags: [], using: &random).strings
    #expect(Announcement([]) == nil && Announcement(Array(strings.dropFirst())) == nil)
    #expect(Announcement([strings[0]]) == nil && Announcement([strings[0], strings[1] + [0]]) == nil)
    #expect(Announcement(strings + [Array("t=12345".utf8)]) == nil)
    #expect(Announcement(strings + Array(repeating: strings[2], count: Limits.announcedTags)) == nil)
  }

  /// What is more takes the place of what is filled up with, and never that of another step: the number of tags tells nothing of it.
  @Test mutating func moreTagsTakeTheRoomThatIsLeft() {
    let tags = (0..<6).map { [UInt8](repeating: UInt8($0), count: Announcement.tagBytes) }
    let some = Announcement(
      nonce: nonce(1), tags: Array(tags[..<3]), more: Array(tags[3...]), using: &random)
    #expect(some.tags.count == 4 && tags[..<4].allSatisfy { some.tags.contains($0) })
    #expect(!some.tags.contains(tags[4]) && !some.tags.contains(tags[5]))
    let full = Announcement(
      nonce: nonce(1), tags: Array(tags[..<4]), more: Array(tags[4...]), using: &random)
    #expect(Set(full.tags) == Set(tags[..<4]))
  }

  /// A tag is good for one nonce, one port, one direction, one hour and one pair.
  @Test func tagsAreOfOneAnnouncement() {
    let (one, other) = (PublicKey(words: (1, 1, 1, 1)), PublicKey(words: (2, 2, 2, 2)))
    func tag(
      _ secret: PairSecret, _ byte: UInt8, _ announcer: PublicKey, _ hour: Int64, _ port: UInt16
    ) -> [UInt8] {
      Announcement.tag(
        under: secret, nonce: nonce(byte), announcer: announcer, hour: AnnouncedHour(number: hour),
        port: port,
        .openSSL)
    }
    let tags = [
      tag(secret, 1, one, 9, 1), tag(secret, 2, one, 9, 1), tag(secret, 1, other, 9, 1),
      tag(secret, 1, one, 9, 256), tag(secret, 1, one, 8, 1), tag(secret, 1, one, 9 << 8, 1),
      tag(PairSecret(words: (1, 2, 3, 5)), 1, one, 9, 1),
      Announcement.tag(under: InvitationKey(words: secret.words), nonce: nonce(1), port: 1, .openSSL),
    ]
    #expect(Set(tags).count == tags.count && tags.allSatisfy { $0.count == Announcement.tagBytes })
    #expect(tag(secret, 1, one, 9, 1) == tags[0])
  }

  /// Those before 1970 are hours like any other: a clock that was never set shows one.
  @Test(
    arguments: [
      (0, 0, 3_600_000), (3_599_999, 0, 1), (3_600_000, 1, 3_600_000), (-1, -1, 1),
      (-3_600_000, -1, 3_600_000),
      (-3_600_001, -2, 1), (Limits.earliestMilliseconds, -17_259_888, 3_600_000),
      (Limits.latestMilliseconds, 70_389_527, 1),
    ] as [(Int64, Int64, Int64)])
  func hours(milliseconds: Int64, number: Int64, left: Int64) {
    let wall = Instant(clamping: milliseconds)
    #expect(AnnouncedHour(at: wall).number == number && AnnouncedHour.left(at: wall) == left)
  }

  @Test func hoursAreNearOrFar() {
    let hour = AnnouncedHour(number: 100)
    #expect(hour.near.map(\.number) == [100, 99, 101])
    #expect(hour.far.prefix(4).map(\.number) == [98, 102, 97, 103])
    #expect(Set(hour.far.map { abs($0.number - 100) }) == Set(2...Limits.strayHours))
  }

  // MARK: Secrets

  /// The worked example of libsodium's ed25519_convert test.
  @Test func keysHaveTwoForms() throws {
    let key = "b5076a8474a832daee4dd5b4040983b6623b5f344aca57d4d6ee4baf3f259e6e"
    let form = "f1814f0e8ff1043d8a44d25babff3cedcae6c22c3edaa48f857ae70de2baae50"
    let point = try #require(PublicKey(Array(hexadecimal: key)))
    #expect(PairSecrets.montgomery(point) == Array(hexadecimal: form))
  }

  @Test func eachTwoShareASecretOfTheirOwn() throws {
    let keys = try (0..<4).map { _ in try DeviceKey.generate() }
    let secrets = try keys.map { try PairSecrets($0) }
    var all: Set<PairSecret> = []
    for (left, own) in keys.enumerated() {
      for (right, other) in keys.enumerated() where right > left {
        let secret = try #require(secrets[left].secret(with: other.publicKey))
        #expect(secrets[right].secret(with: own.publicKey) == secret)
        all.insert(secret)
      }
    }
    #expect(all.count == 6)
    secrets[0].keep([])
    #expect(secrets[0].secret(with: keys[1].publicKey) == secrets[1].secret(with: keys[0].publicKey))
  }

  /// Keys under which anybody would know the secret, and what is no key, share nothing.
  @Test func weakKeysShareNothing() throws {
    let secrets = try PairSecrets(DeviceKey.generate())
    // y = 1, y = -1, y = 0, and two that are not reduced.
    let p = "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"
    let texts = [
      "01" + String(repeating: "0", count: 62), "ec" + p.dropFirst(2), String(repeating: "0", count: 64), p,
      String(repeating: "f", count: 64),
    ]
    for text in texts {
      let key = try #require(PublicKey(Array(hexadecimal: String(text))))
      #expect(secrets.secret(with: key) == nil, "\(text)")
    }
  }

  // MARK: What is found

  /// Interfaces and families show one device at several addresses; what needs an interface to be dialled has it, and comes last.
  @Test mutating func servicesOfOneNameAreOneDevice() throws {
    let text = Announcement(nonce: nonce(1), tags: [], using: &random).strings
    var services = FoundServices()
    func found(_ name: String, _ interface: Int32, _ host: String, port: UInt16 = 7400) -> FoundService {
      let place = FoundService.Place(name: name, interface: interface, family: host.contains(":") ? 1 : 0)
      return FoundService(place: place, address: Address(host: host, port: port), text: text)
    }
    let shown = [
      found("b", 2, "fe80::1"), found("b", 2, "10.0.0.1"), found("b", 3, "10.0.0.1"),
      found("b", 4, "fd00::1"),
      found("b", 5, "10.0.0.2", port: 9), found("a", 2, "fe80::2"),
    ]
    for one in shown { services.take(one) }
    #expect(services.names == ["a", "b"] && services.device("c") == nil)
    #expect(services.device("a")?.all.map(\.host) == ["fe80::2%2"])
    #expect(services.device("b")?.all.map(\.host) == ["10.0.0.1", "fd00::1", "fe80::1%2"])
    services.take(found("b", 2, "10.0.0.9"))
    services.lose(shown[2].place)
    #expect(services.device("b")?.all.map(\.host) == ["10.0.0.9", "fd00::1", "fe80::1%2"])
    for number in 0..<2 * Limits.sightedServices { services.take(found("n\(number)", 2, "10.0.0.1")) }
    #expect(services.names.count < Limits.sightedServices && services.device("b") != nil)
    services.take(found("b", 2, "10.0.0.8"))
    #expect(services.device("b")?.address.host == "10.0.0.8")
  }
}

extension Array where Element == UInt8 {
  fileprivate init(hexadecimal text: String) {
    let digits = Array<Character>(text)
    self = stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(String(digits[$0...$0 + 1]), radix: 16)
    }
  }
}
