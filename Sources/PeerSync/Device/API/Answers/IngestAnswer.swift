/// What became of signed items that were handed in.
public struct IngestAnswer: Codable, Hashable, Sendable {
  /// In the order of the items.
  public let results: [Result]

  package init(results: [Result]) { self.results = results }

  /// What became of one item.
  public struct Result: Codable, Hashable, Sendable {
    /// Its place, from 1.
    public let line: Int
    /// `transaction`, `renewalInfo` or `notification`, as it claims; null when it cannot be read.
    @Nullable public var kind: String?
    /// Whether its signature is good and it counts.
    public let accepted: Bool
    /// The transaction that it is about, as far as it can be read.
    @Nullable public var transactionId: String?
    /// Why it was refused, in one sentence.
    @Nullable public var reason: String?
    /// ``reason`` in Korean; left out where there is none, and by daemons of an earlier version.
    public var reasonInKorean: String?
    /// What a notification says of itself; null for anything else.
    @Nullable public var notification: NotificationAnswer?
    /// Whether it is a notification that was taken in before: it has changed nothing.
    public let repeated: Bool

    /// The same, at another place.
    package func at(line: Int) -> Result {
      Result(
        line: line, kind: kind, accepted: accepted, transactionId: transactionId, reason: reason,
        reasonInKorean: reasonInKorean, notification: notification, repeated: repeated)
    }

    /// ``reason``, in every language.
    package var told: Phrase? { reason.map { Phrase($0, reasonInKorean ?? $0) } }
  }
}
