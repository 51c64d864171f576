import Foundation
import PeerSync

/// The data directory: who may use it, what room there is, whether what lies in it is whole.
struct DirectoryChecks {
  let directory: DataDirectory

  private typealias Check = DoctorCommand.Check
  /// Bytes below which a commit may fail soon, and below which it is time to look.
  private static let (least, little): (UInt64, UInt64) = (16 << 20, 256 << 20)

  var device: DoctorCommand.Check {
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
    do throws(StorageError) {
      try SandboxSigner.requireWhole(directory.store)
    } catch {
      return Check.failure("device", error, .bringStoreBack)
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

  /// Also beside a daemon: what lies on the disk now, and not what the daemon has read of it.
  ///
  /// - Parameter isInUse: whether a daemon runs
  func database(isInUse: Bool) -> DoctorCommand.Check {
    let remedy = isInUse ? Phrase.restartToMend : .startToMend
    do throws(StorageError) {
      switch try Storage.inspect(directory) {
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
