/// The notifications that a device was told, kept as one JSON document a line, the newest last. At most
/// ``Limits/notifications``; the oldest make room.
///
/// They are not replicated: what they carry is. A notification is written down after what it carries is durable, so that one
/// that is known here has had its effect.
package final class NotificationLog: Sendable {
  fileprivate struct Memory {
    var records: [NotificationAnswer] = []
    var known: Set<String> = []
    /// Lines of the file, of which the last records are kept; nil when the file has to be written anew.
    var lines: Int?
  }

  /// What the file is called.
  private static let name = "notifications.jsonl"
  private let place: HeldDirectory
  private let memory = Guarded<Memory?>(nil)
  /// Longest line, in bytes: ids and words of ``Limits/textBytes``, each byte an escape of six.
  private static let lineBytes = 16 * 1024

  package init(_ place: HeldDirectory) { self.place = place }

  /// What is kept, oldest first.
  package func all() throws(StorageError) -> [NotificationAnswer] { try look { $0.records } }

  /// Which of some notifications were told before, by their UUIDs.
  package func known(of ids: [String]) throws(StorageError) -> Set<String> {
    try look { $0.known.intersection(ids) }
  }

  /// Keeps some more, durably; those that are kept already are left out.
  package func add(_ records: [NotificationAnswer]) throws(StorageError) {
    guard !records.isEmpty else { return }
    try look { (memory) throws(StorageError) in
      var changed = memory
      let fresh = records.filter { changed.known.insert($0.notificationUUID).inserted }
      guard !fresh.isEmpty else { return }
      changed.add(fresh)
      // Should it fail, nothing is known, and the file is written anew the next time.
      memory.lines = nil
      try self.save(fresh, &changed)
      memory = changed
    }
  }

  private func save(_ fresh: [NotificationAnswer], _ memory: inout Memory) throws(StorageError) {
    if let lines = memory.lines, lines + fresh.count <= 2 * Limits.notifications {
      try place.append(NotificationLog.name, NotificationLog.bytes(fresh))
      memory.lines = lines + fresh.count
    } else {
      try place.replace(NotificationLog.name, with: NotificationLog.bytes(memory.records), isDurable: true)
      memory.lines = memory.records.count
    }
  }

  private static func bytes(_ records: [NotificationAnswer]) -> [UInt8] {
    records.flatMap { Array(JSON.encode($0)) + [0x0a] }
  }

  private func look<Result>(
    _ body: (inout Memory) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    let result = memory.withLock { memory -> Swift.Result<Result, StorageError> in
      do throws(StorageError) {
        var loaded = if let memory { memory } else { try self.load() }
        defer { memory = loaded }
        return .success(try body(&loaded))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  private func load() throws(StorageError) -> Memory {
    let limit = 2 * Limits.notifications * NotificationLog.lineBytes
    let bytes = try place.read(NotificationLog.name, limit: limit) ?? []
    let lines = bytes.split(separator: 0x0a)
    let records = lines.compactMap { try? JSON.decode(NotificationAnswer.self, from: Array($0)) }
    var memory = Memory()
    memory.add(records)
    // A line that a crash cut short is written over with the next notification; and a file has to be made.
    memory.lines = records.count == lines.count && bytes.last == 0x0a ? lines.count : nil
    return memory
  }
}

extension NotificationLog.Memory {
  fileprivate mutating func add(_ more: [NotificationAnswer]) {
    records += more
    let surplus = records.count - Limits.notifications
    if surplus > 0 { records.removeFirst(surplus) }
    known = Set(records.map(\.notificationUUID))
  }
}
