import PeerSync
import Testing

extension Write {
  /// A write of one replica, its key made from its number unless given.
  static func numbered(_ number: UInt64, key: [UInt8]? = nil) -> Write {
    Write(
      key: key ?? Array("register \(number)".utf8), stamp: Stamp(rawValue: number << 16),
      value: [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 96),
      dot: Dot(replica: Author(3).replica, sequence: number))
  }
}

extension WriteBatch {
  init(_ write: Write) {
    self.init()
    append(write)
  }
}

extension Durable {
  static func of(_ writes: WriteBatch, claims: [Dot] = []) -> Durable {
    var durable = Durable()
    durable.append(writes)
    durable.claim(claims)
    return durable
  }
}

extension AddressEntry {
  static func at(_ device: DeviceID, _ number: UInt16) -> AddressEntry {
    AddressEntry(
      device: device, address: Address(host: "127.0.0.1", port: number),
      stamp: Stamp(rawValue: UInt64(number)))
  }
}

/// Expects a store error of a kind whose message the system words.
func expectError(
  _ matches: (StoreError) -> Bool, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () throws -> Void
) {
  do {
    try body()
    Issue.record("no error", sourceLocation: sourceLocation)
  } catch {
    let isExpected = (error as? StoreError).map(matches) ?? false
    #expect(isExpected, "\(error)", sourceLocation: sourceLocation)
  }
}
