/// What a ``StorePartID`` names.
public enum StorePartKind: IdentifierKind {}

/// A part that many signed items share, by its content: the first half of its SHA-256.
public typealias StorePartID = Identifier<StorePartKind>

/// A part that many signed items of the store share. It is a register of its own under its hash, and never changes.
package enum StorePart: Hashable, Sendable {
  /// The header of a JSON Web Signature, which holds the certificates: verbatim.
  case chain([UInt8])
  /// A payload with holes, and the chain of its header.
  case template(PayloadTemplate)

  /// The first byte keeps the two apart, so that neither passes for the other.
  private enum Form {
    static let chain: UInt8 = 1
    static let template: UInt8 = 2
  }

  /// The part as the value of its register.
  package var encoded: [UInt8] {
    switch self {
    case .chain(let header): return [Form.chain] + header
    case .template(let template):
      var writer = ByteWriter(reserving: 1024)
      writer.write(byte: Form.template)
      template.write(to: &writer)
      return writer.bytes
    }
  }

  /// Reads the value of a register.
  package init(decoding bytes: [UInt8]) throws(WireError) {
    guard bytes.count <= Limits.storePartBytes else { throw .beyondLimit }
    var reader = ByteReader(bytes)
    switch try reader.byte() {
    case Form.chain: self = .chain(Array(try reader.raw(reader.remaining)))
    case Form.template: self = .template(try PayloadTemplate(from: &reader))
    default: throw .malformed
    }
  }

  /// The name of a part with these bytes.
  package static func id(of bytes: [UInt8], _ cryptography: Cryptography) -> StorePartID {
    bytes.withUnsafeBytes { id(of: $0, cryptography) }
  }

  /// The name of a part with these bytes.
  static func id(of bytes: UnsafeRawBufferPointer, _ cryptography: Cryptography) -> StorePartID {
    let hash = cryptography.hash(bytes)
    return StorePartID(high: hash.words.0, low: hash.words.1)
  }
}
