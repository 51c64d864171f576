/// One event of a stream (WHATWG HTML, "Server-sent events").
package struct ServerSentEvent: Sendable {
  /// What a client that resumes sends as Last-Event-ID.
  package let id: String
  package let name: String
  /// One line.
  package let data: String

  package init(id: String, name: String, data: String) {
    self.id = id
    self.name = name
    self.data = data
  }

  package var encoded: [UInt8] { Array("id: \(id)\nevent: \(name)\ndata: \(data)\n\n".utf8) }
}
