/// A signed item as the value of its register: most of a JSON Web Signature repeats among purchases, so that an item names
/// the ``StorePart`` that holds what repeats, and says the rest.
///
///     first byte   the rank: 0x10, or 0x20 for a revoked snapshot, and the form
///     compact (1)  16 bytes   the template, which names the chain
///                  64 bytes   the signature
///                  …          the values of the template's holes
///     verbatim (2) …          the text
package enum StoreItem: Hashable, Sendable {
  case compact(template: StorePartID, signature: [UInt8], values: [UInt8])
  case verbatim(text: [UInt8])

  private enum Form {
    static let compact: UInt8 = 1
    static let verbatim: UInt8 = 2
  }

  /// What ranks the snapshots of one stamp. Both are greater than the first byte of an unsigned value, so that nothing
  /// unsigned hides anything signed.
  package enum Rank: UInt8, Sendable {
    case standing = 0x10
    case revoked = 0x20
  }

  /// Writes the value of a register.
  package func encoded(_ rank: Rank) -> [UInt8] {
    switch self {
    case .compact(let template, let signature, let values):
      var writer = ByteWriter(reserving: 96 + values.count)
      writer.write(byte: rank.rawValue | Form.compact)
      writer.write(template)
      writer.write(raw: signature)
      writer.write(raw: values)
      return writer.bytes
    case .verbatim(let text): return [rank.rawValue | Form.verbatim] + text
    }
  }

  /// Reads the value of a register, with its rank.
  package static func decode(_ bytes: ArraySlice<UInt8>) throws(WireError) -> (StoreItem, Rank) {
    var reader = ByteReader(bytes)
    let first = try reader.byte()
    guard let rank = Rank(rawValue: first & 0xf0) else { throw .malformed }
    switch first & 0x0f {
    case Form.compact:
      let template = try reader.identifier(StorePartID.self)
      let signature = Array(try reader.raw(JWS.signatureBytes))
      guard reader.remaining <= Limits.jwsBytes else { throw .beyondLimit }
      let values = Array(try reader.raw(reader.remaining))
      return (.compact(template: template, signature: signature, values: values), rank)
    case Form.verbatim:
      guard reader.remaining <= Limits.jwsBytes else { throw .beyondLimit }
      return (.verbatim(text: Array(try reader.raw(reader.remaining))), rank)
    default: throw .malformed
    }
  }

  /// Whether a value claims to be a signed item.
  static func isSigned(_ value: ArraySlice<UInt8>) -> Bool { (value.first ?? 0) & 0xf0 != 0 }
}

// MARK: - From and to signatures

/// A signed item with the parts it names.
package struct PackedItem: Hashable, Sendable {
  package let item: StoreItem
  /// The parts, encoded, each before what names it.
  package let parts: [[UInt8]]
}

extension StoreItem {
  /// Splits a signature. What would not come back byte for byte is carried verbatim.
  ///
  /// - Parameters:
  ///   - id: the id in the key of the item's register
  ///   - stamp: the stamp that the register will bear
  package static func pack(_ jws: JWS, id: String, stamp: Stamp, _ cryptography: Cryptography) -> PackedItem {
    let verbatim = PackedItem(item: .verbatim(text: jws.text), parts: [])
    let chain = StorePart.chain(jws.header).encoded
    let scanner = PayloadScanner(jws.payload, TemplateContext(id: id, stamp: stamp))
    let chainID = StorePart.id(of: chain, cryptography)
    let part = StorePart.template(PayloadTemplate(chain: chainID, pieces: scanner.pieces))
    let template = part.encoded
    guard max(chain.count, template.count) <= Limits.storePartBytes else { return verbatim }
    let item = StoreItem.compact(
      template: StorePart.id(of: template, cryptography), signature: jws.signature,
      values: scanner.values.bytes)
    let held = [chainID: StorePart.chain(jws.header), StorePart.id(of: template, cryptography): part]
    guard case .signature(jws) = item.unpacked(id: id, stamp: stamp, part: { held[$0] }) else {
      return verbatim
    }
    return PackedItem(item: item, parts: [chain, template])
  }

  /// What an item is made into.
  package enum Unpacked: Hashable, Sendable {
    case signature(JWS)
    /// A part that it names is not there.
    case lacks(StorePartID)
    case malformed
  }

  /// Puts the signature together again.
  ///
  /// - Parameter part: the part of a name, whose hash was checked
  package func unpacked(id: String, stamp: Stamp, part: (StorePartID) -> StorePart?) -> Unpacked {
    switch self {
    case .verbatim(let text): return (try? JWS(text)).map(Unpacked.signature) ?? .malformed
    case .compact(let shapeID, let signature, let values):
      guard let held = part(shapeID) else { return .lacks(shapeID) }
      guard case .template(let template) = held else { return .malformed }
      guard let chain = part(template.chain) else { return .lacks(template.chain) }
      guard case .chain(let header) = chain else { return .malformed }
      var reader = ByteReader(values)
      guard let payload = try? template.payload(&reader, TemplateContext(id: id, stamp: stamp)),
        reader.remaining == 0, !payload.isEmpty, !header.isEmpty
      else { return .malformed }
      let jws = JWS(header: header, payload: payload, signature: signature)
      return jws.isWithinLimits ? .signature(jws) : .malformed
    }
  }
}

extension JWS {
  /// Whether the text is within ``Limits/jwsBytes``.
  var isWithinLimits: Bool {
    let parts = [header, payload, signature]
    return parts.reduce(2) { $0 + ($1.count * 4 + 2) / 3 } <= Limits.jwsBytes
  }
}
