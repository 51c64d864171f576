/// What an ``HTTPServer`` serves.
package struct HTTPApplication: Sendable {
  /// Decides on the head alone, before the body is read.
  let receive: @Sendable (HTTPHead) -> HTTPReception

  package init(receive: @escaping @Sendable (HTTPHead) -> HTTPReception) { self.receive = receive }
}

/// What becomes of a request whose head is there.
package enum HTTPReception: Sendable {
  /// This is the answer.
  case refused(HTTPResponse)
  /// Its body is read, of so many bytes at most, and answered. What is open is told to anybody.
  case taken(
    bodyLimit: Int, isOpen: Bool = false, respond: @Sendable (_ body: [UInt8]) async -> HTTPResponse)
}
