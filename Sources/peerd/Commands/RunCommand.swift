import Foundation
import PeerSync
import PeerSyncAvahi
import PeerSyncControl

/// `peerd run`: runs the daemon with its control API until it is told to stop.
struct RunCommand {
  let directory: String
  let options: RunOptions

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
    let daemon = try Daemon(configuration: configuration)
    let environment = try await daemon.read { engine, _ in engine.identity.environment }
    let listen = try await daemon.start()
    isWorking.withLock { $0 = true }
    do {
      let server = try await serve(daemon)
      let ready = Ready(
        listen: listen?.description, http: "http://\(server.address)", environment: environment.rawValue)
      try console.print(ready) { text(ready, console) }
      async let _ = ask(asking, when: daemon)
      for await _ in asked { break }
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
      throw Failure("--store is for the sandbox environment; this device is of \(environment.rawValue)")
    }
    guard options.clockOffset == nil || environment != .production else {
      throw Failure("--clock-offset is for the sandbox and xcode environments; this device is of production")
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

  private func text(_ ready: Ready, _ console: Console) -> String {
    let listen = ready.listen.map { "listening for peers on \($0)" } ?? "not listening for peers"
    return
      "\(console.style.good("ready")): \(listen), control API on \(ready.http), environment \(ready.environment)\n"
  }
}

extension LogOptions {
  var log: Log {
    let levels: [Level: Log.Level] = [.debug: .debug, .info: .info, .warning: .warning, .error: .error]
    return Log(level: levels[level] ?? .info, format: Log.Format(rawValue: format.rawValue) ?? .text)
  }
}
