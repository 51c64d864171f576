/// What two members share without having asked each other: 32 bytes that nobody else can work out.
package typealias PairSecret = Bytes32<PairSecretKind>
/// Tells the secrets of pairs from other 32 bytes.
package enum PairSecretKind: Sendable {}

/// What a device announces on the local network: a nonce, and for each device that is to find it a tag that only that one can
/// recognise. To everybody else, and to the same devices under another nonce, the tags are random bytes.
///
/// It travels as the strings of a TXT record, of 255 bytes each at most.
package struct Announcement: Hashable, Sendable {
  /// Drawn anew for each announcement.
  package let nonce: [UInt8]
  /// In random order, and filled up with random ones to a step of ``steps``.
  package let tags: [[UInt8]]

  package static let nonceBytes = 16
  package static let tagBytes = 6
  /// How many tags an announcement has: what is said of a group by their number is which step it needs.
  package static let steps = [4, 16, Limits.announcedTags]

  private static let version: [UInt8] = Array("v=1".utf8)
  private static let nonceName: [UInt8] = Array("n=".utf8)
  private static let tagsName: [UInt8] = Array("t=".utf8)
  /// Tags in one string.
  private static let tagsPerString = 252 / tagBytes

  /// - Parameters:
  ///   - tags: those that mean something, ``Limits/announcedTags`` at most; what is beyond is left out
  ///   - more: others that do, as far as there is room without another step
  ///   - random: draws bytes that nobody can foresee
  package init(
    nonce: [UInt8], tags: [[UInt8]], more: [[UInt8]] = [], using random: inout some RandomNumberGenerator
  ) {
    self.nonce = nonce
    var known = Array(tags.prefix(Limits.announcedTags))
    let count = Self.steps.first { $0 >= known.count } ?? known.count
    known += more.prefix(count - known.count)
    let filling = (known.count..<count).map { _ in
      (0..<Self.tagBytes).map { _ in UInt8.random(in: 0...255, using: &random) }
    }
    self.tags = (known + filling).shuffled(using: &random)
  }

  /// Reads the strings of a TXT record; nil when they are none that this version knows. Others' strings are passed over.
  package init?(_ strings: [[UInt8]]) {
    guard strings.contains(Self.version),
      let nonce = strings.first(where: { $0.starts(with: Self.nonceName) }),
      nonce.count == Self.nonceName.count + Self.nonceBytes
    else { return nil }
    self.nonce = Array(nonce.dropFirst(Self.nonceName.count))
    var tags: [[UInt8]] = []
    for string in strings where string.starts(with: Self.tagsName) {
      let bytes = Array(string.dropFirst(Self.tagsName.count))
      guard bytes.count.isMultiple(of: Self.tagBytes),
        tags.count + bytes.count / Self.tagBytes <= Limits.announcedTags
      else { return nil }
      for first in stride(from: 0, to: bytes.count, by: Self.tagBytes) {
        tags.append(Array(bytes[first..<first + Self.tagBytes]))
      }
    }
    self.tags = tags
  }

  /// The strings of the TXT record.
  package var strings: [[UInt8]] {
    let parts = stride(from: 0, to: tags.count, by: Self.tagsPerString).map { first in
      Self.tagsName + tags[first..<min(first + Self.tagsPerString, tags.count)].flatMap { $0 }
    }
    return [Self.version, Self.nonceName + nonce] + parts
  }

  // MARK: Tags

  /// The tag by which a member finds the device that announces.
  ///
  /// - Parameters:
  ///   - secret: what the two share
  ///   - announcer: the key of the device that announces: a tag that is sent back says nothing
  ///   - hour: when it announces itself: a record of another one is not of now
  ///   - port: where it listens: a record with another one is not its own
  package static func tag(
    under secret: PairSecret, nonce: [UInt8], announcer: PublicKey, hour: AnnouncedHour, port: UInt16,
    _ cryptography: Cryptography
  ) -> [UInt8] {
    let time = withUnsafeBytes(of: hour.number.bigEndian, Array.init)
    return tag(secret.bytes, "PeerSync sighting", nonce + announcer.bytes + time, port, cryptography)
  }

  /// The tag by which a device finds whoever made an invitation whose code it has. It is of no hour: a code is good for minutes, and the
  /// clock of a device that is new may be wrong.
  package static func tag(
    under key: InvitationKey, nonce: [UInt8], port: UInt16, _ cryptography: Cryptography
  ) -> [UInt8] {
    tag(key.bytes, "PeerSync invitation sighting", nonce, port, cryptography)
  }

  private static func tag(
    _ key: [UInt8], _ label: String, _ content: [UInt8], _ port: UInt16, _ cryptography: Cryptography
  ) -> [UInt8] {
    let message = Array(label.utf8) + content + [UInt8(port >> 8), UInt8(port & 0xff)]
    return Array(cryptography.authenticate(message, under: key).bytes.prefix(tagBytes))
  }
}

extension Cryptography {
  /// HMAC-SHA256 (RFC 2104) with a key of at most 64 bytes.
  package func authenticate(_ message: [UInt8], under key: [UInt8]) -> ContentHash {
    let block = key + [UInt8](repeating: 0, count: max(0, 64 - key.count))
    let inner = hash(of: block.map { $0 ^ 0x36 } + message)
    return hash(of: block.map { $0 ^ 0x5c } + inner.bytes)
  }
}
