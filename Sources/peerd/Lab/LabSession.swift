import PeerSync
import PeerSyncControl
import PeerSyncSimulation

/// One session in the laboratory: what was played, and the processes that it is played by.
struct LabSession {
  private let board: LabBoard
  private let directory: LabDirectory?
  private let lab: LabStage
  private var runner: ScenarioRunner<LabStage>
  /// What was played, and what came of it.
  private var played: [PersistedLab.Line] = []
  private var isOpen = false
  /// Which device bought what was bought under a name.
  private var buyers: [String: String] = [:]
  /// Those who listen to devices, by the id of the process.
  private var listeners: [String: (process: Int32, task: Task<Void, Never>)] = [:]

  private var stage: ProcessStage { lab.real }
  private var lines: [String] { played.map(\.text) }

  init(_ board: LabBoard, in directory: LabDirectory?) throws {
    (self.board, self.directory) = (board, directory)
    let stage = try directory.map { try ProcessStage(in: $0.path) } ?? ProcessStage(for: "lab")
    lab = LabStage(stage, directory?.kept?.devices ?? [])
    runner = ScenarioRunner(try Scenario("", file: "lab"), on: lab)
  }

  func finish() {
    for listener in listeners.values { listener.task.cancel() }
    try? keep()
    stage.finish()
  }

  /// Goes on where the laboratory was left, or begins a new one.
  ///
  /// - Parameter opening: the lines that a new one begins with
  mutating func open(_ opening: [String]) async throws {
    if let kept = directory?.kept {
      try await goOn(with: kept)
    } else {
      for line in opening { try await play(line) }
    }
    isOpen = true
    try keep()
  }

  private mutating func goOn(with kept: PersistedLab) async throws {
    for line in kept.lines {
      let step = try read(line.text)
      note(step.step)
      lab.begin(line.answers)
      // What did not go as it said went so before.
      if !step.step.isExpectation { try? await runner.perform(step) }
      played.append(line)
    }
    try await lab.goOn(at: kept.now)
    await look()
  }

  /// Writes down how things are, where the laboratory stays.
  private func keep() throws {
    guard let directory else { return }
    let now = Instant.present.advanced(byMilliseconds: stage.ahead)
    try directory.keep(PersistedLab(isOpen: isOpen, lines: played, devices: lab.devices, now: now))
  }

  mutating func play(_ text: String) async throws(ScenarioError) {
    guard lines.count < Laboratory.linesLimit else {
      throw Laboratory.failure(
        Phrase(
          "a laboratory plays at most \(Laboratory.linesLimit) lines: save its story, and begin another one",
          "실험실에서는 최대 \(Laboratory.linesLimit)줄까지 재생합니다. 스토리를 저장하고 새로 시작하세요"))
    }
    let step = try read(text)
    board.update {
      $0.busy = step.text
      $0.problem = nil
    }
    defer { board.update { $0.busy = nil } }
    note(step.step)
    stage.refusal = nil
    do {
      try await settleBefore(step)
      lab.begin(nil)
      try await runner.perform(step)
      played.append(PersistedLab.Line(text: step.text, answers: lab.answers))
    } catch {
      // It was ordered, and something else came of it than a purchase: so it has to be told.
      let outcome = unexpected(step.step)
      if let outcome {
        played.append(PersistedLab.Line(text: "\(step.text) \(outcome.rawValue)", answers: lab.answers))
      }
      await look()
      guard outcome != nil else {
        guard let refusal = stage.refusal?.told else { throw error }
        // The page shows what was refused by itself.
        throw ScenarioError(
          file: error.file, line: error.line,
          problem: ScenarioProblem("\(error.problem)", refusal.text(in: .korean)))
      }
      return try kept()
    }
    await look()
    try kept()
  }

  private func kept() throws(ScenarioError) {
    do { try keep() } catch {
      throw Laboratory.failure(
        Phrase("the line was played, and could not be written down: ", "줄을 재생했으나 기록하지 못했습니다: ")
          + Phrase(error))
    }
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
    guard text.utf8.count <= Laboratory.lineBytes, !text.contains(where: \.isNewline) else {
      throw Laboratory.failure(
        Phrase(
          "a line of a story has at most \(Laboratory.lineBytes) bytes",
          "스토리의 한 줄은 최대 \(Laboratory.lineBytes)바이트입니다"))
    }
    let story = String(repeating: "\n", count: lines.count) + text
    guard let step = try Scenario(story, file: "lab").steps.first else {
      throw Laboratory.failure(
        Phrase("there is nothing to do in an empty line", "빈 줄에는 할 일이 없습니다"))
    }
    return step
  }

  /// Between what people do, devices have met: a replay waits for it where they had when the next thing was done.
  private mutating func settleBefore(_ step: Scenario.NumberedStep) async throws(ScenarioError) {
    guard let last = lines.last, last != "settle", !stage.devices.isEmpty, step.step != .settle else {
      return
    }
    guard (try? await stage.isSettled()) == true else { return }
    played.append(PersistedLab.Line(text: "settle", answers: []))
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
    let named = runner.purchases
    let purchases = named.enumerated().map { index, purchase in
      LabState.Purchase(purchase, after: named[..<index], by: buyers[purchase.name] ?? "", in: store)
    }
    board.note(lead: stage.ahead)
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
    guard step.purchaseOutcome == .purchased else { return nil }
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
