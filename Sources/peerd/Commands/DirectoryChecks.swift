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

  /// Asked only while no daemon has it open.
  var database: DoctorCommand.Check {
    do {
      let lock = try directory.takeLock()
      defer { withExtendedLifetime(lock) {} }
      let database = try Database(path: directory.database)
      // A log that a crash left is read through by whoever opens the device.
      database.keepLog()
      let said = try database.text("PRAGMA quick_check(1)") ?? "it says nothing"
      guard said == "ok" else { throw StorageError.corrupt(path: directory.database, message: said) }
      if let damage = try Storage.damage(inCopyOf: directory) {
        return Check.failure("database", .databaseDamaged(damage.what), .startToMend)
      }
      return Check.ok("database", .databaseWhole)
    } catch {
      return Check.failure("database", Phrase(error), .startToMend)
    }
  }
}

extension DirectoryChecks {
  /// Beside a daemon, which has it for itself alone: what lies on the disk now, and not what the daemon has read of it.
  var databaseInUse: DoctorCommand.Check {
    do {
      if let damage = try Storage.damage(inCopyOf: directory, isInUse: true) {
        return .failure("database", .databaseDamaged(damage.what), .restartToMend)
      }
      return .ok("database", .databaseWhole)
    } catch StorageError.locked {
      return .warning("database", .databaseBusy, .askAgain)
    } catch {
      return .failure("database", Phrase(error), .restartToMend)
    }
  }
}
