/// What is on its way out of memory: own writes that wait for their signature, own commits that wait to be pushed, and writes of
/// deltas that wait for the disk. A value that knows no session and no register: it is handed what it signs and where it puts it.
package struct Outbox: Sendable {
  /// Signs this device's commits and what it decides.
  let signer: SigningKey
  /// ``Limits/chunkBytes``, less in a simulation, so that a few writes make many pieces.
  package var chunkBytes = Limits.chunkBytes
  /// Own writes of the batch of events being handled that are not signed yet: the next commit.
  private var unsigned = WriteBatch()
  /// Own commits of the batch of events being handled that are signed and not pushed yet.
  private var sealed: [Commit] = []
  /// Writes of deltas still on their way, merged and not yet made durable.
  ///
  /// Until the end of a delta makes this replica claim them, nobody relies on them: after a crash they come again. Saving
  /// them together, in the order of their keys, writes each page of the disk's tree once and not once a piece.
  package private(set) var unsaved: [WriteBatch] = []
  private var unsavedBytes = 0

  package init(signer: SigningKey) { self.signer = signer }

  /// Whether so much waits for the disk that it waits no longer.
  var isFull: Bool { unsavedBytes >= Limits.unsavedBytes }

  // MARK: Own writes

  /// Has own writes signed with the next commit.
  package mutating func add(_ writes: WriteBatch) { unsigned.append(contentsOf: writes) }

  /// Signs the own writes that wait for it, as the next commits of a replica.
  package mutating func seal(in replica: inout Replica) {
    guard !unsigned.isEmpty else { return }
    for piece in pieces(of: unsigned) {
      if let commit = replica.seal(piece, by: signer) { sealed.append(commit) }
    }
    unsigned = WriteBatch()
  }

  /// The commits that wait to be pushed. Asked for once: they do so no more.
  package mutating func takeSealed() -> [Commit] {
    defer { sealed = [] }
    return sealed
  }

  /// Cuts writes into commits: consecutive, and no larger than fits into frames.
  private func pieces(of batch: WriteBatch) -> [WriteBatch] {
    var pieces: [WriteBatch] = []
    var piece = WriteBatch()
    var next: UInt64 = 0
    var hasNumbers = false
    batch.forEach { write in
      // A number goes with few others: whoever names it shows the hashes of all.
      hasNumbers = hasNumbers || RegisterKey.isNumber(write.key)
      let most = hasNumbers ? Limits.numberedWrites : Limits.commitWrites
      let isFull = piece.bytes.count >= chunkBytes || piece.count >= most
      if !piece.isEmpty, isFull || write.sequence != next {
        pieces.append(piece)
        piece = WriteBatch()
        hasNumbers = RegisterKey.isNumber(write.key)
      }
      piece.append(write)
      next = write.sequence + 1
    }
    return pieces + [piece]
  }

  // MARK: Writes of others

  /// Leaves the writes of a piece for later, unless a commit of the disk is certain: what won a register later must reach
  /// the disk later.
  package mutating func keep(_ won: WriteBatch, _ effects: inout Effects) {
    guard effects.durable.isEmpty else { return effects.durable.append(.written(won)) }
    unsaved.append(won)
    unsavedBytes += won.bytes.count
  }

  /// Puts the pieces of deltas before everything else that is to be made durable.
  package mutating func flush(_ effects: inout Effects) {
    effects.durable.prepend(unsaved)
    unsaved = []
    unsavedBytes = 0
  }
}
