import CMicroHTTPD
import Foundation
import PeerSync

// The calls from and to libmicrohttpd. Its threads enter here, in C; each request has an `Exchange`, which the library
// carries as a pointer from the first call for the request to the last.

/// One request while it arrives.
private final class Exchange {
  let reception: HTTPReception
  private(set) var body: [UInt8] = []
  /// Whether the connection ends with the answer.
  var isLast: Bool
  private let underWay: DispatchGroup

  init(reception: HTTPReception, isLast: Bool, underWay: DispatchGroup) {
    self.reception = reception
    self.isLast = isLast
    self.underWay = underWay
    underWay.enter()
  }

  deinit { underWay.leave() }

  /// Takes in more of the body: never more than was announced.
  func append(_ bytes: UnsafeRawBufferPointer) { body.append(contentsOf: bytes) }
}

/// What feeds one event stream.
private final class Feed {
  let server: HTTPServer
  let pipe: EventPipe
  let task: Task<Void, Never>

  init(server: HTTPServer, pipe: EventPipe, events: any AsyncSequence<ServerSentEvent, Never> & Sendable) {
    self.server = server
    self.pipe = pipe
    task = Task(executorPreference: pipe.executor) {
      for await event in events where !pipe.send(event) { break }
      pipe.close()
    }
  }
}

extension HTTPServer {
  /// Starts the library, without a socket that listens: it gets its connections by ``admit(_:to:)``.
  func startDaemon() -> OpaquePointer? {
    let completed:
      @convention(c) (
        UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
        MHD_RequestTerminationCode
      ) -> Void = { server, connection, slot, code in
        guard let server, let connection, let carried = slot?.pointee else { return }
        // What the request took is given back before the next is awaited.
        let isLast = { Unmanaged<Exchange>.fromOpaque(carried).takeRetainedValue().isLast }()
        guard !isLast, code == .REQUEST_TERMINATED_COMPLETED_OK else { return }
        Unmanaged<HTTPServer>.fromOpaque(server).takeUnretainedValue().awaitNext(on: connection)
      }
    let changed:
      @convention(c) (
        UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
        MHD_ConnectionNotificationCode
      ) -> Void = { server, connection, _, code in
        // MHD_CONNECTION_NOTIFY_CLOSED, a constant of C that has no name in Swift. The socket is about to be closed.
        guard let server, let connection, code.rawValue == 1 else { return }
        let watch = Unmanaged<HTTPServer>.fromOpaque(server).takeUnretainedValue().watch
        watch.ended(peersync_mhd_socket(connection))
      }
    let keepEscapes:
      @convention(c) (
        UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<CChar>?
      ) -> Int = { _, _, text in text.map { strlen($0) } ?? 0 }
    let server = Unmanaged.passUnretained(self).toOpaque()
    var options = [
      option(.CONNECTION_LIMIT, watch.mostWithEnding),
      option(.CONNECTION_MEMORY_LIMIT, HTTPLimits.connectionBytes),
      option(.CONNECTION_TIMEOUT, Int(idleSeconds)),
      option(.NOTIFY_COMPLETED, unsafeBitCast(completed, to: Int.self), server),
      option(.NOTIFY_CONNECTION, unsafeBitCast(changed, to: Int.self), server),
      option(.UNESCAPE_CALLBACK, unsafeBitCast(keepEscapes, to: Int.self)),
      option(.END, 0),
    ]
    let flags =
      MHD_USE_INTERNAL_POLLING_THREAD.rawValue | MHD_USE_THREAD_PER_CONNECTION.rawValue
      | MHD_USE_POLL.rawValue | MHD_USE_NO_LISTEN_SOCKET.rawValue
    return options.withUnsafeMutableBufferPointer { options in
      guard let first = options.baseAddress else { return nil }
      let arguments: [any CVarArg] = [
        Int32(bitPattern: MHD_OPTION.ARRAY.rawValue), first, Int32(bitPattern: MHD_OPTION.END.rawValue),
      ]
      return withVaList(arguments) { MHD_start_daemon_va(flags, 0, nil, nil, handleAccess, server, $0) }
    }
  }

  /// Gives the library a connection, which closes it some time, even if it cannot serve it.
  func admit(_ descriptor: Int32, bytes: UInt64, to daemon: OpaquePointer?) {
    watch.receiving(descriptor, requested: bytes)
    // Nobody asks the library where a connection comes from, which is this machine.
    let isTaken = try? SocketAddress(address).with { MHD_add_connection(daemon, descriptor, $0, $1) == .YES }
    if isTaken != true { watch.ended(descriptor) }
  }

  /// The last call for a request whose connection is kept: its answer was sent. The library reads nothing before this returns,
  /// so the next head can be looked at as the first was.
  fileprivate func awaitNext(on connection: OpaquePointer) {
    let socket = peersync_mhd_socket(connection)
    watch.waiting(socket)
    // The watch minds the time. Set again, the library counts it anew.
    peersync_mhd_set_timeout(connection, 0)
    var guest = Guest(descriptor: socket, watch: watch)
    // The library finds the end, and closes.
    guard let bytes = guest.wait() else { return Socket.end(socket) }
    watch.receiving(socket, requested: bytes)
    peersync_mhd_set_timeout(connection, idleSeconds)
  }

