import Foundation
import PeerSync

/// The data directory: who may use it, what room there is, whether what lies in it is whole.
struct DirectoryChecks {
  let directory: DataDirectory

  private typealias Check = DoctorCommand.Check
  /// Bytes below which a commit may fail soon, and below which it is time to look.
  private static let (least, little): (UInt64, UInt64) = (16 << 20, 256 << 20)

  /// What keeps everything else from being looked at.
  var absence: DoctorCommand.Check? {
    do throws(StorageError) {
      try directory.requireDevice()
    } catch {
      if case .missing = error {
        return FileSystem.exists(directory.sandboxDatabase)
          ? Check.failure("device", .isStore(directory.path), .nameDevice)
          : Check.failure("device", .noDeviceIn(directory.path), .makeDevice(directory.path))
      }
      return Check.failure("device", Phrase(error), .changeModes(directory.path))
    }
    return nil
  }

  /// The database and its log, as they lie on the disk now: also beside a daemon, whatever that has read of them.
  func inspection() -> Result<Storage.Inspection, StorageError> {
    Result { () throws(StorageError) in try Storage.inspect(directory) }
  }

  /// What a start needs besides the database.
  func device(_ found: Result<Storage.Inspection, StorageError>) -> DoctorCommand.Check {
    do throws(StorageError) {
      try directory.requireUsable()
      try StoreTrust.inspect(directory, try? found.get().device)
    } catch {
      switch error {
      case .lostStore, .wrongStore: return Check.failure("device", error, .bringStoreBack)
      case .notCertificate: return Check.failure("device", error, .bringRootBack)
      default: return Check.failure("device", error, .mendFirst)
      }
    }
    return Check.ok("device", .ownersAlone(directory.path))
  }

  var space: DoctorCommand.Check {
    var facts = statvfs()
    guard statvfs(directory.path, &facts) == 0 else {
      return Check.warning("space", .roomUnknown, .checkThere(directory.path))
    }
    let free = UInt64(facts.f_bavail) * UInt64(facts.f_frsize)
    let detail = Phrase.room(free >> 20)
    if free < Self.least { return Check.failure("space", detail, .makeRoom) }
    return free < Self.little ? Check.warning("space", detail, .makeRoomSoon) : Check.ok("space", detail)
  }

  /// - Parameter isInUse: whether a daemon runs
  func database(_ found: Result<Storage.Inspection, StorageError>, isInUse: Bool) -> DoctorCommand.Check {
    let remedy = isInUse ? Phrase.restartToMend : .startToMend
    do throws(StorageError) {
      switch try found.get().state {
      case .whole: return Check.ok("database", .databaseWhole)
      case .damaged(let damage): return Check.failure("database", .databaseDamaged(damage.told), remedy)
      case .older: return Check.warning("database", .databaseOlder, .startToBringUp)
      }
    } catch {
      if case .locked = error { return Check.warning("database", .databaseBusy, .askAgain) }
      return Check.failure("database", error, remedy)
    }
  }
}
