import Foundation
import PeerSync
import PeerSyncControl

/// `peerd dashboard`: says where the page of the running device is.
enum DashboardCommand {
  private struct Answer: Encodable {
    let url: String
  }

  static func run(opens: Bool, _ client: ControlClient, _ console: Console) async throws {
    // Only a daemon that answers has a page.
    let _: StatusAnswer = try await client.send("GET", "/v1/status")
    try console.print(Answer(url: client.page)) { "\(client.page)\n" }
    if opens { open(client.page) }
  }

  /// Has the desktop show a page. Where there is none the address is printed anyway.
  static func open(_ url: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["xdg-open", url]
    (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
    try? process.run()
  }
}