  /// Whether an answer is the last on its connection.
  ///
  /// What the library has read beyond a request, it would take for the next one, and nobody would have looked at that. It cannot
  /// have read what never came: so a connection is kept if nothing but its requests has come.
  private func isLast(_ response: HTTPResponse, on connection: OpaquePointer) -> Bool {
    // The library holds the answer until the next request comes.
    guard case .bytes(let bytes) = response.body, bytes.count <= HTTPLimits.keptBytes, !isStopping else {
      return true
    }
    let socket = peersync_mhd_socket(connection)
    return peersync_bytes_received(socket) != watch.requested(socket)
  }

  /// The first call for a request: its head is there.
  fileprivate func begin(
    _ head: HTTPHead, version: String, _ connection: OpaquePointer,
    _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  ) -> MHD_Result {
    // The library reads the list of what a client wants of its connection. Most say nothing, and of what else they may say only
    // this is taken for leave to keep it: never more than the library would keep.
    let wish = head.headers["connection"]?.lowercased() ?? "keep-alive"
    let isLast = version != "HTTP/1.1" || wish != "keep-alive"
    let exchange = Exchange(reception: application.receive(head), isLast: isLast, underWay: underWay)
    slot.pointee = Unmanaged.passRetained(exchange).toOpaque()
    switch exchange.reception {
    case .refused(let refusal):
      exchange.isLast = true
      return send(refusal, on: connection, isLast: true)
    case .taken(let limit, _, _):
      guard let length = head.headers["content-length"].flatMap(Int.init), length > limit else { return .YES }
      let problem = Problem(
        .bodyTooLarge,
        Phrase("the body is larger than \(limit) bytes", "본문이 \(limit)바이트보다 큽니다"))
      exchange.isLast = true
      return send(problem.response, on: connection, isLast: true)
    }
  }

  /// The last call for a request: its body is there.
  fileprivate func finish(_ exchange: Exchange, _ connection: OpaquePointer) -> MHD_Result {
    guard case .taken(_, let isOpen, let respond) = exchange.reception else { return .NO }
    let socket = peersync_mhd_socket(connection)
    watch.answering(socket)
    // The library counts the time the application takes as idleness, and would close the connection on the answer.
    peersync_mhd_set_timeout(connection, 0)
    let body = exchange.body
    let response = response { await respond(body) }
    exchange.isLast = exchange.isLast || isLast(response, on: connection)
    switch response.body {
    case .bytes(let bytes):
      watch.sending(socket, bytes: bytes.count, isOpen: isOpen)
      peersync_mhd_set_timeout(connection, idleSeconds)
    case .events: watch.streaming(socket)
    }
    return send(response, on: connection, isLast: exchange.isLast)
  }

  private func send(_ response: HTTPResponse, on connection: OpaquePointer, isLast: Bool) -> MHD_Result {
    guard let made = make(response, connection) else { return .NO }
    defer { MHD_destroy_response(made) }
    for (name, value) in response.fields(isLast: isLast) {
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

extension HTTPResponse {
  /// What a request gets that the library never sees, as it is sent.
  func refusal(withBody: Bool) -> [UInt8] {
    guard case .bytes(let bytes) = body else { return [] }
    var fields = fields(isLast: true)
    fields["Content-Length"] = "\(bytes.count)"
    fields["Date"] = HTTPResponse.date()
    let reason = MHD_get_reason_phrase_for(status).map { String(cString: $0) } ?? ""
    let lines = fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)\r\n" }.joined()
    return Array("HTTP/1.1 \(status) \(reason)\r\n\(lines)\r\n".utf8) + (withBody ? bytes : [])
  }

  /// `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
  private static func date() -> String {
    var now = time(nil)
    var parts = tm()
    gmtime_r(&now, &parts)
    var text = [CChar](repeating: 0, count: 64)
    let count = strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
    return String(decoding: text.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
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
  guard let context, let connection, let path, let method, let version, let uploadSize, let slot
  else { return .NO }
  let server = Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue()
  guard let carried = slot.pointee else {
    let head = HTTPHead(
      method: String(cString: method), path: String(cString: path), headers: Headers(of: connection).values,
      server: server.address, query: Query(of: connection).parameters)
    return server.begin(head, version: String(cString: version), connection, slot)
  }
  let exchange = Unmanaged<Exchange>.fromOpaque(carried).takeUnretainedValue()
  guard uploadSize.pointee > 0 else { return server.finish(exchange, connection) }
  exchange.append(UnsafeRawBufferPointer(start: upload, count: uploadSize.pointee))
  server.watch.received(peersync_mhd_socket(connection), bytes: uploadSize.pointee)
  uploadSize.pointee = 0
  return .YES
}

/// The header lines of a request, put together.
private struct Headers {
  var values: [String: String] = [:]

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
    values[name] = values[name].map { "\($0), \(value)" } ?? value
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

/// Undoes the escapes of a form (WHATWG URL, section 5). What is not a text stays as it came.
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
