import PeerSync

/// A request that has found its endpoint.
package struct EndpointCall<Body> {
  package let head: HTTPHead
  /// What stands in the path for the names in braces, decoded.
  package let names: [String]
  package let body: Body

  /// The first of the names.
  package var name: String { names.first ?? "" }
}

extension EndpointCall {
  /// ``QueryParameter/limit``.
  var limit: Int? {
    // What is no number is refused as one that is too small.
    head.parameter("limit").map { Int($0) ?? 0 }
  }

  /// A time of the query.
  func time(_ name: String) throws(Problem) -> Instant? {
    guard let text = head.parameter(name) else { return nil }
    guard let instant = Instant(text) else {
      throw Problem(
        .invalidValue,
        Phrase(
          "\(name) is a time such as 2026-01-31T00:00:00Z", "\(name) 값은 2026-01-31T00:00:00Z 같은 시각입니다"))
    }
    return instant
  }

  /// Whether something of the query is wanted.
  func flag(_ name: String) throws(Problem) -> Bool {
    switch head.parameter(name) {
    case nil, "false"?: return false
    case "true"?, ""?: return true
    default:
      throw Problem(
        .invalidValue, Phrase("\(name) is true or false", "\(name) 값은 true 또는 false입니다"))
    }
  }
}
