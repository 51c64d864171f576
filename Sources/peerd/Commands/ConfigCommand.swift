import Foundation
import PeerSync
import PeerSyncControl

/// Where a device keeps what `peerd run` was told.
struct SettingsFile {
  private let directory: DataDirectory
  private static let name = "settings.json"
  /// Longest file, in bytes.
  private static let limit = 64 * 1024

  init(_ directory: String) { self.directory = DataDirectory(directory) }

  var path: String { directory.path + "/" + Self.name }

  /// - Throws: ``Failure`` for a file that is wrong; ``StorageError`` for one that cannot be read
  func read() throws -> RunSettings {
    guard let bytes = try FileSystem.read(path, limit: Self.limit) else { return RunSettings() }
    return try RunSettings(bytes, file: path)
  }

  /// What a run without options would go on with.
  ///
  /// - Throws: as ``read()`` does; ``Failure`` as well for values that `run` would not take
  func options() throws -> RunOptions {
    let rest = RunOptions(
      http: Address(host: "127.0.0.1", port: 0), peers: [], discovers: false,
      log: LogOptions(format: .text, level: .info))
    let settings = try read()
    do throws(UsageError) { return try Grammar.runOptions(settings, and: rest) } catch {
      throw Failure(wrongSettings: path, error.told)
    }
  }

  func write(_ settings: RunSettings) throws(StorageError) { try write(settings, in: directory.hold()) }

  /// Writes it for a device that runs.
  func write(_ settings: RunSettings, in place: HeldDirectory) throws(StorageError) {
    try place.replace(Self.name, with: settings.encoded, isDurable: true)
  }
}

/// `peerd config`: shows and sets what `peerd run` goes on with.
enum ConfigCommand {
  /// What `--json` prints: each setting with its values, none where it is not set.
  private struct Result: Encodable {
    let settings: [String: [String]]
    let running: Bool
  }

  static func run(name: String?, value: String?, directory: String, _ console: Console) throws {
    try DataDirectory(directory).requireDevice()
    let file = SettingsFile(directory)
    var settings = try file.read()
    let option = name.flatMap { RunSettings.option(named: $0) }
    if let option, let value {
      settings = try changed(settings, option, to: value)
      try file.write(settings)
    }
    let shown = option.map { [$0] } ?? RunSettings.options
    let isRunning = (try? DataDirectory(directory).readControlFile()) != nil
    let values = shown.map { ($0.name, settings[$0] ?? []) }
    try console.print(Result(settings: Dictionary(values) { $1 }, running: isRunning)) {
      text(shown, settings, console)
        + (isRunning && value != nil ? console.words(.nextStart) + "\n" : "")
    }
  }

  /// - Throws: ``UsageError`` for a value that `peerd run` would not take
  private static func changed(
    _ settings: RunSettings, _ option: OptionSpec, to value: String
  ) throws(UsageError) -> RunSettings {
    var told = RunSettings()
    guard option.value != nil || ["yes", "no", RunSettings.none].contains(value) else {
      throw UsageError(
        Phrase(
          "\(option.name) is yes or none, not '\(value)'",
          "\(option.name) 값은 yes 또는 none입니다. 지정한 값: ‘\(value)’")
          + .seeHelp("config"))
    }
    let parts = option.repeats ? value.split(separator: ",").map { String($0) } : [value]
    told[option] = option.value == nil && value == "no" ? [RunSettings.none] : parts
    let result = settings.overlaid(by: told)
    // What run would refuse at its next start is refused here.
    let rest = RunOptions(
      http: Address(host: "127.0.0.1", port: 0), peers: [], discovers: false,
      log: LogOptions(format: .text, level: .info))
    do throws(UsageError) { _ = try Grammar.runOptions(result, and: rest) } catch {
      throw UsageError(
        Phrase(inSettings(error.told.text(in: .english)), inSettings(error.told.text(in: .korean))))
    }
    return result
  }

  /// What is said of the options of `run`, said of settings.
  private static func inSettings(_ text: String) -> String {
    RunSettings.options.reduce(text) {
      $0.replacing("--\($1.name) 옵션", with: "\($1.name) 설정").replacing("--\($1.name)", with: $1.name)
    }
    .replacing("peerd run --help", with: "peerd config --help")
  }

  private static func text(_ shown: [OptionSpec], _ settings: RunSettings, _ console: Console) -> String {
    var table = console.table(.whole(.setting), .text(.value).kept)
    for option in shown {
      table.add([option.name, settings[option]?.joined(separator: ",") ?? "–"])
    }
    return table.text
  }
}
