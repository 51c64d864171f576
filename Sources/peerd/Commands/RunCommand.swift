import Foundation
import PeerSync
import PeerSyncAvahi
import PeerSyncControl

/// `peerd run`: runs the daemon with its control API until it is told to stop.
struct RunCommand {
  let directory: String
  private let options: RunOptions
  /// What the device goes on with, of what it was told now and before.
  private let settings: RunSettings
  private let before: RunSettings
  private let told: RunSettings

  /// - Throws: ``UsageError`` when what is told now does not go with what was told before; ``Failure`` when that is damaged
  init(directory: String, options: RunOptions) throws {
    self.directory = directory
    told = options.told
    before = try SettingsFile(directory).read()
    settings = before.overlaid(by: told)
    do throws(UsageError) {
      self.options = try Grammar.runOptions(settings, and: options)
    } catch {
      guard !before.isEmpty else { throw error }
      // What was told before may be wrong in itself.
      _ = try SettingsFile(directory).options()
      let words = before.words.joined(separator: " ")
      throw UsageError(
        error.told
          + Phrase("; told before: \(words), see `peerd config`", ". 이전 설정: \(words)(`peerd config`)"))
    }
  }

  /// The one line that says the daemon is ready.
  private struct Ready: Encodable {
    let ready = true
    let listen: String?
    let http: String
    let environment: String
  }

  func run(_ console: Console) async throws {
    let (asked, asking) = AsyncStream.makeStream(of: Void.self)
    let isWorking = Guarded(false)
    // Before it works there is nothing to clean up, and what it waits for, as a store that does not answer, may take long.
    let signals = Signals { _ in if isWorking.withLock({ $0 }) { asking.yield() } else { _exit(0) } }
    var configuration = configuration
    try requireSimulation()
    try await connect(&configuration)
    let daemon = try open(configuration)
    let environment = try await daemon.read { engine, _ in engine.identity.environment }
    let listen = try await daemon.start()
    isWorking.withLock { $0 = true }
    keepSettings(configuration.log, daemon.place)
    do {
      let server = try await serve(daemon)
      let ready = Ready(
        listen: listen?.description, http: "http://\(server.address)", environment: environment.rawValue)
      // One line, whoever reads it.
      if console.json {
        try console.print(ready) { "" }
      } else {
        try console.print(
          line: console.style.good(console.words(.ready)) + ": " + console.words(phrase(ready)))
      }
      ServiceManager.notify("READY=1\nSTATUS=\(phrase(ready).text(in: .english))")
      async let _ = ask(asking, when: daemon)
      for await _ in asked { break }
      ServiceManager.notify("STOPPING=1")
      // At the same time: what waits for the daemon fails at once, and the server can end.
      async let stopped: Void = daemon.stop()
      await onThread { server.stop() }
      await stopped
    } catch {
      await daemon.stop()
      try await requireWhole(daemon)
      throw error
    }
    withExtendedLifetime(signals) {}
    try await requireWhole(daemon)
  }

  /// Opens the device. The last line is for people; the log has what SQLite said, for whoever looks after the machine.
  private func open(_ configuration: Daemon.Configuration) throws -> Daemon {
    do { return try Daemon(configuration: configuration) } catch {
      if let words = (error as? StorageError)?.words {
        configuration.log(.error, "the device cannot be opened", ["words": words])
      }
      throw error
    }
  }

  /// Whatever else came of it: that the disk has failed is said already, and is the last line.
  private func requireWhole(_ daemon: Daemon) async throws(ExitStatus) {
    guard await daemon.failure() == nil else { throw .failed }
  }

  /// Asks to stop when the daemon has failed.
  private func ask(_ asking: AsyncStream<Void>.Continuation, when daemon: Daemon) async {
    _ = await daemon.failure()
    asking.yield()
  }

  /// Refuses what is not for a device of this environment, before anybody is asked anything.
  private func requireSimulation() throws {
    guard options.store != nil || options.clockOffset != nil else { return }
    let environment = try Storage.environment(of: DataDirectory(directory))
    guard options.store == nil || environment == .sandbox else {
      throw Failure(
        Phrase(
          "--store is for the sandbox environment; this device is of \(environment.rawValue)",
          "--store 옵션은 sandbox 환경에서만 씁니다. 이 기기의 환경은 \(environment.rawValue)입니다"))
    }
    guard options.clockOffset == nil || environment != .production else {
      throw Failure(
        Phrase(
          "--clock-offset is for the sandbox and xcode environments; this device is of production",
          "--clock-offset 옵션은 sandbox와 xcode 환경에서만 씁니다. 이 기기의 환경은 production입니다"))
    }
  }

  /// Keeps what counts for the next start, and says what counts of before.
  private func keepSettings(_ log: Log, _ place: HeldDirectory) {
    let kept = before.overlaid(by: told.isEmpty ? RunSettings() : told).words.filter {
      !told.words.contains($0)
    }
    if !kept.isEmpty {
      log(
        .info, "going on as before with \(kept.joined(separator: " ")); `peerd config` shows and changes it")
    }
    if options.store == nil, FileSystem.exists(DataDirectory(directory).knownStore) {
      log(
        .warning,
        "this device has used a sandbox store and is started without one, so it signs for itself: "
          + "`peerd config store URL` gives it one again")
    }
    guard settings != before else { return }
    do throws(StorageError) { try SettingsFile(directory).write(settings, in: place) } catch {
      log(.warning, "cannot save these settings for the next start: \(error)")
    }
  }

  private func connect(_ configuration: inout Daemon.Configuration) async throws {
    guard let server = options.store else { return }
    let (client, isReached) = try await StoreClient.meet(
      server, account: options.account, DataDirectory(directory))
    configuration.store = client
    if !isReached {
      configuration.log(.warning, "the store at http://\(server.address) cannot be reached yet")
    }
  }

  private var configuration: Daemon.Configuration {
    Daemon.Configuration(
      directory: directory, listen: options.listen, peers: options.peers,
      discovery: options.discovers ? .avahi : nil, interface: options.interface,
      announcesAddresses: options.announces,
      clockOffset: options.clockOffset ?? 0,
      log: options.log.log)
  }

  private func serve(_ daemon: Daemon) async throws -> HTTPServer {
    let token = Draws.token()
    let server = try HTTPServer(
      address: options.http,
      application: ControlAPI(daemon: daemon, token: token, draw: Draws.number).application)
    try await daemon.publish(url: "http://\(server.address)", token: token)
    return server
  }

  private func phrase(_ ready: Ready) -> Phrase {
    .serves(ready.listen, http: ready.http, environment: ready.environment)
  }
}

extension LogOptions {
  var log: Log {
    let levels: [Level: Log.Level] = [.debug: .debug, .info: .info, .warning: .warning, .error: .error]
    let form = format == .text && ServiceManager.keepsStandardError() ? Log.Format.journal : nil
    let chosen = form ?? Log.Format(rawValue: format.rawValue) ?? .text
    let screen = Screen.errors()
    guard chosen == .text, screen.isTerminal else {
      return Log(level: levels[level] ?? .info, format: chosen)
    }
    return Log(level: levels[level] ?? .info, format: chosen) { screen.show($0, hanging: 2) }
  }
}
