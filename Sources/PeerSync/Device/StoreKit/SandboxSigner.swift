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
    static let root = "root.pem"
    static let certificates = ["leaf.pem", "intermediate.pem", root]
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
  /// - Parameter root: what others trust the store by that was here: then no other one takes its place
  /// - Throws: ``StorageError/lostStore(directory:missing:)`` where some of its files are missing;
  ///   ``StorageError/wrongStore(directory:message:hasRoot:)`` where they are damaged, or another store's
  package static func open(
    _ directory: String, root: ContentHash? = nil
  ) throws(StorageError) -> SandboxSigner {
    if let store = try find(in: directory, root: root) { return store }
    try make(in: directory)
    return try load(directory, root: root)
  }

  /// The store of a directory, as ``open(_:root:)`` would find it; nil where that would make one. Nothing is changed.
  package static func find(
    in directory: String, root: ContentHash? = nil
  ) throws(StorageError) -> SandboxSigner? {
    guard root != nil || isMade(in: directory) else { return nil }
    try requireAll(in: directory)
    return try load(directory, root: root)
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

  private static func load(_ directory: String, root: ContentHash?) throws(StorageError) -> SandboxSigner {
    func wrong(_ reason: Phrase) -> StorageError {
      let left = (try? TrustRoot.load(directory + "/" + File.root)).map { Cryptography.openSSL.hash(of: $0) }
      return .wrongStore(
        directory: directory, message: StorageReason(reason), hasRoot: left != nil && left == root ?? left)
    }
    try FileSystem.requirePrivate(directory)
    for name in File.all {
      guard FileSystem.isFile(directory + "/" + name, followsLinks: true) else {
        throw wrong(.same("\(name): ") + FileSystem.noFile)
      }
      try FileSystem.requirePrivate(directory + "/" + name)
    }
    var certificates: [[UInt8]] = []
    for name in File.certificates {
      do throws(StorageError) {
        certificates.append(try TrustRoot.load(directory + "/" + name))
      } catch .notCertificate(_, let message) {
        throw wrong(.same("\(name): ") + message.told)
      }
    }
    let bytes = try FileSystem.read(directory + "/" + File.key, limit: File.limit) ?? []
    guard let key = try? PEM.decodeKey(bytes) else {
      throw wrong(.same("\(File.key): ") + Phrase("no key in PEM form", "PEM 형식의 키가 없음"))
    }
    let signer = SandboxSigner(key: key, certificates: certificates)
    if let misfit = signer.misfit(root) { throw wrong(misfit) }
    return signer
  }

  /// Why others would not take what it signs, if so: the files of a directory may be damaged, or of two stores.
  ///
  /// - Parameter known: what others trust it by; nil: that is not known
  private func misfit(_ known: ContentHash?) -> Phrase? {
    guard known == nil || known == rootHash else {
      return Phrase("root.pem is another store's", "root.pem은 다른 스토어의 것임")
    }
    do {
      let chain = try CertificateChain(header)
      try chain.verifyPath(at: chain.validity.from)
      // A key of another kind may not even sign.
      if let probe = try? sign(Array("{}".utf8)), let digest = chain.digest(of: probe.payload),
        chain.isValid(probe.signature, of: digest)
      {
        return nil
      }
      return Phrase("key.pem is not the key of leaf.pem", "key.pem은 leaf.pem의 키가 아님")
    } catch { return Phrase(error) }
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
