import PeerSync

/// What a connection brings. The bytes come in pieces, as the first of them says; what is understood is encoded again as
/// it came.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
  let bytes = input(data, size)
  guard let piece = bytes.first else { return 0 }
  var decoder = FrameDecoder(startupBytes: piece % 2 == 0 ? Limits.startupBytes : nil)
  var rest = bytes.dropFirst()
  var encoded: [UInt8] = []
  do {
    while !rest.isEmpty {
      rest.prefix(max(Int(piece), 1)).withUnsafeBytes { decoder.append($0) }
      rest = rest.dropFirst(max(Int(piece), 1))
      while let message = try decoder.next() { encoded += Frame.encode(message) }
      check(decoder.heldBytes <= bytes.count, "more is held than came")
    }
  } catch { check((try? decoder.next()) == nil, "a decoder goes on after an error") }
  // Of a hello and a join of a newer version the bytes appended are left out.
  if !isNewer(bytes) { check(bytes.dropFirst().starts(with: encoded), "a message has two encodings") }
  return 0
}

private func isNewer(_ bytes: [UInt8]) -> Bool {
  bytes.indices.contains {
    bytes[$0...].starts(with: "PeerSync".utf8) && bytes[$0...].dropFirst(10).prefix(2) != [0, 1]
  }
}
