/// Purchases and refunds that wait for the signature of the store that a device simulates for itself.
///
/// What such a store has to sign leaves the core unsigned, and comes back signed: the core holds no key of a store. Nothing of it is durable
/// before it is signed, and whoever asked is answered after it is.
package struct Drafts: Sendable {
  /// A purchase or a refund that waits for the signature of the store. The runner answers every draft at once, so that no more
  /// wait than one batch of events asks for.
  private struct Draft: Sendable {
    let record: TransactionRecord
    /// Those that asked for it; the first of them names it.
    var requests: [RequestID]
  }

  private var waiting: [Draft] = []

  package init() {}

  /// What waits.
  package var records: [TransactionRecord] { waiting.map(\.record) }

  /// Has a snapshot signed, and taken in then.
  package mutating func add(_ record: TransactionRecord, for request: RequestID, _ effects: inout Effects) {
    waiting.append(Draft(record: record, requests: [request]))
    effects.drafts.append((request, record.transaction))
  }

  /// Lets a request wait for a draft of others: two that ask for one thing at one time get one thing.
  ///
  /// - Returns: whether there is such a draft
  package mutating func join(_ request: RequestID, where isSame: (TransactionRecord) -> Bool) -> Bool {
    guard let index = waiting.firstIndex(where: { isSame($0.record) }) else { return false }
    waiting[index].requests.append(request)
    return true
  }

  /// Takes in what the store has signed of a draft.
  ///
  /// - Parameter item: verified like anything that a store has signed; nil: it could not sign
  package mutating func takeSigned(
    _ item: IngestedItem?, for request: RequestID, of identity: Identity, _ holdings: inout Holdings,
    at moment: Moment, _ effects: inout Effects
  ) {
    guard let index = waiting.firstIndex(where: { $0.requests.first == request }) else { return }
    let draft = waiting.remove(at: index)
    let answer = Self.take(item, as: draft.record.device, of: identity, &holdings, at: moment, &effects)
    for request in draft.requests { effects.answers.append((request, answer)) }
  }

  private static func take(
    _ item: IngestedItem?, as device: DeviceID?, of identity: Identity, _ holdings: inout Holdings,
    at moment: Moment, _ effects: inout Effects
  ) -> Answer {
    guard let item, case .transaction(let transaction)? = item.items.first?.payload else {
      return .refused(.purchase(.notSigned(item?.reason)))
    }
    let answer = holdings.ingest([item], of: identity, at: moment, &effects)
    guard answer.refusal == nil else { return answer }
    let record = TransactionRecord(transaction: transaction, device: device)
    return .transaction(holdings.ledger { $0.transaction(record.reference) } ?? record)
  }
}
