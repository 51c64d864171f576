import Foundation
import PeerSync
import PeerSyncSimulation

/// `peerd rehearse`: plays a story and shows what every device says at each step.
struct RehearseCommand {
  let options: RehearseOptions

  func run(_ console: Console) async throws {
    let scenario = try read()
    let signals = Cleanup.whenStopped()
    defer { withExtendedLifetime(signals) {} }
    let seed = options.isSimulated ? options.seed ?? UInt64.random(in: 0...UInt64(UInt32.max)) : nil
    if !console.json { try console.print(line: console.words(.plays(scenario.file, seed: seed))) }
    var rehearsal = Rehearsal(scenario, seed: seed)
    try await rehearsal.play {
      if !console.json { try console.print(line: "\($0.line)".leftPadded(to: 4) + "  \($0.text)") }
    } shown: {
      if !console.json { try console.print(line: text($0, console)) }
    }
    try finish(rehearsal, console)
    if let failure = rehearsal.failureTold {
      throw Failure(failure + .same(seed.map { " (--seed \($0))" } ?? ""))
    }
  }

  private func read() throws -> Scenario {
    let name = options.file.split(separator: "/").last.map(String.init) ?? options.file
    let handle = options.file == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: options.file)
    guard let bytes = try? handle?.read(upToCount: Self.fileLimit + 1) else {
      throw Failure(.unreadable(options.file))
    }
    guard bytes.count <= Self.fileLimit else {
      throw Failure(
        Phrase(
          "\(options.file) is larger than \(Self.fileLimit) bytes: divide the story",
          "\(options.file) 파일이 \(Self.fileLimit)바이트보다 큽니다. 스토리를 나누세요"))
    }
    do throws(ScenarioError) {
      let scenario = try Scenario(String(decoding: bytes, as: UTF8.self), file: name)
      try scenario.requireSense()
      return scenario
    } catch {
      throw Failure(error.told)
    }
  }

  /// Longest file of a story, in bytes.
  private static let fileLimit = 1_048_576

  private func text(_ device: Rehearsal.Device, _ console: Console) -> String {
    let words = device.told.isEmpty ? Phrase.nothing : .joined(device.told, by: "; ")
    return "        " + console.words(.shows(console.style.bold(device.name), words))
  }

  private func finish(_ rehearsal: Rehearsal, _ console: Console) throws {
    try console.print(rehearsal) {
      rehearsal.failure == nil
        ? console.style.good(console.words(.storyHolds)) + ": "
          + console.words(.steps(rehearsal.steps.count)) + "\n" : ""
    }
  }
}

extension String {
  fileprivate func leftPadded(to width: Int) -> String {
    String(repeating: " ", count: max(0, width - count)) + self
  }
}
