import Foundation

// The whole ledger as one JSON document: readable, and exact.
extension Daemon {
  /// Every register, decoded for people, with the bytes that ``importLedger(_:)`` takes in.
  package func exportLedger() throws -> JSONValue {
    try read { engine, now in
      let identity = engine.identity
      return [
        "format": .string(ExportFormat.name), "version": .integer(ExportFormat.version),
        "exported": .string(now.wall.description), "digest": .string(engine.replica.digest.description),
        "device": [
          "id": .string(identity.device.description), "name": .string(identity.name),
          "environment": .string(identity.environment.rawValue), "bundleId": .string(identity.bundleId),
        ],
        // What is missing from it, should the device have lost something.
        "warnings": .array(engine.losses.map { .string($0.text(in: .english)) }),
        "registers": .array(engine.exportedRegisters),
      ]
    }
  }

  /// Takes an exported ledger in. What is known here and newer stays; doing it again changes nothing.
  ///
  /// Only each register's raw bytes count, so that an export of a later version comes in whole. Who belongs to the group
  /// and what its devices have spent is not taken over.
  ///
  /// - Throws: a ``Problem`` for a document that is not an export; nothing has been taken in then
  package func importLedger(_ document: JSONValue) async throws -> ImportAnswer {
    // What each replica has spent and given is its alone to say.
    let all = try ExportFormat.writes(of: document, storeTrust.verifier.cryptography)
    // And what it is called.
    let own = [RegisterKind.credit, .deviceName].map(\.rawValue)
    let writes = all.filter { write in !own.contains { $0 == write.key.first } }
    var changed = 0
    var rest = writes[...]
    while !rest.isEmpty {
      // In pieces that travel as commits of a moderate size. A failure halfway loses nothing: importing again goes on.
      let piece = Array(rest.prefix(ExportFormat.pieceWrites))
      rest = rest.dropFirst(ExportFormat.pieceWrites)
      changed += try await require(.write(piece)).changed
    }
    return ImportAnswer(registers: writes.count, skipped: all.count - writes.count, changed: changed)
  }
}

extension EngineView {
  fileprivate var exportedRegisters: [JSONValue] {
    var reader = StoreReader(verifier: engine.storeVerifier, trustedRoots: engine.trustedRoots)
    return engine.replica.sortedWrites().map { ExportFormat.entry($0, fact(of: $0, &reader)) }
  }

  /// What a register says; nil when it says nothing that is understood here.
  private func fact(of write: Write, _ reader: inout StoreReader) -> JSONValue? {
    guard let key = try? RegisterKey(decoding: write.key[...]) else { return nil }
    guard let subject = StoreSubject(key) else {
      return (try? Fact(key: key, value: write.value[...]))?.readable
    }
    let reading = reader.read(key, value: write.value[...], stamp: write.stamp) {
      engine.replica.registers.value($0.encoded)
    }
    return switch reading {
    case .verified(let payload): payload.readable(device: subject.device, nil)
    case .refused(let reason, let claimed): claimed?.readable(device: subject.device, reason)
    }
  }
}

extension StorePayload {
  /// What an item says, as a person reads it.
  fileprivate func readable(device: DeviceID?, _ reason: JWSRejection?) -> JSONValue? {
    switch self {
    case .transaction(let transaction):
      let record = TransactionRecord(transaction: transaction, device: device, rejection: reason)
      return JSONValue(encoding: TransactionAnswer(record))
    case .renewalInfo(let info):
      return JSONValue(encoding: RenewalInfoAnswer(info, device: device, reason))
    case .notification: return nil
    }
  }
}

extension Fact {
  /// The fact as a person reads it.
  fileprivate var readable: JSONValue {
    switch self {
    case .transaction(let transaction, let device):
      JSONValue(encoding: TransactionAnswer(TransactionRecord(transaction: transaction, device: device)))
    case .expiration(let line, let register):
      JSONValue(encoding: ExpirationAnswer(register, line: line, written: nil))
    case .grant(let entitlement, let id, let grant):
      JSONValue(
        encoding: GrantAnswer(GrantProof(id: id, grant: grant, stands: grant.present), of: entitlement))
    case .product(let product, _):
      JSONValue(encoding: ProductAnswer(Offer(product: product, action: .buy, expires: nil)))
    case .credit(let credit, let entry): ["credit": .string(credit), "entry": .string("\(entry)")]
    case .other(.value(let key), let value):
      JSONValue(encoding: ValueAnswer(key: key, value: String(decoding: value, as: UTF8.self)))
    case .other: .null
    }
  }
}

extension Ledger {
  /// The ledger of an export, as a device would read it.
  ///
  /// - Parameter roots: SHA-256 of the roots of stores that it trusts
  /// - Throws: a ``Problem`` for a document that is not an export
  package init(exported document: JSONValue, trusting roots: Set<ContentHash>) throws(Problem) {
    let device = document["device"]
    guard case .string(let environment)? = device?["environment"],
      case .string(let app)? = device?["bundleId"],
      let environment = Environment(rawValue: environment)
    else { throw ExportFormat.notExport }
    self.init(environment: environment, bundleId: app)
    var reader = StoreReader(verifier: StoreKitVerifier().verifier, trustedRoots: roots)
    let writes = try ExportFormat.writes(of: document, reader.verifier.cryptography)
    let values = Dictionary(writes.map { ($0.key, $0.value) }) { $1 }
    for write in writes {
      apply(
        key: write.key[...], value: write.value[...], stamp: write.stamp ?? Stamp(rawValue: 0), &reader
      ) { values[$0.encoded] }
    }
  }
}
