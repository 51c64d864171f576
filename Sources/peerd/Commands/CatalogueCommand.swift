import PeerSync
import PeerSyncControl

/// `peerd catalogue add`: writes the products of a file for all devices of the group.
enum CatalogueCommand {
  static func add(_ path: String, _ client: ControlClient, _ console: Console) async throws {
    // What is wrong, or ignored, is told by the name of the file.
    let file = try CatalogueFile(try InitCommand.content(of: path), name: path)
    let answer: CatalogueAnswer = try await client.send(
      "POST", "/v1/products", body: PeerdFormat.document(of: file.catalogue))
    let note = try await client.noteOfRemoved(console)
    try console.print(CatalogueAnswer(written: answer.written, told: file.told)) {
      file.told.map { console.words($0) + "\n" }.joined()
        + console.words(.wroteProducts(answer.written, of: file.catalogue.ids.count)) + "\n" + note
    }
  }
}
