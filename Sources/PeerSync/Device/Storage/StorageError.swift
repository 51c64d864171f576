/// Why a device's storage cannot be used, or a daemon cannot go on. Each description is one sentence that says what to
/// do.
public enum StorageError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The directory holds no device.
  case missing(directory: String)
  /// The device was made by a version that knew no membership records.
  case outdated(directory: String)
  /// The directory holds a device already.
  case exists(directory: String)
  /// The disk is full, or a quota is reached.
  case full(path: String)
  /// The disk failed, and why.
  case io(path: String, message: StorageReason)
  /// The database is damaged, and how that was seen.
  case corrupt(path: String, message: StorageReason)
  /// The device's database is malformed, and how that was seen, and no other device of its group could fill a new one.
  case malformed(path: String, message: StorageReason)
  /// The device's database is malformed, and how that was seen; so is the copy of what it needs to go on, or that is gone.
  case unknown(path: String, message: StorageReason)
  /// The file is a database of another program.
  case foreign(path: String)
  /// The database knows a migration that this program does not.
  case newer(path: String, migration: String)
  /// Another program keeps the database locked.
  case locked(path: String)
  /// Another daemon uses the directory (nil: its process id is not known).
  case inUse(directory: String, pid: Int32?)
  /// A file that was open is no longer what stands at its name: it was moved, removed, replaced or cut short.
  case displaced(path: String)
  /// Others may read or write a file that only its owner should.
  case lax(path: String, isDirectory: Bool)
  /// The file or directory may not be opened, and why.
  case denied(path: String, message: StorageReason)
  /// The file is not the one root certificate in PEM form that it should be.
  case notCertificate(path: String, message: StorageReason)
  /// The file with the device's key holds that of another device.
  case wrongKey(directory: String)
  /// The file with the device's key holds no such key.
  case noKey(path: String)
  /// The files that a store signs with do not belong together, or to the device, and why; and whether its root certificate is left.
  case wrongStore(directory: String, message: StorageReason, hasRoot: Bool)
  /// Some of the files that a store signs with are missing, and which: a new store would not be the one that others trust.
  case lostStore(directory: String, missing: [String])
  /// Where a directory should be, or above it, is something else.
  case notDirectory(path: String)
  /// What was given for a new device cannot be kept, and nothing was made: what it is, and what it has to be.
  case unfit(String, inKorean: String)
  /// No daemon runs on the directory.
  case notRunning(directory: String)
  /// SQLite or the system refused something it never should: a mistake in this program.
  case failed(path: String, message: StorageReason)

  /// What happened and what to do about it, in one sentence, with the words of whoever refused: for the log.
  public var description: String { english(\.words) }

  /// The same in English.
  ///
  /// - Parameter say: how reasons are told
  func english(_ say: (StorageReason) -> String) -> String {
    switch self {
    case .missing(let directory):
      "there is no device in \(directory): make one with `peerd init --data \(directory)`"
    case .outdated(let directory):
      "the device in \(directory) was made by an older peerd, and nothing in it says who belongs to its group: make "
        + "a new one in another directory with `peerd init`"
    case .exists(let directory):
      "there is a device in \(directory) already: use it, or choose another directory"
    case .full(let path):
      "the disk of \(path) is full: nothing was acknowledged that is not stored; make room and start again"
    case .io(let path, let message):
      "the disk of \(path) failed (\(say(message))): check the disk, then start again"
    case .corrupt(let path, let message):
      "\(path) is damaged (\(say(message))): move it away, make the device anew and let its peers fill it again"
    case .malformed(let path, let message):
      "\(path) is malformed (\(say(message))), and there is no other device in its group to fill a new one: put a backup of "
        + "the whole directory back, or make a new device in another directory with `peerd init --trust-root "
        + "\(FileSystem.parent(of: path))/store/root.pem` and `peerd import` what `peerd export` wrote"
    case .unknown(let path, let message):
      "\(path) is malformed (\(say(message))), and so is peerd.copy beside it, or it is gone: put a backup of the whole directory "
        + "back, or make a new device in another directory with `peerd init`; if there is another device in the group, let it join "
        + "there, else `peerd import` what `peerd export` wrote"
    case .foreign(let path):
      "\(path) was not made by peerd: choose another directory"
    case .newer(let path, let migration):
      "\(path) was made by a newer peerd (it has \"\(migration)\"): update peerd"
    case .locked(let path):
      "another program has locked \(path): close it and start again"
    case .inUse(let directory, let pid):
      "another peerd\(pid.map { " (pid \($0))" } ?? "") uses \(directory): stop it, or choose another directory"
    case .displaced(let path):
      "\(path) was moved, removed, replaced or cut short while it was open: nothing was acknowledged since; put it back where "
        + "it was, and start again"
    case .lax(let path, let isDirectory):
      "others may use \(path): run `chmod \(isDirectory ? 700 : 600) \(path)`"
    case .denied(let path, let message):
      "\(path) cannot be opened (\(say(message))): check who owns it and its mode"
    case .notCertificate(let path, let message):
      "\(path) is not a root certificate (\(say(message))): give a file that holds one certificate in PEM form"
    case .wrongKey(let directory):
      "\(directory)/device.key is not the key of the device in \(directory)/peerd.db: one of the two, or peerd.db-wal, is of another "
        + "device; put a backup of the whole directory back"
    case .noKey(let path):
      "\(path) holds no Ed25519 key in PEM form: bring it back from a backup, or make a new device in another "
        + "directory with `peerd init` and let it join"
    case .wrongStore(let directory, let message, let hasRoot):
      "the certificates and the key in \(directory) do not belong together (\(say(message))): "
        + StorageError.bringBack(directory, hasRoot: hasRoot)
    case .lostStore(let directory, let missing):
      "\(missing.joined(separator: ", ")) of the sandbox store in \(directory) \(missing.count == 1 ? "is" : "are") missing: "
        + StorageError.bringBack(directory, hasRoot: !missing.contains("root.pem"))
    case .notDirectory(let path):
      "\(path) is not a directory, or lies below a file: choose another directory"
    case .unfit(let reason, _): reason
    case .notRunning(let directory):
      "no daemon is running on \(directory): start one with `peerd run --data \(directory)`"
    case .failed(let path, let message):
      "the database \(path) refused a statement (\(say(message))): please report this"
    }
  }

  /// Makes a device that takes the place of one whose store is lost: with its root, what the old one sold counts also where
  /// the two never meet.
  static func replacement(_ store: String, hasRoot: Bool) -> String {
    hasRoot ? "peerd init --trust-root \(store)/root.pem" : "peerd init"
  }

  private static func bringBack(_ store: String, hasRoot: Bool) -> String {
    "bring all four files back from a backup; if there is none, make a new device in another directory with "
      + "`\(replacement(store, hasRoot: hasRoot))` and let it join, or `peerd import` what `peerd export` wrote"
  }
}
