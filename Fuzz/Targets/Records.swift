import PeerSync

/// Membership records: refused, or read to the same bytes; and a set takes none that nobody has signed.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
  let bytes = input(data, size)
  guard let record = try? MembershipRecord(decoding: bytes) else { return 0 }
  check(record.encoded == bytes, "a record has two encodings")
  var membership = Membership(cryptography: .simulated)
  let insertion = membership.insert([record])
  check(membership.count == insertion.added.count, "the set counts what it has not taken")
  _ = membership.fingerprint
  return 0
}
