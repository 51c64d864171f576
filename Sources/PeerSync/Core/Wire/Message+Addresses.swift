// Where devices listen, over the wire.
extension ByteWriter {
  mutating func write(_ entry: KnownPeer.Listening) {
    write(entry.device)
    write(varint: UInt64(entry.addresses.count))
    for address in entry.addresses { write(text: address.description) }
    write(word: entry.stamp.rawValue)
  }

  mutating func write(_ dialled: [DialledAddress]) {
    write(varint: UInt64(dialled.count))
    for one in dialled {
      write(text: one.address.description)
      write(byte: one.isReached ? 1 : 0)
    }
  }

  mutating func write(_ entries: [KnownPeer.Listening]) {
    write(varint: UInt64(entries.count))
    for entry in entries { write(entry) }
  }
}

extension ByteReader {
  mutating func listening() throws(WireError) -> KnownPeer.Listening {
    let device = try identifier(DeviceID.self)
    let count = try count(atMost: Limits.deviceAddresses)
    var (addresses, bytes): ([Address], Int) = ([], 0)
    for _ in 0..<count {
      let next = try address()
      guard !addresses.contains(next) else { throw .malformed }
      bytes += next.description.utf8.count
      addresses.append(next)
    }
    guard bytes <= Limits.deviceAddressBytes else { throw .beyondLimit }
    guard !addresses.isEmpty else { throw .malformed }
    return KnownPeer.Listening(device: device, addresses: addresses, stamp: Stamp(rawValue: try word()))
  }

  /// An entry as earlier journals have it, with one address.
  mutating func listeningAtOne() throws(WireError) -> KnownPeer.Listening {
    KnownPeer.Listening(
      device: try identifier(), address: try address(), stamp: Stamp(rawValue: try word()))
  }

  private mutating func address() throws(WireError) -> Address {
    let text = try text(atMost: Limits.addressBytes)
    // Compared so that an address has one encoding: a port of "080" is none.
    guard let address = Address(text), address.description == text else { throw .malformed }
    return address
  }

  mutating func dialledAddresses() throws(WireError) -> [DialledAddress] {
    var dialled: [DialledAddress] = []
    for _ in 0..<(try count(atMost: Limits.deviceAddresses)) {
      dialled.append(DialledAddress(address: try address(), isReached: try flag()))
    }
    return dialled
  }

  mutating func addressEntries() throws(WireError) -> [KnownPeer.Listening] {
    var entries: [KnownPeer.Listening] = []
    for _ in 0..<(try count(atMost: Limits.addressEntries)) { entries.append(try listening()) }
    return entries
  }
}
