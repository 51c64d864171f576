/// What a connection is for. The dialling side says so by ALPN (RFC 7301), in the first message of the handshake.
enum TLSProtocol: CaseIterable {
  /// Members meet: both show their certificates.
  case certificate
  /// A new device joins: both know the code of an invitation.
  case invitation
  /// A device that is not known shows that it is a member: both show their certificates, and whoever is called takes any.
  case introduction

  /// Its name on the wire.
  var name: StaticString {
    switch self {
    case .certificate: "peersync/1"
    case .invitation: "peersync-join/1"
    case .introduction: "peersync-introduce/1"
    }
  }

  /// A list of protocols that has this one only: its name behind its length.
  var list: [UInt8] { [UInt8(name.utf8CodeUnitCount)] + name.bytes }

  /// Where the name stands in a list of protocols.
  func range(in list: UnsafeRawBufferPointer) -> Range<Int>? {
    var start = 0
    while start < list.count {
      let end = start + 1 + Int(list[start])
      guard end <= list.count else { return nil }
      if list[start + 1..<end].elementsEqual(name.bytes) { return start + 1..<end }
      start = end
    }
    return nil
  }
}
