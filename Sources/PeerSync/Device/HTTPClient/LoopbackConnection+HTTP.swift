// One HTTP request, and what comes of it.
extension LoopbackConnection {
  /// A whole request.
  ///
  /// - Parameter isLast: whether the connection ends with its answer
  package static func request(
    _ method: String, _ path: String, to address: Address, token: String? = nil, body: [UInt8]? = nil,
    isLast: Bool = true
  ) -> [UInt8] {
    var head = "\(method) \(path) HTTP/1.1\r\nHost: \(address)\r\n"
    if isLast { head += "Connection: close\r\n" }
    if let token { head += "Authorization: Bearer \(token)\r\n" }
    if let body { head += "Content-Type: application/json\r\nContent-Length: \(body.count)\r\n" }
    return Array((head + "\r\n").utf8) + (body ?? [])
  }

  /// Sends a request and waits for the whole answer.
  ///
  /// - Parameter limit: longest body that is taken, in bytes
  /// - Throws: ``Failure``, ``ResponseParser/Malformed``
  package func exchange(_ request: [UInt8], limit: Int = .max) throws -> (status: Int, body: [UInt8]) {
    var (status, body) = (0, [UInt8]())
    try exchange(request) {
      status = $0
      body += $1
      guard body.count <= limit else { throw ResponseParser.Malformed() }
    }
    return (status, body)
  }

  /// Sends a request and hands on what comes of the answer: its status, and each piece of its body.
  ///
  /// - Throws: ``Failure``, ``ResponseParser/Malformed``, what `take` throws
  package func exchange(_ request: [UInt8], _ take: (_ status: Int, _ piece: [UInt8]) throws -> Void) throws {
    try send(request)
    var parser = ResponseParser()
    while !parser.isComplete {
      let bytes = try receive()
      if bytes.isEmpty, !parser.mayEnd { throw Failure.broken }
      if bytes.isEmpty { return }
      let piece = try parser.take(bytes)
      if let status = parser.status { try take(status, piece) }
    }
  }
}
