import PeerSync

/// Signs for the store of a story that real processes play, with certificates that the devices trust.
struct StorySigner {
  /// The file of its root certificate.
  let root: String
  /// SHA-256 of that certificate.
  var rootHash: ContentHash { signer.rootHash }
  private let signer: SandboxSigner
  /// Signs what nobody is to believe.
  private let stranger: SandboxSigner

  /// - Parameter directory: where its files go
  init(in directory: String) throws {
    signer = try SandboxSigner.open(directory + "/store")
    stranger = try SandboxSigner.generate()
    root = directory + "/store/root.pem"
  }

  func sign(_ payload: [UInt8], isForged: Bool) throws -> JWS {
    try (isForged ? stranger : signer).sign(payload)
  }
}
