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
    let warnings: [String]
  }

  func run(_ console: Console) async throws {
    let catalogue = try catalogue()
    let directory = try options.data.map { try LabDirectory($0) }
    let laboratory = Laboratory(in: directory)
    // What is being done is done to its end; then the processes are stopped, and what they kept goes away.
    let signals = Signals { _ in laboratory.close() }
    let token = Draws.token()
    let server = try HTTPServer(
      address: options.http,
      application: LabAPI(laboratory, token: token, draw: Draws.number).application)
    defer { withExtendedLifetime(signals) {} }
    do {
      try await laboratory.run(opening(catalogue)) {
        let warnings = (catalogue?.warnings ?? []) + (directory.map(self.warnings) ?? [])
        let ready = Ready(
          url: "http://\(server.address)/#\(token)", warnings: warnings.map { $0.text(in: .english) })
        try console.print(ready) { text(ready, warnings, console) }
        if options.opens { DashboardCommand.open(ready.url) }
      }
      await onThread { server.stop() }
    } catch {
      await onThread { server.stop() }
      throw error
    }
  }

  /// What counts for a new laboratory alone.
  private func warnings(_ directory: LabDirectory) -> [Phrase] {
    guard directory.kept != nil, !options.catalogues.isEmpty || options.namesDevices else { return [] }
    return [
      Phrase(
        "\(directory.path) goes on with the devices and products that it has: --devices and --catalog count for a new laboratory alone",
        "\(directory.path) 실험실은 가지고 있는 기기와 상품으로 이어 갑니다. --devices, --catalog 옵션은 새 실험실에만 적용됩니다")
    ]
  }

  /// Nil: the one that is built in.
  private func catalogue() throws -> LabCatalogue? {
    guard !options.catalogues.isEmpty else { return nil }
    var files: [(name: String, content: [UInt8])] = []
    for path in options.catalogues { files.append((path, Array(try InitCommand.content(of: path)))) }
    return try LabCatalogue(files)
  }

  /// The lines that the laboratory begins with.
  private func opening(_ catalogue: LabCatalogue?) -> [String] {
    (catalogue?.lines ?? LabCatalogue.builtIn) + [
      "store", "devices " + options.devices.joined(separator: " "),
    ]
  }

  private func text(_ ready: Ready, _ warnings: [Phrase], _ console: Console) -> String {
    console.style.good(console.words(.ready)) + console.words(.labIsAt(ready.url)) + "\n"
      + console.words(options.data.map(Phrase.labStays) ?? .labGoes) + "\n"
      + console.warnings(warnings)
  }
}
