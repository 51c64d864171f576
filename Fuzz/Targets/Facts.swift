import PeerSync

/// A register's key and value, the first byte telling how long the key is: refused, or read
/// back as it is written again, and folded.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
  let bytes = input(data, size)
  guard let length = bytes.first, bytes.count > Int(length) else { return 0 }
  let (key, value) = (bytes[1..<(1 + Int(length))], bytes[(1 + Int(length))...])
  if let decoded = try? RegisterKey(decoding: key) {
    check(decoded.encoded[...] == key, "a key has two encodings")
  }
  if let fact = try? Fact(key: key, value: value) {
    check(isOf(key, fact), "a fact is of another key")
    check((try? Fact(key: key, value: fact.value[...])) == fact, "a fact is not read back")
  }
  if let record = try? ProductRecord(decoding: value) {
    check((try? ProductRecord(decoding: record.encoded[...])) == record, "a record is not read back")
    let dated = record.decided(by: Stamp(rawValue: 1 << 40))
    if let next = ProductRecord(stating: [ProductRecord.Entry(record.head.product, version: 1)], over: dated)
    {
      check(
        (try? ProductRecord(decoding: next.encoded[...])) == next,
        "a record that was added to is not read back")
    }
  }
  var ledger = Ledger(environment: .sandbox, bundleId: "com.example")
  ledger.apply(key: key, value: value, stamp: Stamp(rawValue: 1))
  _ = ledger.view(at: Instant("2026-01-31T00:00:00Z") ?? .epoch)
  return 0
}

/// The name of an item, which ends the key of a transaction, depends on more than the fact.
private func isOf(_ key: ArraySlice<UInt8>, _ fact: Fact) -> Bool {
  let own = fact.key(stamp: Stamp(rawValue: 1), StoreVerifier.none.cryptography)?.encoded ?? []
  if case .transaction = fact { return own.dropLast(16) == key.dropLast(16) }
  return own[...] == key
}
