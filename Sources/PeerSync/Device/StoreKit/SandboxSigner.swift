import COpenSSL

/// A store for simulations: it signs purchases with a chain of three certificates of its own, made as Apple's are.
///
/// So simulated and real purchases take the same path. Its root counts outside production alone, and only where it is
/// trusted. Only the leaf's key is kept: nobody can issue another leaf later.
package final class SandboxSigner: @unchecked Sendable {
  // OpenSSL counts references to keys atomically, and nothing changes them once they are made.
  private let key: OpaquePointer
  /// The header of everything it signs.
  package let header: [UInt8]
  /// The root certificate as DER.
  package let root: [UInt8]

  /// SHA-256 of the root's DER: what others trust it by.
  package var rootHash: ContentHash { Cryptography.openSSL.hash(of: root) }

  private enum File {
    static let key = "key.pem"
    static let certificates = ["leaf.pem", "intermediate.pem", "root.pem"]
    static let all = certificates + [key]
    /// There from before the first of the others until all are.
    static let unfinished = "unfinished"
    /// Longest file that is read, in bytes; a certificate takes about 800.
    static let limit = 8192
  }

  /// Takes a leaf's key and the DER of leaf, intermediate and root.
  init(key: OpaquePointer, certificates: [[UInt8]]) {
    self.key = key
    root = certificates.last ?? []
    let texts = certificates.map {
      "\"" + String(decoding: Base64.encode($0, .standard), as: UTF8.self) + "\""
    }
    header = Array("{\"alg\":\"ES256\",\"x5c\":[\(texts.joined(separator: ","))]}".utf8)
  }

  deinit { EVP_PKEY_free(key) }

  /// A store that nobody has had before.
  package static func generate() throws(OpenSSLError) -> SandboxSigner {
    try SandboxSigner(SandboxChain.generate())
  }

  /// A store that signs with a chain.
  ///
  /// - Parameter certificates: what it shows instead of the chain's own; for tests
  package convenience init(_ chain: SandboxChain, showing certificates: [[UInt8]]? = nil) throws(OpenSSLError)
  {
    let certificates = if let certificates { certificates } else { try chain.encodedCertificates }
    EVP_PKEY_up_ref(chain.key)
    self.init(key: chain.key, certificates: certificates)
  }

  // MARK: Signing

  /// Signs a payload.
  package func sign(_ payload: [UInt8]) throws(OpenSSLError) -> JWS {
    try JWS(signing: payload, header: header, with: key)
  }

  /// Signs a transaction.
  package func sign(_ transaction: Transaction) throws(OpenSSLError) -> JWS { try sign(transaction.payload) }

  // MARK: Files

  /// The store of a directory; makes one where there is none. Its files are for their owner alone.
  ///
  /// - Parameter isKnown: whether others may know the store that was here: then no other one takes its place
  /// - Throws: ``StorageError/lostStore(directory:missing:)`` where some of its files are missing
  package static func open(
    _ directory: String, isKnown: Bool = false
  ) throws(StorageError) -> SandboxSigner {
    if isKnown || isMade(in: directory) { try requireAll(in: directory) } else { try make(in: directory) }
    return try load(directory)
  }

  /// Refuses a directory in which some files of a store are missing. One in which no store was made is well.
  package static func requireWhole(_ directory: String) throws(StorageError) {
    if isMade(in: directory) { try requireAll(in: directory) }
  }

  /// Whether a store was made there to the end, whatever is missing of it now.
  private static func isMade(in directory: String) -> Bool {
    missing(in: directory).count < File.all.count
      && !FileSystem.exists(directory + "/" + File.unfinished)
  }

  private static func requireAll(in directory: String) throws(StorageError) {
    let missing = missing(in: directory)
    guard missing.isEmpty else { throw .lostStore(directory: directory, missing: missing) }
  }

  private static func missing(in directory: String) -> [String] {
    File.all.filter { !FileSystem.exists(directory + "/" + $0) }
  }

  /// A store whose making a crash cut short is made anew: nobody knows it.
  private static func make(in directory: String) throws(StorageError) {
    try FileSystem.makeDirectory(directory)
    var files: [(String, [UInt8])]
    do throws(OpenSSLError) {
      let chain = try SandboxChain.generate()
      files = try zip(File.certificates, chain.certificates).map { name, certificate throws(OpenSSLError) in
        (name, try PEM.encode(certificate: certificate.pointer))
      }
      files.append((File.key, try PEM.encode(key: chain.key)))
    } catch {
      throw .failed(path: directory, message: StorageReason(Phrase(error)))
    }
    let place = try HeldDirectory(directory)
    try place.replace(File.unfinished, with: [], isDurable: true)
    for (name, bytes) in files { try place.replace(name, with: bytes, isDurable: true) }
    place.remove(File.unfinished)
    try FileSystem.syncDirectory(directory)
  }

  private static func load(_ directory: String) throws(StorageError) -> SandboxSigner {
    try FileSystem.requirePrivate(directory)
    var certificates: [[UInt8]] = []
    for name in File.certificates {
      try FileSystem.requirePrivate(directory + "/" + name)
      do throws(StorageError) {
        certificates.append(try TrustRoot.load(directory + "/" + name))
      } catch .notCertificate(_, let message) {
        throw .wrongStore(directory: directory, message: StorageReason(.same("\(name): ") + message.told))
      }
    }
    let path = directory + "/" + File.key
    try FileSystem.requirePrivate(path)
    let bytes = try FileSystem.read(path, limit: File.limit) ?? []
    guard let key = try? PEM.decodeKey(bytes) else {
      throw .wrongStore(
        directory: directory, message: StorageReason(Phrase("no key in PEM form", "PEM 형식의 키가 없음")))
    }
    let signer = SandboxSigner(key: key, certificates: certificates)
    do { try signer.check() } catch {
      throw .wrongStore(directory: directory, message: StorageReason(Phrase(error)))
    }
    return signer
  }

  /// Whether others would take what it signs: the files of a directory may be damaged, or of two stores.
  private func check() throws {
    let chain = try CertificateChain(header)
    try chain.verifyPath(at: chain.validity.from)
    let probe = try sign(Array("{}".utf8))
    guard let digest = chain.digest(of: probe.payload), chain.isValid(probe.signature, of: digest) else {
      throw JWSRejection.wrongKey
    }
  }
}

extension JWS {
  /// Signs with ES256.
  package init(signing payload: [UInt8], header: [UInt8], with key: OpaquePointer) throws(OpenSSLError) {
    let text = Base64.encode(header, .url) + [UInt8(ascii: ".")] + Base64.encode(payload, .url)
    let digest = Cryptography.openSSL.hash(of: text).bytes
    guard let context = EVP_PKEY_CTX_new(key, nil) else { throw .take() }
    defer { EVP_PKEY_CTX_free(context) }
    try require(EVP_PKEY_sign_init(context))
    var signature = [UInt8](repeating: 0, count: 128)
    var count = signature.count
    try require(EVP_PKEY_sign(context, &signature, &count, digest, digest.count))
    guard let raw = ECDSASignature.raw(Array(signature.prefix(count))) else { throw .take() }
    self.init(header: header, payload: payload, signature: raw)
  }
}
