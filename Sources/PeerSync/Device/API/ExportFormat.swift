import Foundation

/// The form of an exported ledger.
package enum ExportFormat {
  /// What its `format` says.
  package static let name = "peersync-ledger"
  package static let version: Int64 = 1
  static let pieceWrites = 500

  /// Whether a later version of the program has written it, which may have fields that are not known here.
  package static func isOfLaterVersion(_ document: JSONValue) -> Bool {
    document["version"]?.integer.map { $0 > version } ?? false
  }

  /// - Parameter fact: what the register says, as a person reads it
  static func entry(_ write: Write, _ fact: JSONValue?) -> JSONValue {
    var entry: [String: JSONValue] = [
      "raw": [
        "key": .string(Data(write.key).base64EncodedString()), "stamp": .string(String(write.stamp.rawValue)),
        "value": .string(Data(write.value).base64EncodedString()),
      ],
      "written": .string(write.stamp.time.description),
      "author": .string(write.dot.replica.description),
    ]
    if let kind = write.key.first.flatMap(RegisterKind.init(rawValue:)) { entry["kind"] = .string("\(kind)") }
    if let fact { entry["fact"] = fact }
    return JSONValue(entry)
  }

  /// An export of these registers alone: what ``Daemon/importLedger(_:)`` takes in.
  package static func document(of writes: [LocalWrite]) -> JSONValue {
    let entries = writes.map { write -> JSONValue in
      [
        "raw": [
          "key": .string(Data(write.key).base64EncodedString()),
          "stamp": .string(String(write.stamp?.rawValue ?? 0)),
          "value": .string(Data(write.value).base64EncodedString()),
        ]
      ]
    }
    return ["format": .string(name), "version": .integer(version), "registers": .array(entries)]
  }

  /// Why a document is refused that is something else.
  static let notExport = Problem(
    .malformedBody, Phrase("this is not the export of a ledger", "내보낸 기록이 아닙니다"))

  /// The registers of an export, as writes.
  ///
  /// - Throws: a ``Problem`` for a document that is not an export
  package static func writes(
    of document: JSONValue, _ cryptography: Cryptography
  ) throws(Problem) -> [LocalWrite] {
    guard document["format"] == .string(name), case .array(let entries)? = document["registers"] else {
      throw notExport
    }
    var writes: [LocalWrite] = []
    for (index, entry) in entries.enumerated() {
      guard let write = write(of: entry), write.fitsKey(cryptography) else {
        throw Problem(
          .malformedBody,
          Phrase(
            "registers[\(index)].raw is not a register", "registers[\(index)].raw 값은 레지스터가 아닙니다"))
      }
      writes.append(write)
    }
    return writes
  }

  /// Nil for bytes that no device would have written. Kinds unknown here are taken as they are.
  private static func write(of entry: JSONValue) -> LocalWrite? {
    guard let raw = entry["raw"], case .string(let key)? = raw["key"],
      case .string(let value)? = raw["value"],
      case .string(let stamp)? = raw["stamp"], let key = Data(base64Encoded: key).map(Array.init),
      let value = Data(base64Encoded: value).map(Array.init), let stamp = UInt64(stamp),
      let kind = key.first, key.count <= Limits.keyBytes, value.count <= Limits.valueBytes
    else { return nil }
    let isKnown = RegisterKind(rawValue: kind) != nil
    guard !isKnown || (try? Fact(key: key[...], value: value[...])) != nil else { return nil }
    return LocalWrite(key: key, stamp: Stamp(rawValue: stamp), value: value)
  }
}
