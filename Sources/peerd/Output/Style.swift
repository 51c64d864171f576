import PeerSync

/// Colours of a terminal, or none.
package struct Style: Sendable {
  private let isColoured: Bool

  /// - Parameter isTerminal: whether a person's terminal shows the text
  package init(isTerminal: Bool, environment: [String: String]) {
    let isUnwanted = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
    isColoured = isTerminal && !isUnwanted && environment["TERM"] != "dumb"
  }

  package func bold(_ text: String) -> String { wrap(text, "1") }
  package func good(_ text: String) -> String { wrap(text, "32") }
  package func bad(_ text: String) -> String { wrap(text, "31") }
  package func warning(_ text: String) -> String { wrap(text, "33") }
  package func faint(_ text: String) -> String { wrap(text, "2") }

  /// Words for the state of a subscription, in the colour of what it means.
  func coloured(_ words: String, as state: SubscriptionState) -> String {
    switch state {
    case .subscribed: good(words)
    case .inGracePeriod, .inBillingRetry: warning(words)
    case .expired, .revoked: bad(words)
    }
  }

  private func wrap(_ text: String, _ code: String) -> String {
    isColoured ? "\u{1b}[\(code)m\(text)\u{1b}[0m" : text
  }
}
