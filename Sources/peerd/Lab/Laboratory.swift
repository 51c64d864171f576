import PeerSync
import PeerSyncControl
import PeerSyncSimulation

/// Devices, a store and the links between them, on which one line of a story is played after another as a person asks for it.
final class Laboratory: Sendable {
  /// Longest line that is taken, in bytes.
  static let lineBytes = 1000
  /// Most lines of one session: more would be no story that anybody reads.
  static let linesLimit = 10_000

  /// How things stand.
  let board = LabBoard()

  private let orders: AsyncStream<Order>
  private let ordering: AsyncStream<Order>.Continuation

  /// What somebody wants done.
  private enum Order: Sendable {
    /// A line is to be played. The reply says what went wrong; nil: nothing.
    case play(String, reply: @Sendable (ScenarioError?) -> Void)
    /// What was done and is seen is to be told as a story; nil: it cannot be.
    case record(reply: @Sendable (String?) -> Void)
    /// The same is to be played by new devices, in virtual time and by real processes.
    case replay(reply: @Sendable ([Rehearsal]?) -> Void)
    /// A story is to be played by other devices in virtual time.
    case open(Scenario, reply: @Sendable (Rehearsal?) -> Void)
  }

  /// Where it stays; nil: nothing of it does.
  private let directory: LabDirectory?

  /// - Parameter directory: where it stays, and perhaps was before; nil: nothing of it stays
  init(in directory: LabDirectory? = nil) {
    self.directory = directory
    (orders, ordering) = AsyncStream.makeStream()
  }

  /// Plays a line, after those that wait.
  ///
  /// - Throws: ``ScenarioError`` when it is no line of a story, cannot be done, or did not go as it says
  func play(_ text: String) async throws(ScenarioError) {
    let problem = await withCheckedContinuation { continuation in
      let order = Order.play(text) { continuation.resume(returning: $0) }
      if case .enqueued = ordering.yield(order) { return }
      continuation.resume(returning: Laboratory.failure(Phrase("the laboratory is closing", "실험실이 끝나는 중입니다")))
    }
    if let problem { throw problem }
  }

  /// What was done and is seen, as a story, once the lines that wait are played.
  func recording() async throws(ScenarioError) -> String { try await order { .record(reply: $0) } }

  /// Plays ``recording()`` with new devices, in virtual time and by real processes.
  func replay() async throws(ScenarioError) -> [Rehearsal] { try await order { .replay(reply: $0) } }

  /// Plays a story with devices of its own in virtual time, and tells what each showed after each line. The laboratory stays as it is.
  ///
  /// - Throws: ``ScenarioError`` for what is no story, and for one that is too long
  func open(_ story: String, named name: String) async throws(ScenarioError) -> Rehearsal {
    let isName = (1...100).contains(name.utf8.count) && !name.contains(where: \.isNewline)
    guard isName, story.utf8.count <= LabStories.bytes else {
      throw Laboratory.failure(
        Phrase(
          "a story has a name of at most 100 bytes and at most \(LabStories.bytes) bytes",
          "스토리의 이름은 100바이트 이하, 내용은 \(LabStories.bytes)바이트 이하입니다"))
    }
    let scenario: Scenario
    do throws(ScenarioError) { scenario = try Scenario(story, file: name) } catch {
      throw Laboratory.failure(error.told)
    }
    guard (1...LabStories.stepsLimit).contains(scenario.steps.count) else {
      throw Laboratory.failure(
        Phrase(
          "a story has 1 to \(LabStories.stepsLimit) lines in which something happens",
          "스토리에는 무언가 일어나는 줄이 1~\(LabStories.stepsLimit)개 있습니다"))
    }
    return try await order { .open(scenario, reply: $0) }
  }

  private func order<Answer: Sendable>(
    _ order: (@escaping @Sendable (Answer?) -> Void) -> Order
  ) async throws(ScenarioError) -> Answer {
    let answer = await withCheckedContinuation { continuation in
      let order = order { continuation.resume(returning: $0) }
      if case .enqueued = ordering.yield(order) { return }
      continuation.resume(returning: nil)
    }
    guard let answer else {
      throw Laboratory.failure(
        Phrase(
          "the laboratory is closing, or the story cannot be played", "실험실이 끝나는 중이거나 스토리를 재생할 수 없습니다"))
    }
    return answer
  }

  /// What a running device answers to a question of its control API.
  ///
  /// - Parameter path: below `/v1/`
  func answer(of name: String, to path: String) async throws -> [UInt8] {
    let isPath = path.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } && path.utf8.count <= Laboratory.lineBytes
    guard let directory = board.directory(of: name), isPath, path.hasPrefix("/v1/"),
      !path.hasPrefix("/v1/events")
    else {
      throw Problem(
        .notFound,
        Phrase(
          "a running device and a path below /v1/ are needed, not \(name.prefix(64))",
          "실행 중인 기기와 /v1/ 아래의 경로가 필요합니다. 지정한 기기: ‘\(name.prefix(64))’"))
    }
    return try await ControlClient(directory: directory).send("GET", path)
  }

  /// No line is taken any more; ``run(_:)`` ends.
  func close() {
    ordering.finish()
    board.close()
  }

  /// Takes lines until it is closed.
  ///
  /// - Parameter opening: the lines that a new one begins with
  /// - Throws: ``ScenarioError`` when one of those cannot be played
  func run(_ opening: [String], _ began: () throws -> Void) async throws {
    var session = try LabSession(board, in: directory)
    defer { session.finish() }
    try await session.open(opening)
    try began()
    for await order in orders {
      switch order {
      case .play(let text, let reply):
        do throws(ScenarioError) {
          try await session.play(text)
          reply(nil)
        } catch {
          board.update { $0.problem = error.problem.description }
          reply(error)
        }
      case .record(let reply): reply(await session.recording())
      case .replay(let reply): reply(try? await session.replay())
      case .open(let scenario, let reply):
        var rehearsal = Rehearsal(scenario, seed: 7)
        reply((try? await rehearsal.play()).map { rehearsal })
      }
    }
  }

  static func failure(_ problem: Phrase) -> ScenarioError {
    ScenarioError(file: "lab", line: 0, problem: ScenarioProblem(problem))
  }
}
