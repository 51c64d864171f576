import Foundation
import PeerSync

/// An app with a device inside: it makes one, sells three months of owls, and says until when they are paid for.
@main enum Embedding {
  static func main() async throws {
    let directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("peersync-embedding-\(ProcessInfo.processInfo.processIdentifier)").path
    defer { try? FileManager.default.removeItem(atPath: directory) }
    _ = try Daemon.create(
      directory: directory, name: "Phone", environment: .sandbox, bundleId: "com.example.owls")
    let daemon = try Daemon(configuration: Daemon.Configuration(directory: directory))
    _ = try await daemon.start()
    let owls = Product(id: "3months", type: .nonRenewingSubscription, line: "owls", period: Period("P3M"))
    try await daemon.add(Catalogue(products: [owls]))
    _ = try await daemon.purchase("3months")
    let line = try await daemon.line("owls")
    print("owls until \(line.expires?.description ?? "never"), \(line.daysRemaining) days left")
    await daemon.stop()
  }
}
