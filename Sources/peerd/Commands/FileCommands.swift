import Foundation
import PeerSync
import PeerSyncControl

/// `peerd export`: writes the ledger to a file or to standard output.
enum ExportCommand {
  /// What `--json` prints when the ledger itself goes to a file.
  private struct Result: Encodable {
    let file: String
    let registers: Int
    let warnings: [String]
  }

  static func run(_ file: String?, _ client: ControlClient, _ console: Console) async throws {
    let ledger: JSONValue = try await client.send("GET", "/v1/export", timeoutSeconds: 600)
    let warnings = ledger["warnings"]?.texts ?? []
    for warning in warnings { Console.complain("warning: \(warning)") }
    let bytes = JSON.encode(ledger, pretty: true) + [0x0a]
    guard let file, file != "-" else { return try console.write(bytes) }
    try Output.write(bytes, toFile: file)
    guard case .array(let registers)? = ledger["registers"] else {
      throw ControlError.unreadable(Phrase("no registers", "레지스터 없음"))
    }
    try console.print(Result(file: file, registers: registers.count, warnings: warnings)) {
      console.words(.exported(registers.count, to: file)) + "\n"
    }
  }
}

extension JSONValue {
  /// The texts of an array.
  fileprivate var texts: [String] {
    guard case .array(let elements) = self else { return [] }
    return elements.compactMap { if case .string(let text) = $0 { text } else { nil } }
  }
}

enum ImportCommand {
  static func run(_ file: String, _ client: ControlClient, _ console: Console) async throws {
    let content = try Input.read(file)
    // The daemon has no words for the files of a command line.
    if let document = try? JSON.decode(JSONValue.self, from: Array(content)), document["registers"] == nil {
      throw Failure(.notExported(file))
    }
    let bytes = try await client.send("POST", "/v1/import", body: Array(content), timeoutSeconds: 600)
    let answer = try client.decode(ImportAnswer.self, bytes)
    try console.print(answer) {
      console.words(.imported(answer.registers, changed: answer.changed, skipped: answer.skipped)) + "\n"
    }
  }
}
