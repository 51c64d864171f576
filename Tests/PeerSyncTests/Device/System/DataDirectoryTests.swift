import Foundation
import PeerSync
import Testing

@Suite struct DataDirectoryTests {
  private let home: TemporaryDirectory
  private let directory: DataDirectory

  init() throws {
    home = try TemporaryDirectory()
    directory = DataDirectory(home.path + "/phone")
    _ = try Daemon.create(
      directory: directory.path, name: "Phone", environment: .sandbox, bundleId: "com.example.owls")
  }

  private func mode(_ path: String) -> mode_t {
    var status = stat()
    stat(path, &status)
    return status.st_mode & 0o777
  }

  @Test func everythingIsTheOwnersAlone() throws {
    let storage = try Storage(directory)
    try storage.persist(.of(WriteBatch(.numbered(1))))
    try directory.hold().write(ControlFile(url: "http://127.0.0.1:1", token: "secret"))
    #expect(mode(directory.path) == 0o700)
    let files = try FileManager.default.subpathsOfDirectory(atPath: directory.path)
    let secrets: Set = ["device.key", "peerd.db", "store/key.pem", "api.json"]
    #expect(secrets.isSubset(of: files), "\(files)")
    for file in files {
      let path = directory.path + "/" + file
      var isDirectory = ObjCBool(false)
      _ = FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
      #expect(mode(path) == (isDirectory.boolValue ? 0o700 : 0o600), "\(file)")
    }
    withExtendedLifetime(storage) {}
  }

  /// Nothing is made that could not be opened again.
  @Test func aDeviceWithAnUnfitNameIsNotMade() throws {
    let path = home.path + "/tablet"
    func create(_ name: String, _ bundleId: String) throws(StorageError) {
      try Daemon.create(directory: path, name: name, environment: .sandbox, bundleId: bundleId)
    }
    let longest = String(repeating: "é", count: Limits.textBytes / 2) + "x"
    for (name, bundleId, field) in [
      ("", "com.example.owls", "name"), (longest + "x", "com.example.owls", "name"),
      ("Tablet", "", "bundle id"), ("Tablet", longest + "x", "bundle id"),
    ] {
      let error = #expect(throws: StorageError.self) { try create(name, bundleId) }
      let count = field == "name" ? name.utf8.count : bundleId.utf8.count
      #expect(error.map { "\($0)".contains("\(field) of the") } == true)
      #expect(error.map { "\($0)".hasSuffix("is \(count) bytes long: give it 1 to 255") } == true)
      #expect(!FileManager.default.fileExists(atPath: path))
    }
    for (name, bundleId) in [("a\u{2028}b", "com.example.owls"), ("Tablet", "a\u{202e}b")] {
      let error = #expect(throws: StorageError.self) { try create(name, bundleId) }
      #expect(error.map { "\($0)".contains("control or format text") } == true)
      #expect(!FileManager.default.fileExists(atPath: path))
    }
    try create(longest, longest)
    _ = try Daemon(configuration: .init(directory: path, log: Log(level: .error) { _ in }))
  }

