import CMicroHTTPD
import Foundation

// The calls from and to libmicrohttpd. Its threads enter here, in C; each request has an `Exchange`, which the library
// carries as a pointer from the first call for the request to the last.

/// One request while it arrives.
private final class Exchange {
  let head: HTTPHead
  let limit: Int
  private(set) var body: [UInt8] = []
  private(set) var isTooLarge = false
  private let underWay: DispatchGroup

  init(head: HTTPHead, limit: Int, underWay: DispatchGroup) {
    self.head = head
    self.limit = limit
    self.underWay = underWay
    underWay.enter()
  }

  deinit { underWay.leave() }

  func append(_ bytes: UnsafeRawBufferPointer) {
    guard !isTooLarge, bytes.count <= limit - body.count else {
      isTooLarge = true
      body = []
      return
    }
    body.append(contentsOf: bytes)
  }
}

/// What feeds one event stream.
private final class Feed {
  let server: HTTPServer
  let pipe: EventPipe
  let task: Task<Void, Never>

  init(server: HTTPServer, pipe: EventPipe, events: any AsyncSequence<ServerSentEvent, Never> & Sendable) {
    self.server = server
    self.pipe = pipe
    task = Task(executorPreference: SerialTaskExecutor(label: "control API events")) {
      for await event in events where !pipe.send(event) { break }
      pipe.close()
    }
  }
}

extension HTTPServer {
  /// Starts the library's threads on the socket.
  func startDaemon(on socket: Socket) -> OpaquePointer? {
    // The library closes its descriptor, and the socket closes its own.
    let descriptor = fcntl(socket.descriptor, F_DUPFD_CLOEXEC, 0)
    guard descriptor >= 0 else { return nil }
    let completed:
      @convention(c) (
        UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
        MHD_RequestTerminationCode
      ) -> Void = { server, connection, slot, _ in
        if let server, let connection {
          Unmanaged<HTTPServer>.fromOpaque(server).takeUnretainedValue().watch.answered(connection)
        }
        guard let exchange = slot?.pointee else { return }
        Unmanaged<Exchange>.fromOpaque(exchange).release()
      }
    let changed:
      @convention(c) (
        UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
        MHD_ConnectionNotificationCode
      ) -> Void = { server, connection, _, code in
        guard let server, let connection else { return }
        // MHD_CONNECTION_NOTIFY_STARTED, a constant of C that has no name in Swift.
        let watch = Unmanaged<HTTPServer>.fromOpaque(server).takeUnretainedValue().watch
        if code.rawValue == 0 { watch.began(connection) } else { watch.ended(connection) }
      }
    let keepEscapes:
      @convention(c) (
        UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<CChar>?
      ) -> Int = { _, _, text in text.map { strlen($0) } ?? 0 }
    let server = Unmanaged.passUnretained(self).toOpaque()
    var options = [
      option(.LISTEN_SOCKET, Int(descriptor)),
      option(.CONNECTION_LIMIT, watch.mostWithEnding),
      option(.CONNECTION_MEMORY_LIMIT, HTTPLimits.connectionBytes),
      option(.CONNECTION_TIMEOUT, Int(HTTPLimits.idleSeconds)),
      option(.NOTIFY_COMPLETED, unsafeBitCast(completed, to: Int.self), server),
      option(.NOTIFY_CONNECTION, unsafeBitCast(changed, to: Int.self), server),
      option(.UNESCAPE_CALLBACK, unsafeBitCast(keepEscapes, to: Int.self)),
      option(.END, 0),
    ]
    let flags =
      MHD_USE_INTERNAL_POLLING_THREAD.rawValue | MHD_USE_THREAD_PER_CONNECTION.rawValue
      | MHD_USE_POLL.rawValue | MHD_USE_ITC.rawValue
    let daemon: OpaquePointer? = options.withUnsafeMutableBufferPointer { options in
      guard let first = options.baseAddress else { return nil }
      let arguments: [any CVarArg] = [
        Int32(bitPattern: MHD_OPTION.ARRAY.rawValue), first, Int32(bitPattern: MHD_OPTION.END.rawValue),
      ]
      return withVaList(arguments) { MHD_start_daemon_va(flags, 0, nil, nil, handleAccess, server, $0) }
    }
    if daemon == nil { close(descriptor) }
    return daemon
  }

  /// The first call for a request: its head is there.
  fileprivate func begin(
    _ head: HTTPHead, _ connection: OpaquePointer, _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  ) -> MHD_Result {
    let exchange = Exchange(head: head, limit: application.bodyLimit(head), underWay: underWay)
    slot.pointee = Unmanaged.passRetained(exchange).toOpaque()
    watch.receiving(connection)
    guard head.byteCount <= HTTPLimits.headBytes else {
      return send(Problem(.headTooLarge).response, on: connection)
    }
    if let objection = HTTPFraming.objection(to: head) {
      return send(Problem(.malformedRequest, objection).response, on: connection)
    }
    if let refusal = application.refuse(head) { return send(refusal, on: connection) }
    if let length = head.headers["content-length"].flatMap(Int.init), length > exchange.limit {
      return send(tooLarge(exchange), on: connection)
    }
    return .YES
  }

  /// The last call for a request: its body is there.
  fileprivate func finish(_ exchange: Exchange, _ connection: OpaquePointer) -> MHD_Result {
    watch.answering(connection)
    guard !exchange.isTooLarge else { return send(tooLarge(exchange), on: connection) }
    // The library counts the time the application takes as idleness, and would close the connection on the answer.
    peersync_mhd_set_timeout(connection, 0)
    let response = response(to: HTTPRequest(head: exchange.head, body: exchange.body))
    guard case .bytes = response.body else { return send(response, on: connection) }
    peersync_mhd_set_timeout(connection, HTTPLimits.idleSeconds)
    return send(response, on: connection)
  }

