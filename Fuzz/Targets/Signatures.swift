import PeerSync
import PeerSyncSimulation

/// What a store has signed, as text: refused, or the same text again when it is put together from its parts. And a payload,
/// which is read, or refused.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
  let bytes = input(data, size)
  _ = try? StorePayload(bytes)
  if let jws = try? JWS(bytes) {
    check(jws.text == bytes, "a signature has two forms")
    pack(jws)
  }
  // Most of what a fuzzer makes is not a text of base64: so the payload is also taken as it is.
  pack(
    JWS(header: [0x7b, 0x7d], payload: bytes, signature: [UInt8](repeating: 7, count: JWS.signatureBytes)))
  return 0
}

private func pack(_ jws: JWS) {
  guard jws.payload.count <= Limits.jwsBytes / 2 else { return }
  let cryptography = Cryptography.simulated
  let stamp = Stamp(rawValue: 1_800_000_000_000 << 16)
  let packed = StoreItem.pack(jws, id: "1", stamp: stamp, cryptography)
  var parts: [StorePartID: StorePart] = [:]
  for part in packed.parts {
    parts[StorePart.id(of: part, cryptography)] = try? StorePart(decoding: part)
  }
  let again = packed.item.unpacked(id: "1", stamp: stamp) { parts[$0] }
  if case .signature(jws) = again { return }
  if case .verbatim = packed.item { return }
  check(false, "an item is not put together as it was")
}
