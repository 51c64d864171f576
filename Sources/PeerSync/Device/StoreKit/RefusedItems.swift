import Foundation

/// Signed items that were refused, kept with the reason: one JSON document a line, the newest last. At most
/// ``Limits/refusedItems``; the oldest make room.
package struct RefusedItems: Sendable {
  /// One refused item.
  package struct Item: Codable, Hashable, Sendable {
    package let time: Instant
    package let reason: String
    /// As it came, cut at ``Limits/jwsBytes``.
    package let item: String

    package init(time: Instant, reason: String, item: String) {
      self.time = time
      self.reason = reason
      self.item = String(item.prefix(Limits.jwsBytes))
    }
  }

  /// What the file is called.
  private static let name = "refused.jsonl"
  private let place: HeldDirectory

  package init(_ place: HeldDirectory) { self.place = place }

  /// What is kept, oldest first.
  package func all() throws(StorageError) -> [Item] {
    // Escapes can make six bytes of one.
    let limit = Limits.refusedItems * (6 * Limits.jwsBytes + 1024)
    let bytes = try place.read(Self.name, limit: min(limit, 32 * 1024 * 1024)) ?? []
    return bytes.split(separator: 0x0a).compactMap { try? JSON.decode(Item.self, from: Array($0)) }
  }

  /// Keeps some more; one that is kept already, by its bytes, is not kept twice.
  package func add(_ items: [Item]) throws(StorageError) {
    guard !items.isEmpty else { return }
    var kept = try all()
    for item in items where !kept.contains(where: { $0.item == item.item }) { kept.append(item) }
    let lines = kept.suffix(Limits.refusedItems).map { Array(JSON.encode($0)) + [0x0a] }
    try place.replace(Self.name, with: Array(lines.joined()), isDurable: true)
  }
}
