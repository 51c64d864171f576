// The example of docs/library.md, here so that it compiles. It uses nothing that is not public; a test compares the two.
import PeerSync

/// Follows what one device of a group knows, until the daemon is stopped.
func follow(directory: String) async throws {
  let daemon = try Daemon(
    configuration: Daemon.Configuration(
      directory: directory, listen: Address("127.0.0.1:0"), log: Log(level: .warning)))
  if let address = try await daemon.start() { print("peers reach this device on \(address)") }
  for await _ in await daemon.revisions() {
    let status = try await daemon.status()
    for entitlement in status.entitlements where entitlement.active {
      print(entitlement.id, entitlement.expires?.description ?? "without end", entitlement.because)
    }
  }
  if let error = await daemon.failure() { throw error }
}