  @Test(arguments: ["peerd.db", "api.json"]) func laxFilesAreRefused(name: String) throws {
    try directory.hold().write(ControlFile(url: "http://127.0.0.1:1", token: "secret"))
    let file = directory.path + "/" + name
    chmod(file, 0o640)
    let error = StorageError.lax(path: file, isDirectory: false)
    #expect(throws: error) { try Storage(directory) }
    #expect("\(error)".contains("chmod 600 \(file)"))
    if name == "api.json" { #expect(throws: error) { try directory.readControlFile() } }
  }

  /// At a pipe SQLite would wait for ever.
  @Test(arguments: ["peerd.db", "peerd.db-wal", "peerd.db-shm", "peerd.db-journal"])
  func whatIsNoFileIsNotOpened(name: String) throws {
    let path = directory.path + "/" + name
    let reason = StorageReason(Phrase("it is not a regular file", "일반 파일이 아님"))
    let error = StorageError.denied(path: path, message: reason)
    unlink(path)
    try #require(mkfifo(path, 0o600) == 0)
    #expect(throws: error) { try Storage(directory) }
    unlink(path)
    try #require(mkdir(path, 0o700) == 0)
    #expect(throws: error) { try Storage(directory) }
    guard name != "peerd.db" else { return }
    rmdir(path)
    try #require(symlink(home.path + "/nowhere", path) == 0)
    #expect(throws: error) { try Storage(directory) }
  }

  @Test func aDirectoryThatOthersMayWriteIsRefused() throws {
    chmod(directory.path, 0o775)
    #expect(throws: StorageError.lax(path: directory.path, isDirectory: true)) { try Storage(directory) }
  }

  @Test func whatIsNoDirectoryIsSaidToBeNone() throws {
    let file = home.path + "/file"
    try Data().write(to: URL(fileURLWithPath: file))
    for path in [file, file + "/below"] {
      #expect(throws: StorageError.notDirectory(path: path)) {
        try Daemon.create(directory: path, name: "Mac", environment: .sandbox, bundleId: "com.example.owls")
      }
    }
    #expect("\(StorageError.notDirectory(path: file))".hasSuffix("choose another directory"))
  }

  @Test func aTrustRootThatIsNoneIsSaidToBeNone() throws {
    let file = home.path + "/file"
    try Data("no certificate".utf8).write(to: URL(fileURLWithPath: file))
    let reasons = [
      Phrase("no certificate in PEM form", "PEM 형식의 인증서가 없음"), Phrase("there is no such file", "그런 파일이 없음"),
    ]
    for (path, reason) in zip([file, file + "x"], reasons) {
      let error = StorageError.notCertificate(path: path, message: StorageReason(reason))
      #expect(throws: error) { try TrustRoot.load(path) }
      #expect("\(error)".contains("give a file that holds one certificate"))
    }
  }

  @Test func theEnvironmentIsReadWithoutOpeningTheDevice() throws {
    #expect(try Storage.environment(of: directory) == .sandbox)
    // The lock and the database are let go of.
    let storage = try Storage(directory)
    withExtendedLifetime(storage) {}
    let lock = try directory.takeLock()
    #expect(throws: StorageError.inUse(directory: directory.path, pid: getpid())) {
      try Storage.environment(of: directory)
    }
    withExtendedLifetime(lock) {}
  }

  @Test func aDirectoryWithoutADeviceIsRefused() throws {
    let nowhere = DataDirectory(home.path + "/nowhere")
    let error = StorageError.missing(directory: nowhere.path)
    #expect(throws: error) { try Storage(nowhere) }
    #expect("\(error)".contains("peerd init --data \(nowhere.path)"))
  }

  @Test func aSecondLockNamesTheFirst() throws {
    let lock = try directory.takeLock()
    #expect(throws: StorageError.inUse(directory: directory.path, pid: getpid())) { try directory.takeLock() }
    withExtendedLifetime(lock) {}
  }

  @Test func aLockGoesWithItsHolder() throws {
    _ = try directory.takeLock()
    _ = try directory.takeLock()
  }

  @Test func clientsFindTheDaemon() throws {
    #expect(throws: StorageError.notRunning(directory: directory.path)) { try directory.readControlFile() }
    let file = ControlFile(url: "http://127.0.0.1:7400", token: "secret")
    try directory.hold().write(file)
    #expect(try directory.readControlFile() == file)
    try directory.hold().removeControlFile()
    #expect(throws: StorageError.notRunning(directory: directory.path)) { try directory.readControlFile() }
  }

  @Test func aStaleControlFileMeansNoDaemon() throws {
    // Process ids end below 2^22 on Linux.
    try directory.hold().write(ControlFile(url: "http://127.0.0.1:7400", token: "secret", pid: 0x3fff_ffff))
    #expect(throws: StorageError.notRunning(directory: directory.path)) { try directory.readControlFile() }
  }
}