  private func tooLarge(_ exchange: Exchange) -> HTTPResponse {
    Problem(.bodyTooLarge, "the body is larger than \(exchange.limit) bytes").response
  }

  private func send(_ response: HTTPResponse, on connection: OpaquePointer) -> MHD_Result {
    guard let made = make(response, connection) else { return .NO }
    defer { MHD_destroy_response(made) }
    let common = [
      "Content-Type": response.contentType, "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "no-referrer", "Content-Security-Policy": "default-src 'none'",
    ]
    for (name, value) in common.merging(response.headers, uniquingKeysWith: { $1 }) {
      MHD_add_response_header(made, name, value)
    }
    return MHD_queue_response(connection, response.status, made)
  }

  private func make(_ response: HTTPResponse, _ connection: OpaquePointer) -> OpaquePointer? {
    switch response.body {
    case .bytes(var bytes):
      return bytes.withUnsafeMutableBytes {
        MHD_create_response_from_buffer($0.count, $0.baseAddress, .RESPMEM_MUST_COPY)
      }
    case .events(let events):
      let pipe = openStream(socket: peersync_mhd_socket(connection))
      let feed = Unmanaged.passRetained(Feed(server: self, pipe: pipe, events: events)).toOpaque()
      return MHD_create_response_from_callback(.max, 4096, readFeed, feed, freeFeed)
    }
  }
}

private func option(
  _ name: MHD_OPTION, _ value: Int, _ context: UnsafeMutableRawPointer? = nil
) -> MHD_OptionItem {
  MHD_OptionItem(option: name, value: value, ptr_value: context)
}

private func handleAccess(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ path: UnsafePointer<CChar>?,
  _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?, _ upload: UnsafePointer<CChar>?,
  _ uploadSize: UnsafeMutablePointer<Int>?, _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
  guard let context, let connection, let path, let method, let uploadSize, let slot else { return .NO }
  let server = Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue()
  guard let carried = slot.pointee else {
    let headers = Headers(of: connection)
    let head = HTTPHead(
      method: String(cString: method), path: String(cString: path), headers: headers.values,
      server: server.address, repeated: headers.repeated,
      version: version.map { String(cString: $0) } ?? "", query: Query(of: connection).parameters)
    return server.begin(head, connection, slot)
  }
  let exchange = Unmanaged<Exchange>.fromOpaque(carried).takeUnretainedValue()
  guard uploadSize.pointee > 0 else { return server.finish(exchange, connection) }
  exchange.append(UnsafeRawBufferPointer(start: upload, count: uploadSize.pointee))
  server.watch.received(connection, bytes: uploadSize.pointee)
  uploadSize.pointee = 0
  return .YES
}

/// The header lines of a request, put together.
private struct Headers {
  var values: [String: String] = [:]
  var repeated: [String: Int] = [:]

  init(of connection: OpaquePointer) {
    _ = withUnsafeMutablePointer(to: &self) { result in
      MHD_get_connection_values(
        connection, .HEADER_KIND,
        { result, _, name, value in
          guard let result, let name else { return .YES }
          result.assumingMemoryBound(to: Headers.self).pointee.add(
            String(cString: name).lowercased(), value.map { String(cString: $0) } ?? "")
          return .YES
        }, result)
    }
  }

  private mutating func add(_ name: String, _ value: String) {
    if let before = values[name] {
      values[name] = "\(before), \(value)"
      repeated[name, default: 1] += 1
    } else {
      values[name] = value
    }
  }
}

/// The parameters of a request's query, decoded.
private struct Query {
  var parameters: [HTTPParameter] = []

  init(of connection: OpaquePointer) {
    _ = withUnsafeMutablePointer(to: &self) { result in
      MHD_get_connection_values(
        connection, .GET_ARGUMENT_KIND,
        { result, _, name, value in
          guard let result, let name else { return .YES }
          let parameter = HTTPParameter(
            name: decode(String(cString: name)), value: decode(value.map { String(cString: $0) } ?? ""))
          result.assumingMemoryBound(to: Query.self).pointee.parameters.append(parameter)
          return .YES
        }, result)
    }
  }
}

/// Undoes the escapes of a form (WHATWG URL, section 5). What is no text stays as it came.
private func decode(_ text: String) -> String {
  let spaced = text.replacing("+", with: " ")
  return spaced.removingPercentEncoding ?? spaced
}

private func readFeed(
  _ context: UnsafeMutableRawPointer?, _ position: UInt64, _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int
) -> Int {
  /// MHD_CONTENT_READER_END_OF_STREAM and MHD_CONTENT_READER_END_WITH_ERROR, which are casts in C.
  let (end, failed) = (-1, -2)
  guard let context, let buffer else { return failed }
  let feed = Unmanaged<Feed>.fromOpaque(context).takeUnretainedValue()
  switch feed.pipe.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: size)) {
  case .bytes(let count): return count
  case .end: return end
  case .broken: return failed
  }
}

private func freeFeed(_ context: UnsafeMutableRawPointer?) {
  guard let context else { return }
  let feed = Unmanaged<Feed>.fromOpaque(context).takeRetainedValue()
  feed.task.cancel()
  feed.server.forget(feed.pipe)
}
