// The example of docs/library.md, here so that it compiles. It uses nothing that is not public; a test compares the two.
import PeerSync

/// Makes the device when there is none yet, and follows what its group knows until the daemon is stopped.
func follow(directory: String, products: Catalogue) async throws {
  if let made = try? Daemon.create(
    directory: directory, name: "Phone", environment: .sandbox, bundleId: "com.example.owls")
  {
    print("made the device \(made.identity.name); write its recovery key down: \(made.recoveryKey)")
  }
  let daemon = try Daemon(
    configuration: Daemon.Configuration(
      directory: directory, listen: Address("127.0.0.1:0"), log: Log(level: .warning)))
  if let address = try await daemon.start() { print("peers reach this device on \(address)") }
  _ = try await daemon.add(products)
  for await change in daemon.changes() {
    for entitlement in change.status.entitlements where entitlement.active {
      print(entitlement.id, entitlement.expires?.description ?? "without end", entitlement.because)
    }
  }
  if let error = await daemon.failure() { throw error }
}

/// Buys a product from the simulated store. The answer comes when the purchase is durable.
func renew(_ product: String, on daemon: Daemon) async {
  do {
    let bought = try await daemon.purchase(product)
    print(bought.outcome, "as", bought.transaction?.transactionId ?? "nothing yet")
  } catch let problem as Problem {
    print(problem.detail)
  } catch {
    print("the daemon has ended: \(error)")
  }
}
