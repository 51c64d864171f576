/// What has happened lately, and who follows it. Of writes only the names are kept until somebody reads them: nothing is decoded for
/// nobody. On the queue of its daemon alone.
package final class EventFeed {
  /// Something that has happened.
  package enum Entry {
    /// Something was sold, or taken back.
    case sold(Sale)
    /// Another register was written.
    case written(key: [UInt8], Dot)
    /// It was worked out when it happened.
    case told(EventAnswer)
  }

  private struct Reader {
    let continuation: AsyncStream<DeviceEvent>.Continuation
    let hearsTraffic: Bool
  }

  package private(set) var ring = EventRing<Entry>(capacity: keptEvents)
  private var readers: [UInt64: Reader] = [:]
  private var last: UInt64 = 0
  /// Whether anybody has ever followed: before, nobody can have missed anything.
  private(set) var isFollowed = false
  /// What was sold, as far as it was told or known before: the store signs it anew, and devices write it again. Nil before anybody
  /// follows.
  package var sales: Set<Sale>?
  /// How things stood when somebody last looked.
  var standing: ObservedStatus?
  /// Looks again whenever they may stand differently.
  var lookout: Task<Void, Never>?

  package init() {}

  /// How many events are kept for those who come back.
  static let keptEvents = 1024
  /// Most writes at once that are told one by one.
  package static let writesToldAtOnce = 256
  /// Most events that wait for one reader.
  static let waitingEvents = 4096

  var hasReaders: Bool { !readers.isEmpty }
  var tellsTraffic: Bool { readers.values.contains { $0.hearsTraffic } }

  func add(_ continuation: AsyncStream<DeviceEvent>.Continuation, hearsTraffic: Bool) -> UInt64 {
    isFollowed = true
    last += 1
    readers[last] = Reader(continuation: continuation, hearsTraffic: hearsTraffic)
    return last
  }

  func remove(_ id: UInt64) {
    readers[id] = nil
    guard readers.isEmpty else { return }
    lookout?.cancel()
    lookout = nil
  }

  /// Takes note of what has become durable. When it is too much to be told, ``sales`` is nil behind it.
  ///
  /// - Parameter sold: what the item of a register is about
  package func note(_ batches: [WriteBatch], sold: ([UInt8]) -> [Sale]) {
    let count = batches.reduce(0) { $0 + $1.count }
    guard count <= Self.writesToldAtOnce else {
      sales = nil
      return ring.skip(count)
    }
    for batch in batches {
      batch.forEach { write in
        guard let kind = write.key.first.flatMap({ RegisterKind(rawValue: $0) }), kind.isTold else { return }
        let key = Array(write.key)
        guard kind != .transaction else { return sold(key).forEach { note($0) } }
        ring.append(.written(key: key, Dot(replica: write.replica, sequence: write.sequence)))
      }
    }
  }

  private func note(_ sale: Sale) {
    if sales?.insert(sale).inserted ?? true { ring.append(.sold(sale)) }
  }

  func note(_ event: EventAnswer) { ring.append(.told(event)) }

  /// Tells all who follow. One who is too slow loses the stream, and resumes where it was.
  func tell(_ events: [DeviceEvent]) {
    for id in readers.keys.sorted() {
      guard let reader = readers[id] else { continue }
      for event in events where reader.hearsTraffic || !event.isTraffic {
        if case .dropped = reader.continuation.yield(event) { reader.continuation.finish() }
      }
    }
  }

  func finish() {
    lookout?.cancel()
    lookout = nil
    let finished = readers.values.map(\.continuation)
    readers = [:]
    for continuation in finished { continuation.finish() }
  }
}

extension RegisterKind {
  /// Whether a register of this kind may tell that something has happened. Renewals are told by how subscriptions stand.
  fileprivate var isTold: Bool {
    switch self {
    case .transaction, .expiration, .grant, .product, .credit, .value, .deviceName: true
    case .renewalInfo, .storePart: false
    }
  }
}
