import PeerSync
import Testing

@Suite(.noHang) struct TLSHandshakeTests {
  private let code = InvitationCode("ABCD-EFGH-JKMN")
  private let other = InvitationCode("ABCD-EFGH-JKMP")

  private func key(_ code: InvitationCode?) throws -> InvitationKey {
    try InvitationKey(stretching: #require(code))
  }

  // MARK: Members

  @Test("two members meet, however the bytes arrive", arguments: [Int.max, 1, 7, 300])
  func members(piece: Int) throws {
    let (phone, tablet) = try TLSDevice.pair()
    let (dialled, accepted) = (try phone.dial(), try tablet.accept())
    shake(dialled, accepted, piece: piece)
    #expect(dialled.established == .certificate(tablet.key.publicKey))
    #expect(accepted.established == .certificate(phone.key.publicKey))
    try dialled.send(Array("ping".utf8))
    shake(dialled, accepted, piece: piece)
    try accepted.send(Array("pong".utf8))
    shake(dialled, accepted, piece: piece)
    #expect(accepted.received == Array("ping".utf8))
    #expect(dialled.received == Array("pong".utf8))
  }

  @Test("what comes with the end of the handshake is not lost")
  func earlyMessage() throws {
    let (phone, tablet) = try TLSDevice.pair()
    let (dialled, accepted) = (try phone.dial(), try tablet.accept())
    carry(from: dialled, to: accepted)
    carry(from: accepted, to: dialled)
    // The dialling side is done first.
    try dialled.send(Array("hello".utf8))
    #expect(accepted.established == nil)
    carry(from: dialled, to: accepted)
    #expect(accepted.established != nil && accepted.received == Array("hello".utf8))
  }

  @Test("a handshake takes less than 2,000 bytes, and no tickets follow it")
  func sizes() throws {
    let (phone, tablet) = try TLSDevice.pair()
    let (dialled, accepted) = (try phone.dial(), try tablet.accept())
    carry(from: dialled, to: accepted)
    carry(from: accepted, to: dialled)
    let answered = accepted.sent.count
    carry(from: dialled, to: accepted)
    // The accepting side is complete now: whatever it still had to say would be tickets.
    #expect(accepted.established != nil)
    #expect(accepted.outgoing() == [] && accepted.sent.count == answered)
    #expect(dialled.sent.count + accepted.sent.count < 2000)
    #expect(dialled.sent.count + accepted.sent.count > 500)
  }

  @Test("nothing can be sent before the handshake is complete")
  func tooEarly() throws {
    let (phone, tablet) = try TLSDevice.pair()
    let (dialled, accepted) = (try phone.dial(), try tablet.accept())
    #expect(throws: TLSError.notEstablished) { try dialled.send([1]) }
    carry(from: dialled, to: accepted)
    #expect(throws: TLSError.notEstablished) { try accepted.send([1]) }
  }

  @Test("by an introduction an unknown key gets through, to a member alone, and for nothing else")
  func introduction() throws {
    let (phone, tablet) = try TLSDevice.pair()
    let newcomer = try TLSDevice(.generate(), members: [tablet.key])
    let (dialled, accepted) = (try newcomer.dial(isIntroduction: true), try tablet.accept())
    shake(dialled, accepted)
    #expect(dialled.established == .introduction(tablet.key.publicKey))
    #expect(accepted.established == .introduction(newcomer.key.publicKey))
    // Nobody introduces itself to a stranger.
    let (calling, stranger) = (try phone.dial(isIntroduction: true), try newcomer.accept())
    shake(calling, stranger)
    #expect(calling.established == nil && stranger.established == nil)
    // To one that was removed a device does, and says nothing else to it.
    phone.members.replace(with: [phone.key.publicKey], removed: [tablet.key.publicKey])
    for isIntroduction in [true, false] {
      let (calling, removed) = (try phone.dial(isIntroduction: isIntroduction), try tablet.accept())
      shake(calling, removed)
      #expect((calling.established == .introduction(tablet.key.publicKey)) == isIntroduction)
      #expect((removed.established == .introduction(phone.key.publicKey)) == isIntroduction)
    }
  }

  @Test("a key that the member list does not know is refused on either side, and the other side hears so")
  func unknownKey() throws {
    let (phone, tablet) = try TLSDevice.pair()
    let stranger = try TLSDevice(.generate(), members: [phone.key, tablet.key])
    let (dialled, accepted) = (try stranger.dial(), try tablet.accept())
    shake(dialled, accepted)
    #expect(accepted.established == nil && accepted.error == .notMember(stranger.key.publicKey))
    #expect(dialled.error == .notRecognized)
    let (called, answering) = (try phone.dial(), try stranger.accept())
    shake(called, answering)
    #expect(called.established == nil && called.error == .notMember(stranger.key.publicKey))
    #expect(answering.established == nil && answering.error == .notRecognized)
  }

  @Test("the member list is asked anew for each connection")
  func removedMember() throws {
    let (phone, tablet) = try TLSDevice.pair()
    let (first, accepted) = (try phone.dial(), try tablet.accept())
    shake(first, accepted)
    #expect(accepted.established != nil)
    tablet.members.replace(with: [tablet.key.publicKey])
    let (second, refusing) = (try phone.dial(), try tablet.accept())
    shake(second, refusing)
    #expect(refusing.established == nil && refusing.error == .notMember(phone.key.publicKey))
  }

  // MARK: Strangers

  @Test(
    "a client of another make gets no byte of ours",
    arguments: StrangeClient.Certificate.allCases, [["peersync/1"], ["peersync-join/1"], ["h2"], []])
  func strangers(certificate: StrangeClient.Certificate, protocols: [String]) throws {
    let (phone, _) = try TLSDevice.pair()
    let (client, accepted) = (
      try StrangeClient(certificate, protocols: protocols), try phone.accept(key(code))
    )
    shake(client, accepted)
    #expect(accepted.established == nil && accepted.received.isEmpty)
    let error = try #require(accepted.error)
    switch (protocols.first, certificate) {
    case ("peersync/1", .ed25519): if case .notMember = error {} else { Issue.record("\(error)") }
    case ("peersync/1", _): #expect(error == .noCertificate)
    case ("peersync-join/1", _): #expect(error == .noCommonVersion)
    default: #expect(error == .noCommonProtocol)
    }
    #expect(throws: TLSError.notEstablished) { try accepted.send([1]) }
    shake(client, accepted)
    #expect(client.received.isEmpty)
  }

  @Test("TLS 1.2 is refused", arguments: StrangeClient.Certificate.allCases)
  func oldVersion(certificate: StrangeClient.Certificate) throws {
    let (phone, _) = try TLSDevice.pair()
    let client = try StrangeClient(certificate, version: 0x0303)
    let accepted = try phone.accept()
    shake(client, accepted)
    #expect(accepted.established == nil && accepted.error == .noCommonVersion)
    #expect(client.received.isEmpty && !client.isEstablished)
  }

  @Test("plain text is not TLS", arguments: ["GET / HTTP/1.1\r\n\r\n", "\0\0\0\u{5}hello", "SSH-2.0-x\r\n"])
  func plainText(text: String) throws {
    let (phone, _) = try TLSDevice.pair()
    for end in [try phone.accept(), try phone.dial()] {
      _ = end.outgoing()
      end.take(Array(text.utf8))
      #expect(end.established == nil && end.error == .notTLS, "\(text)")
      // At most an alert, in the clear: what is not a secret.
      #expect(end.outgoing().count <= 7)
    }
  }

  @Test("a handshake that does not end is cut", arguments: [1, 1000, 100_000])
  func endlessHandshake(piece: Int) throws {
    let (phone, _) = try TLSDevice.pair()
    let accepted = try phone.accept()
    // A first message that says it is long, in records that are valid.
    var fed = 0
    var message: [UInt8] = [1, 0, 0xff, 0xf0]
    message += [UInt8](repeating: 3, count: 100_000)
    var bytes: [UInt8] = []
    for start in stride(from: 0, to: 64_000, by: 1000) {
      bytes += [22, 3, 1, 3, 0xe8] + message[start..<start + 1000]
    }
    while accepted.error == nil, fed < bytes.count {
      accepted.take(Array(bytes[fed..<min(fed + piece, bytes.count)]))
      fed += piece
    }
    #expect(accepted.error == .handshakeTooLong && fed <= Limits.handshakeBytes + piece)
  }

  @Test("a handshake of all that may come is not cut")
  func longestHandshake() throws {
    let (phone, _) = try TLSDevice.pair()
    let accepted = try phone.accept()
    let length = Limits.handshakeBytes - 9
    accepted.take([22, 3, 1, 0, 4, 1, 0, 0xff, 0xf0])
    var rest = [UInt8](repeating: 0, count: length)
    for start in stride(from: 0, to: length - 5, by: 1005) where start + 1005 <= length {
      rest.replaceSubrange(start..<start + 5, with: [22, 3, 1, 3, 0xe8])
    }
    accepted.take(Array(rest.prefix(length / 1005 * 1005)))
    #expect(accepted.error == nil)
  }

  // MARK: Invitations

  @Test("who has the code gets through, and both sides have the same exporter value, another each time")
  func invitation() throws {
    let (phone, _) = try TLSDevice.pair()
    let newcomer = try TLSDevice(.generate(), members: [])
    var values: Set<ContentHash> = []
    for piece in [Int.max, 1] {
      let (dialled, accepted) = (try newcomer.dial(key(code)), try phone.accept(key(code)))
      shake(dialled, accepted, piece: piece)
      guard case .invitation(let value) = try #require(dialled.established) else {
        Issue.record("no invitation")
        return
      }
      #expect(accepted.established == .invitation(exporter: value))
      values.insert(value)
      try accepted.send([1, 2, 3])
      shake(dialled, accepted)
      #expect(dialled.received == [1, 2, 3])
    }
    #expect(values.count == 2)
  }

