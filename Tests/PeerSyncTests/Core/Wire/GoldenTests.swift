import Foundation
import PeerSyncCore
import Testing

@Suite struct GoldenTests {
  @Test func everyTypeHasItsBytes() throws {
    #expect(Golden.messages.map(\.message.type) == MessageType.allCases)
    for (name, message) in Golden.messages {
      if Golden.isRewriting { try Golden.write(Frame.encode(message), name) }
      let bytes = try Golden.read(name)
      #expect(Frame.encode(message) == bytes, "\(name)")
      #expect(try decodeAll(bytes) == [message], "\(name)")
    }
  }

  /// The worked bytes of the protocol's document: blocks fenced as `hex` and the name of the message.
  @Test func theDocumentShowsTheseBytes() throws {
    let text = try String(contentsOf: Golden.protocolDocument, encoding: .utf8)
    for (name, _) in Golden.messages {
      let parts = text.components(separatedBy: "```hex \(name)\n")
      let block = try #require(
        parts.count == 2 ? parts[1].components(separatedBy: "```").first : nil, "\(name)")
      #expect(try Golden.bytes(block) == Golden.read(name), "\(name)")
    }
  }

  @Test func theDocumentNamesEveryTypeAndReason() throws {
    let text = try String(contentsOf: Golden.protocolDocument, encoding: .utf8)
    for type in MessageType.allCases { #expect(text.contains("| \(type.rawValue) | \(type) |"), "\(type)") }
    for reason in CloseReason.allCases {
      #expect(text.contains("| \(reason.rawValue) | \(reason) |"), "\(reason)")
    }
  }

  @Test func theDocumentStatesTheLimits() throws {
    let text = try String(contentsOf: Golden.protocolDocument, encoding: .utf8)
    let limits = [
      "at most \(grouped(Limits.frameBytes)) |", "at most \(grouped(Limits.batchBytes)) bytes",
      "(1 to \(Limits.keyBytes))", "(0 to \(grouped(Limits.valueBytes)))", "most \(Limits.textBytes) bytes",
      "at most \(grouped(Limits.replicas))), then that many entries", "at most \(Limits.addressEntries))",
      "1 to \(Limits.deviceAddresses))", "\(Limits.deviceAddressBytes) together",
      "nothing at all came for \(Limits.answerMilliseconds / 1000) s",
      "each \(Limits.dialLeadMilliseconds) ms after",
      "at most 1,100 bytes",
      "at most \(grouped(Limits.repairItems))), then that many digests",
      "at most \(Limits.addressBytes) bytes",
      "within \(Limits.handshakeMilliseconds / 1000) s", "Every \(Limits.beatMilliseconds / 1000) s",
      "for \(Limits.silenceMilliseconds / 1000) s",
    ]
    #expect(Limits.smallSegmentBytes == 1100)
    for limit in limits { #expect(text.contains(limit), "\(limit)") }
  }

  private func grouped(_ number: Int) -> String {
    number < 1000 ? "\(number)" : "\(number / 1000)," + String(format: "%03d", number % 1000)
  }
}
