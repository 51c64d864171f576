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

  /// A line that somebody wants played.
  private struct Order: Sendable {
    let text: String
    /// Called with what went wrong; nil: nothing.
    let reply: @Sendable (ScenarioError?) -> Void
  }

  init() { (orders, ordering) = AsyncStream.makeStream() }

  /// Plays a line, after those that wait.
  ///
  /// - Throws: ``ScenarioError`` when it is no line of a story, cannot be done, or did not go as it says
  func play(_ text: String) async throws(ScenarioError) {
    let problem = await withCheckedContinuation { continuation in
      let order = Order(text: text) { continuation.resume(returning: $0) }
      if case .enqueued = ordering.yield(order) { return }
      order.reply(Laboratory.failure("the laboratory is closing"))
    }
    if let problem { throw problem }
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
      do throws(ScenarioError) {
        try await session.play(order.text)
        order.reply(nil)
      } catch {
        board.update { $0.problem = error.problem }
        order.reply(error)
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
  /// Those who listen to devices, by the id of the process.
  private var listeners: [String: (process: Int32, task: Task<Void, Never>)] = [:]

  init(_ board: LabBoard) throws {
    self.board = board
    stage = try ProcessStage()
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
    do {
      try await settleBefore(step)
      try await runner.perform(step)
    } catch {
      await look()
      throw error
    }
    lines.append(step.text)
    await look()
    note(step.step)
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
        hasBackup: device.backup != nil, status: nil)
    }
    let links = stage.devices.indices.flatMap { right in
      (0..<right).map { left in
        LabState.Link(
          left: devices[left].name, right: devices[right].name, isCut: stage.network.condition(left, right) == .cut)
      }
    }
    let products = runner.products.map { product in
      LabState.Item(
        id: product.id, type: product.type?.rawValue, line: product.line, credit: product.credit,
        period: product.period?.description)
    }
    board.update { [lines] state in
      state.story = lines
      state.devices = devices
      state.links = links
      state.products = products
    }
  }

  private func note(_ step: ScenarioStep) {
    guard case .orders(let device, let order) = step, let name = order.name else { return }
    board.update {
      $0.purchases.append(LabState.Purchase(name: name, product: order.product, device: device))
    }
  }

  /// Listens to each device that runs, and to each process of it once.
  private mutating func listen() {
    for device in stage.devices {
      guard let process = device.process.id, listeners[device.name]?.process != process else { continue }
      listeners[device.name]?.task.cancel()
      let (name, directory) = (device.name, device.process.directory)
      listeners[name] = (
        process,
        Task { [board] in
          // It ends with the daemon. The next one has a listener of its own.
          guard let client = try? ControlClient(directory: directory),
            let events = try? client.events("full=true")
          else { return }
          do {
            for try await event in events where event.name == "changed" {
              board.note(try client.decode(ChangeAnswer.self, Array(event.data.utf8)).status, of: name)
            }
          } catch {}
          if !Task.isCancelled { board.note(nil, of: name) }
        }
      )
    }
  }
}
