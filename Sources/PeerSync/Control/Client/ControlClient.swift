import Foundation
import PeerSync

/// Why a client got no answer from a daemon.
package enum ControlError: Error, CustomStringConvertible {
  /// No daemon runs on the data directory.
  case noDaemon(directory: String)
  /// No sandbox store runs on the data directory.
  case noStore(directory: String)
  /// The daemon said no.
  case problem(Problem)
  /// No answer came in time.
  case timedOut
  /// What came was not an answer of a daemon.
  case unreadable(Phrase)

  package var description: String { told.text(in: .english) }
}

extension ControlError: ToldError {
  package var told: Phrase {
    switch self {
    case .noDaemon(let directory):
      Phrase(
        "no daemon is running on \(directory); start one with: peerd run --data \(directory)",
        "\(directory)에서 실행 중인 데몬이 없습니다. 시작하려면: peerd run --data \(directory)")
    case .noStore(let directory):
      Phrase(
        "no sandbox store is running on \(directory); start one with: peerd store --data \(directory)",
        "\(directory)에서 실행 중인 샌드박스 스토어가 없습니다. 시작하려면: peerd store --data \(directory)")
    case .problem(let problem): problem.told
    case .timedOut: Phrase("the daemon did not answer in time", "데몬이 제때 응답하지 않았습니다")
    case .unreadable(let what):
      Phrase("the daemon's answer is not understood (", "데몬의 응답을 이해할 수 없습니다(") + what
        + Phrase("); is it of another version?", "). 버전이 다른지 확인하세요")
    }
  }
}

/// Talks to the daemon of a data directory. Each request has a connection of its own.
package final class ControlClient: Sendable {
  private let api: ControlFile
  private let address: Address
  /// What to say when nobody is there.
  private let noDaemon: ControlError
  /// Whether the database was taken away. A daemon that still runs answers, until it writes.
  package let isWithoutDatabase: Bool

  /// - Parameter isStore: whether it is the directory of a sandbox store
  /// - Throws: ``ControlError/noDaemon(directory:)`` when no daemon has told how to reach it; ``StorageError`` when
  ///   others may read what it told
  package init(directory: String, isStore: Bool = false) throws {
    noDaemon = isStore ? .noStore(directory: directory) : .noDaemon(directory: directory)
    let directory = DataDirectory(directory)
    api = try Self.file(of: directory, orElse: noDaemon)
    let hasDatabase = FileSystem.exists(isStore ? directory.sandboxDatabase : directory.database)
    // What runs there is of the other kind.
    guard hasDatabase || !FileSystem.exists(isStore ? directory.database : directory.sandboxDatabase)
    else { throw noDaemon }
    guard api.url.hasPrefix("http://"), let address = Address(String(api.url.dropFirst("http://".count)))
    else {
      throw ControlError.unreadable(.same("url \(api.url), api.json"))
    }
    self.address = address
    isWithoutDatabase = !hasDatabase
  }

  private static func file(of directory: DataDirectory, orElse noDaemon: ControlError) throws -> ControlFile {
    do { return try directory.readControlFile() } catch StorageError.notRunning { throw noDaemon }
  }

  /// The address of its page, with the token where no server sees it.
  package var page: String { "\(api.url)/#\(api.token)" }

  /// Sends a request and returns the body of its answer.
  ///
  /// - Parameter timeoutSeconds: longest wait for an answer
  package func send(
    _ method: String, _ path: String, body: [UInt8]? = nil, timeoutSeconds: Double = 60
  ) async throws -> [UInt8] {
    let request = LoopbackConnection.request(method, path, to: address, token: api.token, body: body)
    return try await onThread { try self.reporting { try self.exchange(request, timeoutSeconds) } }
  }

  /// Sends a request and decodes its answer.
  package func send<Answer: Decodable>(
    _ method: String, _ path: String, body: (any Encodable)? = nil, timeoutSeconds: Double = 60,
    as type: Answer.Type = Answer.self
  ) async throws -> Answer {
    try decode(
      type, await send(method, path, body: body.map { JSON.encode($0) }, timeoutSeconds: timeoutSeconds))
  }

  /// All transactions that the device knows, oldest first, page by page.
  ///
  /// - Parameter limit: most of them in one page
  package func transactions(limit: Int = Daemon.mostListed) async throws -> [TransactionAnswer] {
    var transactions: [TransactionAnswer] = []
    var next: String?
    repeat {
      let after = next.map { "&after=\($0.asPathPart)" } ?? ""
      let page: TransactionsAnswer = try await send("GET", "/v1/transactions?limit=\(limit)\(after)")
      transactions += page.transactions
      next = page.next
    } while next != nil
    return transactions
  }

  /// Decodes an answer, or a piece of an event stream.
  package func decode<Answer: Decodable>(_ type: Answer.Type, _ bytes: [UInt8]) throws -> Answer {
    do {
      return try JSON.decode(type, from: bytes)
    } catch {
      throw ControlError.unreadable(JSON.told(error))
    }
  }

  /// The daemon's event stream. It throws when the daemon goes away, and ends with whoever reads it.
  ///
  /// - Parameter query: what stands behind the question mark
  package func events(_ query: String = "") throws -> AsyncThrowingStream<ServerSentEvent, any Error> {
    let connection = try reporting { try LoopbackConnection(to: address, timeoutSeconds: nil) }
    let request = LoopbackConnection.request("GET", "/v1/events?" + query, to: address, token: api.token)
    return AsyncThrowingStream { continuation in
      continuation.onTermination = { _ in connection.shutDown() }
      Thread.detachNewThread {
        do {
          try self.reporting { try self.follow(connection, request) { continuation.yield($0) } }
          // The stream has no end of its own: the daemon has stopped.
          continuation.finish(throwing: self.noDaemon)
        } catch { continuation.finish(throwing: error) }
      }
    }
  }

  private func reporting<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let failure as LoopbackConnection.Failure {
      throw failure == .timedOut ? ControlError.timedOut : noDaemon
    } catch is ResponseParser.Malformed {
      throw ControlError.unreadable(Phrase("no HTTP", "HTTP가 아님"))
    }
  }
}

extension ControlClient {
  private func exchange(_ request: [UInt8], _ timeoutSeconds: Double) throws -> [UInt8] {
    let (status, body) = try LoopbackConnection(to: address, timeoutSeconds: timeoutSeconds).exchange(request)
    guard (200..<300).contains(status) else { throw problem(status, body) }
    return body
  }

  private func follow(
    _ connection: LoopbackConnection, _ request: [UInt8], _ body: (ServerSentEvent) -> Void
  ) throws {
    var events = EventParser()
    try connection.exchange(request) { status, piece in
      guard status == 200 else { throw problem(status, piece) }
      for event in events.take(piece) { body(event) }
    }
  }

  private func problem(_ status: Int, _ body: [UInt8]) -> ControlError {
    guard let problem = try? JSON.decode(Problem.self, from: body) else {
      return .unreadable(.same("HTTP \(status)"))
    }
    switch problem.code {
    // A token that does not fit: the daemon that wrote api.json is gone, and its port has found another use.
    case .tokenRequired: return noDaemon
    // It answers its last requests. A moment later nobody would have.
    case .stopping: return noDaemon
    default: return .problem(problem)
    }
  }
}
