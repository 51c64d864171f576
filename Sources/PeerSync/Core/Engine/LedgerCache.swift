/// The ledger that follows from the registers, kept up to date when it is asked for.
///
/// A write only leaves its key here; decoding and folding wait for a reader. A device that takes in a long delta nobody
/// looks at does no more than copy keys.
struct LedgerCache: Sendable {
  private var ledger: Ledger
  /// Keys of registers that changed since the ledger was last brought up to date, one behind another.
  private var changed: [UInt8] = []
  /// Whether so much has changed that the ledger is read anew.
  private var isStale = true

  /// Keys kept before a full reading is the cheaper way, in bytes.
  private static let changedLimit = 1 << 20

  init(environment: Environment, bundleId: String) {
    ledger = Ledger(environment: environment, bundleId: bundleId)
  }

  /// Notes that the registers of these writes have changed.
  mutating func note(_ writes: WriteBatch) {
    guard !isStale else { return }
    writes.forEach { write in
      guard let kind = write.key.first.flatMap({ RegisterKind(rawValue: $0) }), kind.isOfLedger else {
        return
      }
      changed.append(UInt8(truncatingIfNeeded: write.key.count >> 8))
      changed.append(UInt8(truncatingIfNeeded: write.key.count))
      changed.append(contentsOf: write.key)
    }
    if changed.count > Self.changedLimit { isStale = true }
    if isStale { changed = [] }
  }

  /// Notes that registers may have lost what they held.
  mutating func invalidate() {
    isStale = true
    changed = []
  }

  /// Brings the ledger up to date with the registers and hands it out for reading.
  mutating func read<Result>(_ registers: RegisterMap, _ body: (inout Ledger) throws -> Result) rethrows
    -> Result
  {
    if isStale {
      ledger = Ledger(environment: ledger.environment, bundleId: ledger.bundleId)
      registers.forEach { write in
        ledger.apply(key: Array(write.key)[...], value: Array(write.value)[...], stamp: write.stamp)
      }
      isStale = false
    } else {
      applyChanged(registers)
    }
    return try body(&ledger)
  }

  private mutating func applyChanged(_ registers: RegisterMap) {
    var position = 0
    while position < changed.count {
      let length = Int(changed[position]) << 8 | Int(changed[position + 1])
      let key = changed[(position + 2)..<(position + 2 + length)]
      position += 2 + length
      guard let register = registers.register(Array(key)) else { continue }
      ledger.apply(key: key, value: register.value[...], stamp: register.stamp)
    }
    changed.removeAll(keepingCapacity: changed.capacity < 1 << 14)
  }
}

extension RegisterKind {
  /// Whether the ledger reads registers of this kind.
  fileprivate var isOfLedger: Bool {
    switch self {
    case .transaction, .renewalInfo, .expiration, .grant, .product, .credit: true
    case .member, .value: false
    }
  }
}
