// The catalogue that all devices of the group share.
extension Holdings {
  /// Of a catalogue that this device has written before, or a later one of, nothing is written, whatever stands by now: devices
  /// with different catalogues of one version would have theirs by turns, at each start. Written although it is beyond the
  /// limits, every device would count a product as a register that makes no sense.
  package mutating func addProducts(
    _ products: [Product], version: UInt64, at moment: Moment, _ effects: inout Effects
  ) -> Answer {
    if let unfit = products.first(where: { !$0.isWithinLimits }) { return .refused(.unfitProduct(unfit.id)) }
    guard version <= Limits.catalogueVersion else { return .refused(.tooLarge) }
    var writes: [LocalWrite] = []
    for entries in products.byProduct {
      let own = ownRecord(of: entries[0].id)
      let news = entries.map { ProductRecord.Entry($0, version: version) }
        .filter { !(own?.outdoes($0) ?? false) }
      guard !news.isEmpty else { continue }
      guard let record = ProductRecord(stating: news, over: own) else {
        return .refused(.unfitProduct(entries[0].id))
      }
      if !(own.map(record.says) ?? false) { writes.append(record.write) }
    }
    return writeProducts(writes, at: moment, &effects)
  }

  /// Writes products so that they stand above what others have written of them, whatever its version is, for as long as that counts.
  /// Then they are of one version more than what this device had written before. One that stands as it is stays.
  package mutating func putProducts(_ products: [Product], at moment: Moment, _ effects: inout Effects)
    -> Answer
  {
    if let unfit = products.first(where: { !$0.isWithinLimits }) { return .refused(.unfitProduct(unfit.id)) }
    var writes: [LocalWrite] = []
    for entries in products.byProduct {
      let id = entries[0].id
      let standing = ledger { $0.entries(of: id) }
      if entries.stand(in: standing) { continue }
      let own = ownRecord(of: id)
      let version = standing.isEmpty ? 0 : min((own?.version ?? 0) + 1, UInt64(Limits.catalogueVersion))
      let news = entries.map { ProductRecord.Entry($0, version: version, isAnswer: !standing.isEmpty) }
      guard let write = ProductRecord(stating: news, over: own)?.write else {
        return .refused(.unfitProduct(id))
      }
      writes.append(write)
    }
    return writeProducts(writes, at: moment, &effects)
  }

  /// Writes products of which nobody has stated anything, as ``Stamp/adopted``. What is sold and gives nothing is no matter of devices.
  package mutating func adoptProducts(_ products: [Product], at moment: Moment, _ effects: inout Effects)
    -> Answer
  {
    if let unfit = products.first(where: { !$0.isWithinLimits }) { return .refused(.unfitProduct(unfit.id)) }
    let known = ledger { Set($0.productNames.map(Name.init)) }
    var writes: [LocalWrite] = []
    for entries in products.byProduct
    where entries.contains(where: \.givesSomething) && !known.contains(Name(entries[0].id)) {
      let record = ProductRecord(stating: entries.map { ProductRecord.Entry($0, version: 0) }, over: nil)
      guard let write = record?.write else { return .refused(.unfitProduct(entries[0].id)) }
      writes.append(LocalWrite(key: write.key, stamp: .adopted, value: write.value))
    }
    return writeProducts(writes, at: moment, &effects)
  }

  /// Writes products of which this device states no more than ``Limits/products``, with those of its earlier lives. What others state
  /// does not count: whoever states many keeps nobody from adding its own.
  private mutating func writeProducts(
    _ writes: [LocalWrite], at moment: Moment, _ effects: inout Effects
  ) -> Answer {
    guard !writes.isEmpty else { return write(writes, at: moment, &effects) }
    let lives = Set(replica.replicas(of: key) + [replica.id])
    var stated: Set<[UInt8]> = []
    replica.registers.forEach { write in
      guard write.key.first == RegisterKind.product.rawValue, lives.contains(write.replica) else { return }
      stated.insert(Array(write.key))
    }
    let fresh = writes.count { !stated.contains($0.key) }
    guard fresh == 0 || stated.count + fresh <= Limits.products else { return .refused(.tooManyProducts) }
    return write(writes, at: moment, &effects)
  }

  /// What this device has stated of a product, and when; nil when it has stated nothing that can be read.
  private func ownRecord(of product: String) -> ProductRecord? {
    let register = RegisterID(key: RegisterKey.product(id: product).encoded, author: replica.id)
    return replica.registers[register].flatMap { own in
      (try? ProductRecord(decoding: own.value[...]))?.decided(by: own.stamp)
    }
  }

  /// What comes with its stamp, and what this device has stated besides: a register of a product has several entries.
  func joined(_ write: (key: [UInt8], stamp: Stamp, value: [UInt8])) -> (stamp: Stamp, value: [UInt8]) {
    guard write.key.first == RegisterKind.product.rawValue,
      let coming = (try? ProductRecord(decoding: write.value[...]))?.decided(by: write.stamp),
      let own = ownRecord(of: coming.head.product.id),
      var record = ProductRecord(stating: coming.entries, over: own)
    else { return (write.stamp, write.value) }
    let stamp = record.entries.reduce(write.stamp) { max($0, $1.stamp ?? $0) }
    record.decide(at: stamp)
    return (stamp, record.encoded)
  }

  /// Whether an entry of a product that comes with its stamp would count for nothing.
  ///
  /// - Returns: nil when it cannot be read
  mutating func isOutdone(product value: [UInt8], _ stamp: Stamp) -> Bool? {
    guard let record = try? ProductRecord(decoding: value[...]) else { return nil }
    let entries = record.statements(by: stamp).living
    return !ledger { $0.takes(entries, of: record.head.product.id) }
  }
}

extension ProductRecord {
  /// The greatest version of what is stated.
  fileprivate var version: UInt64 { head.version }

  /// Whether a later catalogue's entry counts wherever one would.
  fileprivate func outdoes(_ entry: Entry) -> Bool {
    entries.contains {
      $0.version > entry.version && $0.product.from.beginsNoLater(than: entry.product.from)
    }
  }

  /// Whether it states the same, whenever that was decided.
  fileprivate func says(as other: ProductRecord) -> Bool {
    func contents(_ record: ProductRecord) -> [Entry] {
      record.entries.map { Entry($0.product, version: $0.version, isAnswer: $0.isAnswer) }
    }
    return contents(self) == contents(other)
  }
}

extension [Product] {
  /// Whether purchases count by these entries already, from the first of them on.
  fileprivate func stand(in standing: [Product]) -> Bool {
    let from = standing.firstIndex { $0.from == self[0].from }
    return from.map { Array(standing[$0...]) == self } ?? false
  }
}
