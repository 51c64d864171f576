import Foundation
import PeerSync
import PeerSyncControl
import PeerSyncSimulation

/// `peerd lab`: devices, a store and the links between them on this machine, with a page to try them on.
struct LabCommand {
  let options: LabOptions

  /// The one line that says that the page is there.
  private struct Ready: Encodable {
    let url: String
  }

  func run(_ console: Console) async throws {
    let laboratory = Laboratory()
    // What is being done is done to its end; then the processes are stopped, and what they kept goes away.
    let signals = Signals { _ in laboratory.close() }
    let token = Draws.token()
    let server = try HTTPServer(
      address: options.http,
      application: LabAPI(laboratory, token: token, draw: Draws.number).application)
    defer { withExtendedLifetime(signals) {} }
    do {
      try await laboratory.run(opening) {
        let ready = Ready(url: "http://\(server.address)/#\(token)")
        try console.print(ready) { text(ready, console) }
        if options.opens { DashboardCommand.open(ready.url) }
      }
      await onThread { server.stop() }
    } catch {
      await onThread { server.stop() }
      throw error
    }
  }

  /// The lines that the laboratory begins with.
  private var opening: [String] {
    [
      "catalogue insomniowl",
      "product pro.monthly autoRenewableSubscription period P1M entitlements pro group pro",
      "product pro.yearly autoRenewableSubscription period P1Y entitlements pro group pro",
      "store", "devices " + options.devices.joined(separator: " "),
    ]
  }

  private func text(_ ready: Ready, _ console: Console) -> String {
    console.style.good(console.words(.ready)) + console.words(.labIsAt(ready.url)) + "\n"
      + console.words(.labSecret) + "\n"
  }
}
