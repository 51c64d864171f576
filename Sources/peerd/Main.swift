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
    switch Arguments.parse(Array(CommandLine.arguments.dropFirst()), environment: environment) {
    case .failure(let error):
      Console.complain(error.description)
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
      Console.complain(error.description)
      return .usage
    } catch {
      Console.complain(explanation(of: error))
      switch error {
      case ControlError.noDaemon, ControlError.noStore: return .noDaemon
      default: break
      }
      return .failed
    }
  }
}

extension Main {
  /// The error, or what is at hand instead where somebody has named another directory than that of a running device.
  private static func explanation(of error: any Error) -> String {
    guard case ControlError.noDaemon(let directory) = error else { return "\(error)" }
    let place = DataDirectory(directory)
    if FileSystem.exists(place.sandboxDatabase) {
      return
        "no daemon is running on \(directory), which holds a sandbox store and no device: name a device's directory with --data, or "
        + "see `peerd store --help`"
    }
    guard FileSystem.exists(place.database) || FileSystem.exists(place.secondCopy) else {
      return
        "no daemon is running on \(directory), and there is no device: make one with `peerd init --data \(directory)`, or name another "
        + "directory with --data"
    }
    return "\(error)"
  }
}

/// Why a command failed, in one line that says what to do.
package struct Failure: Error, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}
