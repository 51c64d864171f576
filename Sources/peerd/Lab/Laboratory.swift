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

  init() { (orders, ordering) = AsyncStream.makeStream() }

  /// Plays a line, after those that wait.
  ///
  /// - Throws: ``ScenarioError`` when it is no line of a story, cannot be done, or did not go as it says
  func play(_ text: String) async throws(ScenarioError) {
    let problem = await withCheckedContinuation { continuation in
      let order = Order.play(text) { continuation.resume(returning: $0) }
      if case .enqueued = ordering.yield(order) { return }
      continuation.resume(returning: Laboratory.failure("the laboratory is closing"))
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
        "a story has a name of at most 100 bytes and at most \(LabStories.bytes) bytes")
    }
    let scenario: Scenario
    do throws(ScenarioError) { scenario = try Scenario(story, file: name) } catch {
      throw Laboratory.failure(error.description)
    }
    guard (1...LabStories.stepsLimit).contains(scenario.steps.count) else {
      throw Laboratory.failure("a story has 1 to \(LabStories.stepsLimit) lines in which something happens")
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
      throw Laboratory.failure("the laboratory is closing, or the story cannot be played")
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
      throw Problem(.notFound, "a running device and a path below /v1/ are needed, not \(name.prefix(64))")
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
  /// - Parameter opening: the lines to begin with
  /// - Throws: ``ScenarioError`` when one of those cannot be played
  func run(_ opening: [String], _ began: () throws -> Void) async throws {
    var session = try LabSession(board)
    defer { session.finish() }
    for line in opening { try await session.play(line) }
    try began()
    for await order in orders {
      switch order {
      case .play(let text, let reply):
        do throws(ScenarioError) {
          try await session.play(text)
          reply(nil)
        } catch {
          board.update { $0.problem = error.problem }
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

  static func failure(_ problem: String) -> ScenarioError {
    ScenarioError(file: "lab", line: 0, problem: problem)
  }
}

/// One session in the laboratory: what was played, and the processes that it is played by.
private struct LabSession {
  private let board: LabBoard
  private let stage: ProcessStage
  private var runner: ScenarioRunner<ProcessStage>
  private var lines: [String] = []
  /// Which device bought what was bought under a name.
  private var buyers: [String: String] = [:]
  /// Those who listen to devices, by the id of the process.
  private var listeners: [String: (process: Int32, task: Task<Void, Never>)] = [:]

  init(_ board: LabBoard) throws {
    self.board = board
    stage = try ProcessStage(for: "lab")
    runner = ScenarioRunner(try Scenario("", file: "lab"), on: stage)
  }

  func finish() {
    for listener in listeners.values { listener.task.cancel() }
    stage.finish()
  }

  mutating func play(_ text: String) async throws(ScenarioError) {
    let step = try read(text)
    board.update {
      $0.busy = step.text
      $0.problem = nil
    }
    defer { board.update { $0.busy = nil } }
    note(step.step)
    do {
      try await settleBefore(step)
      try await runner.perform(step)
      lines.append(step.text)
    } catch {
      // It was ordered, and something else came of it than a purchase: so it has to be told.
      let outcome = unexpected(step.step)
      if let outcome { lines.append("\(step.text) \(outcome.rawValue)") }
      await look()
      guard outcome != nil else { throw error }
      return
    }
    await look()
  }

  /// Plays what was recorded with new devices.
  func replay() async throws -> [Rehearsal] {
    let scenario = try Scenario(await recording(), file: "lab-story.txt")
    board.update { $0.busy = "peerd rehearse lab-story.txt" }
    defer { board.update { $0.busy = nil } }
    var rehearsals = [Rehearsal(scenario, seed: 7), Rehearsal(scenario, seed: nil)]
    for index in rehearsals.indices { try await rehearsals[index].play() }
    return rehearsals
  }

  /// What was done and is seen, as a story: of devices that have come to rest, if they do soon.
  func recording() async -> String {
    let isSettled = try? await stage.look(within: 5) {
      try await stage.isSettled()
    } until: {
      $0
    }
    var state = board.now.state
    for index in state.devices.indices where state.devices[index].isRunning {
      state.devices[index].take(try? await stage.devices[index].status())
    }
    let removed = stage.devices.indices.filter { stage.network.isRemoved($0) }.map { stage.devices[$0].name }
    return state.recording(isSettled: isSettled ?? false, removed: Set(removed))
  }

  private func read(_ text: String) throws(ScenarioError) -> Scenario.NumberedStep {
    guard text.utf8.count <= Laboratory.lineBytes, lines.count < Laboratory.linesLimit,
      !text.contains(where: \.isNewline)
    else { throw Laboratory.failure("a line of a story has at most \(Laboratory.lineBytes) bytes") }
    let story = String(repeating: "\n", count: lines.count) + text
    guard let step = try Scenario(story, file: "lab").steps.first else {
      throw Laboratory.failure("there is nothing to do in an empty line")
    }
    return step
  }

  /// Between what people do, devices have met: a replay waits for it where they had when the next thing was done.
  private mutating func settleBefore(_ step: Scenario.NumberedStep) async throws(ScenarioError) {
    guard let last = lines.last, last != "settle", !stage.devices.isEmpty, step.step != .settle else {
      return
    }
    guard (try? await stage.isSettled()) == true else { return }
    lines.append("settle")
  }

  /// Shows what there is now.
  private mutating func look() async {
    listen()
    let running = Set(runner.runningDevices.map(\.name))
    let devices = stage.devices.map { device in
      LabState.Device(
        name: device.name, isRunning: running.contains(device.name), clockOffset: device.skew,
        hasBackup: device.backup != nil, account: device.account, status: nil)
    }
    let links = stage.devices.indices.flatMap { right in
      (0..<right).map { left in
        LabState.Link(
          left: devices[left].name, right: devices[right].name,
          condition: stage.network.condition(left, right).word)
      }
    }
    let sold = try? await stage.sandboxStore?.products()
    let products = runner.products.byProduct.compactMap(\.last).map { product in
      LabState.Item(product, sold: sold?.products.first { Name($0.id) == Name(product.id) })
    }
    let store = try? await stage.sandboxStore?.state()
    let purchases = runner.purchases.map {
      LabState.Purchase($0, by: buyers[$0.name] ?? "", in: store)
    }
    board.update { [lines] state in
      state.story = lines
      state.store = store
      state.purchases = purchases
      state.devices = devices
      state.links = links
      state.products = products
    }
  }

  private mutating func note(_ step: ScenarioStep) {
    if case .orders(let device, let order) = step, let name = order.name { buyers[name] = device }
  }

  /// What came of a purchase that did not go through, and was to; nil: it went through, or was none.
  private func unexpected(_ step: ScenarioStep) -> ScenarioOrder.Outcome? {
    switch step {
    case .orders(_, let order) where order.outcome == .purchased: break
    case .demands(_, _, .purchased): break
    default: return nil
    }
    return runner.outcome == .purchased ? nil : runner.outcome
  }

  /// Listens to each device that runs, and to each process of it once.
  private mutating func listen() {
    for device in stage.devices {
      guard let process = device.process.id, listeners[device.name]?.process != process else { continue }
      listeners[device.name]?.task.cancel()
      board.note(directory: device.process.directory, of: device.name)
      let (name, directory) = (device.name, device.process.directory)
      listeners[name] = (
        process,
        Task { [board] in
          // It ends with the daemon. The next one has a listener of its own.
          guard let client = try? ControlClient(directory: directory) else { return }
          async let crossings: Void = Self.listen(to: client, "traffic=true", for: "traffic") {
            board.note($0 as TrafficAnswer, to: name)
          }
          async let statuses: Void = Self.listen(to: client, "full=true", for: "changed") {
            board.note(($0 as ChangeAnswer).status, of: name)
          }
          _ = await (try? crossings, try? statuses)
          if !Task.isCancelled { board.note(nil, of: name) }
        }
      )
    }
  }

  /// Takes the events of a name, until the daemon ends.
  private static func listen<Answer: Decodable>(
    to client: ControlClient, _ query: String, for name: String, _ take: @Sendable (Answer) -> Void
  ) async throws {
    for try await event in try client.events(query) where event.name == name {
      take(try client.decode(Answer.self, Array(event.data.utf8)))
    }
  }
}
