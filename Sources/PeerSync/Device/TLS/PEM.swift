import COpenSSL

/// Keys and certificates as PEM (RFC 7468), written and read by OpenSSL.
package enum PEM {
  /// A private key as PKCS #8, not encrypted.
  package static func encode(key: OpaquePointer) throws(OpenSSLError) -> [UInt8] {
    let bio = try MemoryBIO()
    try require(PEM_write_bio_PKCS8PrivateKey(bio.pointer, key, nil, nil, 0, nil, nil))
    return bio.bytes
  }

  static func encode(certificate: OpaquePointer) throws(OpenSSLError) -> [UInt8] {
    let bio = try MemoryBIO()
    try require(PEM_write_bio_X509(bio.pointer, certificate))
    return bio.bytes
  }

  /// The private key of a file, which the caller frees.
  package static func decodeKey(_ bytes: [UInt8]) throws(OpenSSLError) -> OpaquePointer {
    let bio = try MemoryBIO(bytes)
    // An encrypted file would have the terminal asked for a password: none is ever given.
    return try made(PEM_read_bio_PrivateKey(bio.pointer, nil, { _, _, _, _ in -1 }, nil))
  }
}
