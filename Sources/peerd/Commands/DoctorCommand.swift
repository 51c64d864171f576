import Foundation
import PeerSync
import PeerSyncControl

/// `peerd doctor`: checks the set-up of a device, with and without a running daemon. It changes nothing.
struct DoctorCommand {
  let directory: String

  /// What was looked at, how it is, and what to do about it.
  struct Check: Encodable, Equatable {
    enum State: String, Encodable { case ok, warning, failure }

    let id: String
    let state: State
    let detail: String
    /// Null where nothing has to be done.
    @Nullable var remedy: String?

    static func ok(_ id: String, _ detail: String) -> Check {
      Check(id: id, state: .ok, detail: detail, remedy: nil)
    }

    static func warning(_ id: String, _ detail: String, _ remedy: String) -> Check {
      Check(id: id, state: .warning, detail: detail, remedy: remedy)
    }

    static func failure(_ id: String, _ detail: String, _ remedy: String) -> Check {
      Check(id: id, state: .failure, detail: detail, remedy: remedy)
    }
  }

  private struct Result: Encodable {
    let checks: [Check]
  }

  func run(_ console: Console) async throws {
    let checks = await checks(console)
    try console.print(Result(checks: checks)) { text(checks, console) }
    guard !checks.contains(where: { $0.state == .failure }) else { throw ExitStatus.failed }
  }

  private func checks(_ console: Console) async -> [Check] {
    let place = DirectoryChecks(directory: DataDirectory(directory))
    let first = [place.device]
    guard first.allSatisfy({ $0.state != .failure }) else { return first + [place.space] }
    let settings: RunOptions?
    var settled: [Check] = []
    do {
      settings = try RunCommand.settled(directory)
    } catch {
      settings = nil
      settled = [.failure("settings", "\(error)", "mend or remove \(SettingsFile(directory).path)")]
    }
    let answer = await answer()
    var status: StatusAnswer?
    var daemon = Check.ok("daemon", "none is running; what only it can tell is left out")
    switch answer {
    case .success(let found): (status, daemon) = (found, .ok("daemon", "it runs, and answers"))
    case .failure(ControlError.noDaemon): break
    case .failure(let error):
      daemon = .failure("daemon", "it does not answer as it should: \(error)", "stop it and start it again")
    }
    let network = NetworkChecks(
      listen: status?.listen.flatMap { Address($0) } ?? settings?.listen, isRunning: status != nil,
      discovers: settings?.discovers ?? false, interface: settings?.interface)
    return first + settled + [place.space, daemon] + (status == nil ? [place.database] : []) + network.all
      + [ClockChecks.machine] + (await store(settings))
      + (status.map { GroupChecks(status: $0, console: console).all } ?? [])
      + [.ok("version", "peerd \(Version.current)")]
  }

  /// How the daemon says things stand.
  private func answer() async -> Swift.Result<StatusAnswer, any Error> {
    do {
      return .success(
        try await ControlClient(directory: directory).send("GET", "/v1/status", timeoutSeconds: 5))
    } catch { return .failure(error) }
  }

  /// The sandbox store that it uses.
  private func store(_ settings: RunOptions?) async -> [Check] {
    guard let server = settings?.store else { return [] }
    do {
      _ = try await StoreClient(server: server, account: nil).facts()
      return [.ok("store", "the store at http://\(server.address) answers")]
    } catch {
      return [
        .warning(
          "store", "the store at http://\(server.address) does not answer", "start it with `peerd store`")
      ]
    }
  }

  private func text(_ checks: [Check], _ console: Console) -> String {
    checks.map { check in
      let mark =
        switch check.state {
        case .ok: console.style.good("ok     ")
        case .warning: console.style.warning("warning")
        case .failure: console.style.bad("failure")
        }
      return "\(mark)  \(check.id): \(Table.harmless(check.detail))\n"
        + (check.remedy.map { "         \(Table.harmless($0))\n" } ?? "")
    }.joined()
  }
}

extension RunCommand {
  /// What a run without options would go on with.
  static func settled(_ directory: String) throws -> RunOptions {
    let rest = RunOptions(
      http: Address(host: "127.0.0.1", port: 0), peers: [], discovers: false,
      log: LogOptions(format: .text, level: .info))
    return try Grammar.runOptions(try SettingsFile(directory).read(), and: rest)
  }
}
