/// What waits in the runner to be sent on a session.
package struct SendQueue: Sendable {
  /// About how many bytes.
  package private(set) var bytes = 0
  /// Whether something was not sent because the queue was full: once it drains, vectors are compared.
  package var isBehind = false

  package mutating func add(_ message: Message) { bytes += message.approximateBytes }

  /// Notes that everything was sent.
  ///
  /// - Returns: whether something was left out
  package mutating func drain() -> Bool {
    defer { self = SendQueue() }
    return isBehind
  }
}
