import Foundation
import PeerSync
import PeerSyncControl

/// `peerd doctor`: checks the set-up of a device, with and without a running daemon. It changes nothing.
struct DoctorCommand {
  let directory: String

  /// What was looked at, how it is, and what to do about it.
  struct Check: Equatable {
    enum State: String, Encodable { case ok, warning, failure }

    let id: String
    let state: State
    let detail: Phrase
    /// Nil where nothing has to be done, or what is found says it.
    var remedy: Phrase?
    /// What `--json` says in the place of ``detail``: it has room for the words of SQLite.
    var words: String?

    static func ok(_ id: String, _ detail: Phrase) -> Check { Check(id: id, state: .ok, detail: detail) }

    static func warning(_ id: String, _ detail: Phrase, _ remedy: Phrase) -> Check {
      Check(id: id, state: .warning, detail: detail, remedy: remedy)
    }

    static func failure(_ id: String, _ detail: Phrase, _ remedy: Phrase) -> Check {
      Check(id: id, state: .failure, detail: detail, remedy: remedy)
    }

    static func failure(_ id: String, _ error: any Error, _ remedy: Phrase) -> Check {
      var check = failure(id, Phrase(error), remedy)
      check.words = (error as? StorageError)?.description
      return check
    }
  }

  /// What `--json` prints: in English, like every document for programs.
  private struct Result: Encodable {
    let checks: [Entry]

    struct Entry: Encodable {
      let id: String
      let state: Check.State
      let detail: String
      /// Null where nothing has to be done.
      @Nullable var remedy: String?

      init(_ check: Check) {
        (id, state, detail) = (
          check.id, check.state, check.words ?? check.detail.text(in: .english)
        )
        _remedy = Nullable(wrappedValue: check.remedy?.text(in: .english))
      }
    }
  }

  func run(_ console: Console) async throws {
    let checks = await checks(console)
    try console.print(Result(checks: checks.map(Result.Entry.init))) { text(checks, console) }
    guard !checks.contains(where: { $0.state == .failure }) else { throw ExitStatus.failed }
  }

  private func checks(_ console: Console) async -> [Check] {
    let place = DirectoryChecks(directory: DataDirectory(directory))
    if let absence = place.absence { return [absence, place.space] }
    let found = place.inspection()
    let settings: RunOptions?
    var settled: [Check] = []
    do {
      settings = try SettingsFile(directory).options()
    } catch {
      settings = nil
      settled = [.failure("settings", Phrase(error), .mendSettings(SettingsFile(directory).path))]
    }
    let answer = await answer()
    var status: StatusAnswer?
    var daemon = Check.ok("daemon", .noDaemonRuns)
    switch answer {
    case .success(let found): (status, daemon) = (found, .ok("daemon", .daemonAnswers))
    case .failure(ControlError.noDaemon): break
    case .failure(let error):
      daemon = .failure("daemon", .daemonFails(Phrase(error)), .restart)
    }
    let network = NetworkChecks(
      directory: directory, listen: status?.listen.flatMap { Address($0) } ?? settings?.listen,
      isRunning: status != nil,
      discovers: settings?.discovers ?? false, interface: settings?.interface)
    return [place.device(found)] + settled
      + [place.space, daemon, place.database(found, isInUse: status != nil)]
      + network.all
      + [ClockChecks.machine] + (await store(settings))
      + (await group(status, console))
      + [.ok("version", .same("peerd \(Version.current)"))]
  }

  /// How the daemon says things stand.
  private func answer() async -> Swift.Result<StatusAnswer, any Error> {
    do {
      return .success(
        try await ControlClient(directory: directory).send("GET", "/v1/status", timeoutSeconds: 5))
    } catch { return .failure(error) }
  }

  /// What the daemon knows of the other devices, and what one of them finds out.
  private func group(_ status: StatusAnswer?, _ console: Console) async -> [Check] {
    guard let status else { return [] }
    let dialBack: DialBackAnswer? = try? await ControlClient(directory: directory)
      .send("POST", "/v1/dial-back", timeoutSeconds: 20)
    return GroupChecks(status: status, dialBack: dialBack, console: console).all
  }

  /// The sandbox store that it uses.
  private func store(_ settings: RunOptions?) async -> [Check] {
    guard let server = settings?.store else { return [] }
    do {
      _ = try await StoreClient(server: server, account: nil).facts()
      return [.ok("store", .storeAnswers("http://\(server.address)"))]
    } catch {
      return [
        .warning("store", .storeSilent("http://\(server.address)"), .startStore(at: "\(server.address)"))
      ]
    }
  }

  private func text(_ checks: [Check], _ console: Console) -> String {
    checks.map { check in
      let mark =
        switch check.state {
        case .ok: console.style.good(console.words(.okMark))
        case .warning: console.style.warning(console.words(.warningMark))
        case .failure: console.style.bad(console.words(.failureMark))
        }
      let detail =
        "\(mark)  \(console.words(.check(check.id))): \(Style.harmless(console.words(check.detail)))\n"
      let indent = String(repeating: " ", count: TextWidth.columns(mark) + 2)
      return detail + (check.remedy.map { "\(indent)\(Style.harmless(console.words($0)))\n" } ?? "")
    }.joined()
  }
}
