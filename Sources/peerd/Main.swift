import Foundation
import PeerSync
import PeerSyncControl

/// The program's entry point.
@main
enum Main {
  @MainActor
  static func main() async {
    signal(SIGPIPE, SIG_IGN)
    await withTaskExecutorPreference(SerialTaskExecutor(label: "command")) { await start() }
  }

  private static func start() async {
    let environment = ProcessInfo.processInfo.environment
    Leash.hold(environment)
    switch Arguments.parse(Array(CommandLine.arguments.dropFirst()), environment: environment) {
    case .failure(let error):
      Console.complain(error.told.text(in: SentenceLanguage(environment: environment)))
      end(.usage)
    case .success(let invocation):
      let console = Console(json: invocation.json, isFull: invocation.utc, environment: environment)
      end(await run(invocation, console))
    }
  }

  /// Ends the process at once. `exit` would first take down what libraries use (OpenSSL's tables), while threads that
  /// nobody waits for may still be at work with it; and there is no buffered output to write.
  private static func end(_ status: ExitStatus) -> Never { _exit(status.rawValue) }

  private static func run(_ invocation: Invocation, _ console: Console) async -> ExitStatus {
    do {
      try await invocation.command.run(data: invocation.data, console)
      return .done
    } catch let status as ExitStatus {
      return status
    } catch let error as UsageError {
      Console.complain(console.words(error.told))
      return .usage
    } catch {
      Console.complain(console.words(Explanation(error, isStore: invocation.command.asksStore).phrase))
      switch error {
      case ControlError.noDaemon, ControlError.noStore: return .noDaemon
      default: break
      }
      return .failed
    }
  }
}

/// Why a command failed, in one line that says what to do.
package struct Failure: ToldError, CustomStringConvertible {
  package let told: Phrase

  init(_ told: Phrase) { self.told = told }

  package var description: String { told.text(in: .english) }
}