  @Test("a wrong code is told from everything else, on both sides")
  func wrongCode() throws {
    let (phone, tablet) = try TLSDevice.pair()
    let (dialled, accepted) = (try tablet.dial(key(other)), try phone.accept(key(code)))
    shake(dialled, accepted)
    #expect(accepted.error == .wrongCode && dialled.error == .wrongCode)
    #expect(accepted.established == nil && dialled.established == nil)
  }

  @Test("without an open invitation nobody joins")
  func noInvitation() throws {
    let (phone, tablet) = try TLSDevice.pair()
    let (dialled, accepted) = (try tablet.dial(key(code)), try phone.accept())
    shake(dialled, accepted)
    #expect(accepted.error == .noInvitation && dialled.error == .noInvitation)
  }

  /// Neither kind can be mistaken for the other, whatever the accepting side offers.
  @Test("a member gets no further with an open invitation, and a code is not a certificate")
  func kindsDoNotMix() throws {
    let (phone, _) = try TLSDevice.pair()
    let stranger = try TLSDevice(.generate(), members: [phone.key])
    let (dialled, accepted) = (try stranger.dial(), try phone.accept(key(code)))
    shake(dialled, accepted)
    #expect(accepted.error == .notMember(stranger.key.publicKey))
    // A join on which the far side shows its certificate instead, as one in the middle without the code might.
    let impostor = StrangeServer()
    let joining = try stranger.dial(key(code))
    shake(joining, impostor)
    #expect(joining.established == nil && joining.error == .noCertificate)
    #expect(impostor.received.isEmpty)
  }

  @Test("a man in the middle who does not know the code can be neither side")
  func manInTheMiddle() throws {
    let (phone, tablet) = try TLSDevice.pair()
    let middle = try TLSDevice(.generate(), members: [])
    let (toPhone, phoneEnd) = (try middle.dial(key(other)), try phone.accept(key(code)))
    let (tabletEnd, toTablet) = (try tablet.dial(key(code)), try middle.accept(key(other)))
    shake(toPhone, phoneEnd)
    shake(tabletEnd, toTablet)
    #expect(phoneEnd.error == .wrongCode && toTablet.error == .wrongCode)
    for end in [toPhone, phoneEnd, tabletEnd, toTablet] { #expect(end.established == nil) }
    // Nor can it get two ends to share their exporter value by passing bytes on, without being a wire.
    let (first, second) = (try tablet.dial(key(code)), try phone.accept(key(code)))
    let third = try tablet.dial(key(code))
    let hello = first.outgoing()
    second.take(hello)
    third.take(second.outgoing())
    #expect(third.established == nil && third.error != nil)
  }
}
