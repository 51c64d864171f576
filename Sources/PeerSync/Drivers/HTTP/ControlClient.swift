import Foundation
import FoundationNetworking

/// Why a client got no answer from a daemon.
package enum ControlError: Error, CustomStringConvertible {
  /// No daemon runs on the data directory.
  case noDaemon(directory: String)
  /// The daemon said no.
  case problem(Problem)
  /// No answer came in time.
  case timedOut
  /// What came was no answer of a daemon.
  case unreadable(String)

  package var description: String {
    switch self {
    case .noDaemon(let directory):
      "no daemon is running on \(directory); start one with: peerd run --data \(directory)"
    case .problem(let problem): problem.detail
    case .timedOut: "the daemon did not answer in time"
    case .unreadable(let what): "the daemon's answer is not understood (\(what)); is it of another version?"
    }
  }
}

/// Talks to the daemon of a data directory.
package final class ControlClient: Sendable {
  private let directory: String
  private let api: ControlFile
  private let session: URLSession

  /// - Throws: ``ControlError/noDaemon(directory:)`` when no daemon has told how to reach it; ``StoreError`` when
  ///   others may read what it told
  package init(directory: String) throws {
    self.directory = directory
    do {
      api = try DataDirectory(directory).readControlFile()
    } catch StoreError.notRunning {
      throw ControlError.noDaemon(directory: directory)
    }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    session = URLSession(configuration: configuration)
  }

  /// Sends a request and returns the body of its answer.
  ///
  /// - Parameter timeoutSeconds: longest wait for an answer
  package func send(
    _ method: String, _ path: String, body: [UInt8]? = nil, timeoutSeconds: Double = 60
  ) async throws -> [UInt8] {
    let request = try request(method, path, body: body, timeoutSeconds: timeoutSeconds)
    let (data, response) = try await reporting { try await session.data(for: request) }
    guard let status = (response as? HTTPURLResponse)?.statusCode else {
      throw ControlError.unreadable("no HTTP")
    }
    guard (200..<300).contains(status) else { throw problem(status, Array(data)) }
    return Array(data)
  }

  /// Sends a request and decodes its answer.
  package func send<Answer: Decodable>(
    _ method: String, _ path: String, body: (any Encodable)? = nil, timeoutSeconds: Double = 60,
    as type: Answer.Type = Answer.self
  ) async throws -> Answer {
    try decode(
      type, await send(method, path, body: body.map { JSON.encode($0) }, timeoutSeconds: timeoutSeconds))
  }

  /// Decodes an answer, or a piece of an event stream.
  package func decode<Answer: Decodable>(_ type: Answer.Type, _ bytes: [UInt8]) throws -> Answer {
    do {
      return try JSON.decode(type, from: bytes)
    } catch {
      throw ControlError.unreadable("\(error)")
    }
  }

  private func request(
    _ method: String, _ path: String, body: [UInt8]?, timeoutSeconds: Double
  ) throws -> URLRequest {
    guard let url = URL(string: api.url + path) else {
      throw ControlError.unreadable("url \(api.url) in api.json")
    }
    var request = URLRequest(url: url, timeoutInterval: timeoutSeconds)
    request.httpMethod = method
    request.setValue("Bearer \(api.token)", forHTTPHeaderField: "Authorization")
    if let body {
      request.setValue("application/json", forHTTPHeaderField: "Content-Type")
      request.httpBody = Data(body)
    }
    return request
  }

  private func reporting<Result>(_ body: () async throws -> Result) async throws -> Result {
    do {
      return try await body()
    } catch let error as URLError {
      throw translated(error)
    }
  }

  fileprivate func translated(_ error: URLError) -> ControlError {
    switch error.code {
    case .timedOut: .timedOut
    case .badURL, .unsupportedURL, .cancelled: .unreadable(error.localizedDescription)
    // Refused, lost, cut in the middle of an answer, or no HTTP: what wrote api.json is gone.
    default: noDaemon
    }
  }

  fileprivate var noDaemon: ControlError { .noDaemon(directory: directory) }

  fileprivate func problem(_ status: Int, _ body: [UInt8]) -> ControlError {
    guard let problem = try? JSON.decode(Problem.self, from: body) else {
      return .unreadable("HTTP status \(status)")
    }
    // A token that does not fit: the daemon that wrote api.json is gone, and its port has found another use.
    return problem.code == .tokenRequired ? noDaemon : .problem(problem)
  }
}

extension ControlClient {
  /// The daemon's event stream. It throws when the daemon goes away, and ends with the task that reads it.
  package func events() throws -> AsyncThrowingStream<ServerSentEvent, any Error> {
    let request = try request("GET", "/v1/events", body: nil, timeoutSeconds: 365 * 86_400)
    return AsyncThrowingStream { continuation in
      let receiver = EventReceiver(client: self, continuation)
      let session = URLSession(configuration: session.configuration, delegate: receiver, delegateQueue: nil)
      let task = session.dataTask(with: request)
      continuation.onTermination = { _ in
        task.cancel()
        session.invalidateAndCancel()
      }
      task.resume()
    }
  }
}

/// Takes an event stream apart as it comes.
private final class EventReceiver: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  private let client: ControlClient
  private let continuation: AsyncThrowingStream<ServerSentEvent, any Error>.Continuation
  // Touched on the session's one delegate queue only.
  private var parser = EventParser()
  private var status = 0

  init(client: ControlClient, _ continuation: AsyncThrowingStream<ServerSentEvent, any Error>.Continuation) {
    self.client = client
    self.continuation = continuation
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    status = (response as? HTTPURLResponse)?.statusCode ?? 0
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    guard status == 200 else {
      continuation.finish(throwing: client.problem(status, Array(data)))
      return
    }
    for event in parser.take(Array(data)) { continuation.yield(event) }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    // The stream has no end of its own: the daemon has stopped.
    continuation.finish(throwing: (error as? URLError).map(client.translated) ?? client.noDaemon)
  }
}

/// Puts server-sent events together from bytes that come in any pieces.
package struct EventParser {
  private var rest: [UInt8] = []

  package init() {}

  /// The events that these bytes complete. Comments and fields unknown here are skipped.
  package mutating func take(_ bytes: [UInt8]) -> [ServerSentEvent] {
    rest += bytes
    var events: [ServerSentEvent] = []
    while let end = rest.indices.first(where: isEndOfEvent) {
      if let event = EventParser.event(String(decoding: rest[..<end], as: UTF8.self)) { events.append(event) }
      rest.removeFirst(end + 2)
    }
    return events
  }

  private func isEndOfEvent(_ index: Int) -> Bool {
    rest[index] == 10 && index + 1 < rest.count && rest[index + 1] == 10
  }

  private static func event(_ text: String) -> ServerSentEvent? {
    var fields: [Substring: String] = [:]
    for line in text.split(separator: "\n") {
      guard let colon = line.firstIndex(of: ":") else { continue }
      let value = line[line.index(after: colon)...]
      fields[line[..<colon]] = String(value.hasPrefix(" ") ? value.dropFirst() : value)
    }
    guard let data = fields["data"] else { return nil }
    return ServerSentEvent(id: fields["id"] ?? "", name: fields["event"] ?? "message", data: data)
  }
}
