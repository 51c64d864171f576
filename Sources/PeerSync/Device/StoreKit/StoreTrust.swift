#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The store as a device sees it: what verifies, whom it trusts, and outside production a sandbox store of its own.
package struct StoreTrust: Sendable {
  package let verifier: StoreVerifier
  /// Signs what is bought in simulations; nil in production.
  package let sandbox: SandboxSigner?
  /// SHA-256 of the roots that this device trusts besides Apple's: that of its sandbox store, and those it was given.
  package let trustedRoots: Set<ContentHash>

  /// Opens the store of a device; makes its sandbox store where it has none and was made without one.
  ///
  /// - Parameter root: that of the sandbox store that the device was made with, which its group trusts
  package init(
    _ directory: DataDirectory, _ environment: Environment, root: ContentHash?
  ) throws(StorageError) {
    verifier = StoreKitVerifier().verifier
    guard environment != .production else {
      sandbox = nil
      trustedRoots = []
      return
    }
    let sandbox = try SandboxSigner.open(directory.store, root: root)
    self.sandbox = sandbox
    trustedRoots = try StoreTrust.readRoots(directory).union([sandbox.rootHash])
  }

  /// Refuses what a start would refuse of these files. Nothing is changed.
  ///
  /// - Parameter device: what the database says; nil: that cannot be told
  package static func inspect(
    _ directory: DataDirectory, _ device: PersistedDevice?
  ) throws(StorageError) {
    guard device?.identity.environment != .production else { return }
    _ = try SandboxSigner.find(in: directory.store, root: device?.storeRoot)
    _ = try readRoots(directory)
  }

  /// Makes the sandbox store of a new device, and keeps the roots it is to trust. Outside production alone.
  ///
  /// - Parameter roots: certificates as DER
  /// - Returns: SHA-256 of the store's own root
  package static func create(
    _ directory: DataDirectory, trusting roots: [[UInt8]]
  ) throws(StorageError) -> ContentHash {
    let store = try SandboxSigner.open(directory.store)
    if !roots.isEmpty { try keep(roots, in: directory) }
    return store.rootHash
  }

  /// Trusts more roots from the next start on.
  package static func keep(_ roots: [[UInt8]], in directory: DataDirectory) throws(StorageError) {
    try FileSystem.makeDirectory(directory.trustedRoots)
    for root in roots {
      let name = Cryptography.openSSL.hash(of: root).description + ".pem"
      let path = directory.trustedRoots + "/" + name
      guard let certificate = StoreCertificate(der: root),
        let pem = try? PEM.encode(certificate: certificate.pointer)
      else { throw .notCertificate(path: path, message: StorageReason(Phrase("no certificate", "인증서가 아님"))) }
      try FileSystem.replace(path, with: pem, isDurable: true)
    }
  }

  /// Trusts a sandbox store from now on, and remembers that this device knows it.
  ///
  /// - Parameter root: its root certificate as DER
  package static func remember(
    _ server: LocalServer, root der: [UInt8], _ directory: DataDirectory
  ) throws(StorageError) {
    try FileSystem.makeDirectory(directory.store)
    try keep([der], in: directory)
    try FileSystem.replace(
      directory.knownStore, with: Array(server.address.description.utf8), isDurable: true)
  }

  /// Whether this device has used a store before.
  package static func knows(_ server: LocalServer, _ directory: DataDirectory) throws(StorageError) -> Bool {
    try FileSystem.read(directory.knownStore, limit: Limits.addressBytes)
      == Array(server.address.description.utf8)
  }

  private static func readRoots(_ directory: DataDirectory) throws(StorageError) -> Set<ContentHash> {
    guard FileSystem.exists(directory.trustedRoots) else { return [] }
    guard let entries = opendir(directory.trustedRoots) else {
      throw FileSystem.error(directory.trustedRoots)
    }
    defer { closedir(entries) }
    var roots: Set<ContentHash> = []
    while let entry = readdir(entries) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard name.hasSuffix(".pem") else { continue }
      let path = directory.trustedRoots + "/" + name
      try FileSystem.requirePrivate(path)
      roots.insert(Cryptography.openSSL.hash(of: try TrustRoot.load(path)))
    }
    return roots
  }
}

extension DataDirectory {
  /// The device's sandbox store; see ``SandboxSigner``.
  package var store: String { path + "/store" }
  /// Root certificates that the device was told to trust.
  package var trustedRoots: String { store + "/trusted" }
  /// The address of the sandbox store that the device has used last.
  package var knownStore: String { store + "/known" }
}
