import PeerSyncCore

/// Remembers what the registers of a world say. A device that starts reads all of its registers again, and a world starts devices hundreds
/// of times; what one says that holds the same, byte for byte, stays so under the same roots.
///
/// `@unchecked Sendable`: it belongs to one ``World``, which runs on one thread at a time.
final class ReadingMemo: ReadingMemory, @unchecked Sendable {
  /// By the hash of the register: of two with one hash the later one is remembered.
  private var known: [UInt64: Entry] = [:]

  func recall(_ write: borrowing WriteView, trusting roots: Set<ContentHash>) -> RememberedReading? {
    guard let entry = known[RegisterID.hash(of: write.key, by: write.replica)], entry.stamp == write.stamp,
      entry.key.withUnsafeBytes({ $0.hasSameBytes(as: write.key) }),
      entry.value.withUnsafeBytes({ $0.hasSameBytes(as: write.value) }), entry.roots == roots
    else { return nil }
    return entry.reading
  }

  func remember(
    _ reading: RememberedReading, of write: borrowing WriteView, trusting roots: Set<ContentHash>
  ) {
    known[RegisterID.hash(of: write.key, by: write.replica)] = Entry(reading, of: write, roots)
  }

  /// A register that was read, with all that its reading hangs on.
  private final class Entry {
    let key: [UInt8]
    let stamp: Stamp
    let value: [UInt8]
    let roots: Set<ContentHash>
    let reading: RememberedReading

    init(_ reading: RememberedReading, of write: borrowing WriteView, _ roots: Set<ContentHash>) {
      (key, stamp, value) = (Array(write.key), write.stamp, Array(write.value))
      (self.roots, self.reading) = (roots, reading)
    }
  }
}
