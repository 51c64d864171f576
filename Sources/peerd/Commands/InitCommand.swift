import Foundation
import PeerSync

/// `peerd init`: makes a device, with its catalogue if there is one.
package struct InitCommand {
  let directory: String
  let options: InitOptions

  /// What `--json` prints.
  private struct Result: Encodable {
    let data: String
    let device: String
    let name: String
    let environment: String
    let bundleId: String
    let recoveryKey: String
    let products: Int
    let warnings: [String]
  }

  func run(_ console: Console) throws {
    guard options.trustRoots.isEmpty || options.environment != .production else {
      throw Failure(
        Phrase(
          "--trust-root is for the sandbox and xcode environments: in production Apple's root alone counts",
          "--trust-root 옵션은 sandbox와 xcode 환경에서만 씁니다. production 환경에서는 Apple의 루트 인증서만 신뢰합니다"))
    }
    guard options.clockOffset == nil || options.environment != .production else {
      throw Failure(
        Phrase(
          "--clock-offset is for the sandbox and xcode environments",
          "--clock-offset 옵션은 sandbox와 xcode 환경에서만 씁니다"))
    }
    // First of all: a device without its catalogue would be in the way of the next attempt.
    let file = try catalogue()
    let created = try Daemon.create(
      directory: directory, name: options.name ?? InitCommand.hostName, environment: options.environment,
      bundleId: options.bundleId ?? "com.example.app", trustRoots: options.trustRoots,
      clockOffset: options.clockOffset ?? 0, mayAcceptTime: options.mayAcceptTime, catalogue: file.catalogue)
    let identity = created.identity
    let result = Result(
      data: directory, device: identity.device.description, name: identity.name,
      environment: identity.environment.rawValue, bundleId: identity.bundleId,
      recoveryKey: created.recoveryKey,
      products: file.catalogue.ids.count, warnings: file.warnings)
    try console.print(result) { text(result, file.told, console) }
  }

  private func catalogue() throws -> CatalogueFile {
    var files: [CatalogueFile] = []
    for path in options.catalogues {
      files.append(try CatalogueFile(try InitCommand.content(of: path), name: path))
    }
    return CatalogueFile.merging(files)
  }

  /// A catalogue file's content.
  static func content(of path: String) throws -> Data {
    guard let handle = FileHandle(forReadingAtPath: path) else { throw unreadable(path) }
    // Nothing read is an empty file, which is not a catalogue either; saying so is up to its reader.
    do {
      return try handle.read(upToCount: Limits.catalogueBytes + 1) ?? Data()
    } catch {
      throw unreadable(path)
    }
  }

  private static func unreadable(_ path: String) -> Failure {
    Failure(
      Phrase(
        "\(path) cannot be read: check its name and who may read it",
        "\(path) 파일을 읽을 수 없습니다. 이름과 읽기 권한을 확인하세요"))
  }

  private func text(_ result: Result, _ warnings: [Phrase], _ console: Console) -> String {
    """
    \(console.words(.made(console.style.bold(result.name), in: result.data)))
    \(console.words(.facts(result.device, result.environment, result.bundleId, result.products)))\
    \(console.warnings(warnings))
    \(console.words(.showsRecoveryKey(console.style.bold(result.recoveryKey))))
    \(console.words(.writeItDown))
      peerd remove --data DIR DEVICE --recovery-key -

    \(console.words(.startWith(result.data)))

    """
  }

  private static var hostName: String {
    // Longer than any host's name may be; with less room the call fails instead of cutting it short.
    var bytes = [CChar](repeating: 0, count: 1025)
    guard gethostname(&bytes, bytes.count - 1) == 0 else { return "device" }
    return deviceName(
      ofHost: String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
  }

  /// A host's name as that of a device: cut to fit, between two characters, and without what `--name` would refuse.
  package static func deviceName(ofHost name: String) -> String {
    var result = ""
    for character in name where !character.unicodeScalars.contains(where: \.isUnfitForNames) {
      guard result.utf8.count + character.utf8.count <= Limits.textBytes else { break }
      result.append(character)
    }
    return result.isEmpty ? "device" : result
  }
}
