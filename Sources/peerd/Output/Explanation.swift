import PeerSync
import PeerSyncControl

/// Why a command failed, for people, and what to do on the command line.
struct Explanation {
  let phrase: Phrase

  /// - Parameter isStore: whether a sandbox store was asked
  init(_ error: any Error, isStore: Bool) {
    switch error {
    case ControlError.noDaemon(let directory): phrase = Explanation.noDaemon(directory)
    case ControlError.noStore(let directory): phrase = Explanation.noStore(directory)
    case ControlError.problem(let problem):
      let remedy = isStore ? Phrase.storeRemedy(problem.code) : .remedy(problem)
      phrase = remedy.map { problem.told + Phrase("; ", ". ") + $0 } ?? problem.told
    case StorageError.missing(let directory): phrase = Explanation.noDevice(directory)
    default: phrase = Phrase(error)
    }
  }

  /// What is at hand instead where somebody has named another directory than that of a running device.
  private static func noDaemon(_ directory: String) -> Phrase {
    let place = DataDirectory(directory)
    let isDevice = FileSystem.exists(place.database) || FileSystem.exists(place.secondCopy)
    return isDevice ? .noDaemon(directory) : noDevice(directory)
  }

  /// What to say of a directory without a device.
  static func noDevice(_ directory: String) -> Phrase {
    FileSystem.exists(DataDirectory(directory).sandboxDatabase)
      ? .holdsStore(directory) : .noDevice(directory)
  }

  private static func noStore(_ directory: String) -> Phrase {
    let place = DataDirectory(directory)
    let isDevice = FileSystem.exists(place.database) && !FileSystem.exists(place.sandboxDatabase)
    return isDevice ? .holdsDevice(directory) : .noStore(directory)
  }
}
