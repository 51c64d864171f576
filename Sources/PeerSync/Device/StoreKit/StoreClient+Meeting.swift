extension StoreClient {
  /// Gets to know a sandbox store: the device of a directory trusts what it signs from its next start on, and follows its
  /// clock, should that have been set on.
  ///
  /// - Parameters:
  ///   - url: where the store is on this machine, such as `http://127.0.0.1:7500`
  ///   - account: the customer; nil: the one that all devices share
  ///   - directory: the data directory of a device that does not run
  /// - Returns: what to give to the configuration of the device
  /// - Throws: a ``Problem`` for what is no such URL, outside the sandbox environment, and when a store that the device
  ///   does not
  ///   know yet cannot be reached; ``StorageError`` when the directory cannot be used
  public static func meet(
    _ url: String, account: String? = nil, directory: String
  ) async throws -> StoreClient {
    guard let server = LocalServer(url) else {
      throw Problem(
        .invalidValue,
        Phrase(
          "'\(url)' is not a store of this machine such as http://127.0.0.1:7500",
          "‘\(url)’ 주소는 http://127.0.0.1:7500 같은 이 컴퓨터의 스토어가 아닙니다"))
    }
    let directory = DataDirectory(directory)
    let environment = try Storage.environment(of: directory)
    guard environment == .sandbox else {
      throw Problem(
        .storeRefused,
        Phrase(
          "a store is for the sandbox environment; this device is of \(environment.rawValue)",
          "스토어는 sandbox 환경에서만 씁니다. 이 기기의 환경은 \(environment.rawValue)입니다"))
    }
    return try await meet(server, account: account, directory).client
  }

  /// - Returns: the client; and whether the store was reached, or is one that the device knows already
  package static func meet(
    _ server: LocalServer, account: String?, _ directory: DataDirectory
  ) async throws -> (client: StoreClient, isReached: Bool) {
    try directory.requireDevice()
    var client = StoreClient(server: server, account: account)
    let facts: StoreFacts
    do { facts = try await client.facts() } catch {
      // A device that knows the store already may start before it.
      guard try StoreTrust.knows(server, directory) else { throw error }
      return (client, false)
    }
    guard let root = Base64.decode(Array(facts.root.utf8), .standard), StoreCertificate(der: root) != nil
    else { throw client.withoutRoot }
    try StoreTrust.remember(server, root: root, directory)
    if facts.isSetOn { client.lead = facts.now.milliseconds - SystemClock().now().wall.milliseconds }
    return (client, true)
  }

  private var withoutRoot: Problem {
    Problem(
      .storeUnreachable,
      Phrase(
        "the answer of the store at http://\(server.address) holds no certificate that could be its root: check the address, and the "
          + "certificates of the store",
        "http://\(server.address) 스토어의 응답에 루트가 될 인증서가 없습니다. 주소와 스토어의 인증서를 확인하세요"))
  }
}
