import PeerSync

/// What is known of a request before its body arrives.
package struct HTTPHead: Sendable {
  /// In capitals, as sent.
  package let method: String
  /// The path as sent, percent-escapes included, without the query.
  package let path: String
  /// Header values by lower-case name; repeated headers are joined by ", ".
  package let headers: [String: String]
  /// What stands behind the question mark, decoded, in the order in which it came.
  package let query: [HTTPParameter]
  /// Where this server listens.
  package let server: Address

  package init(
    method: String, path: String, headers: [String: String], server: Address, query: [HTTPParameter] = []
  ) {
    self.query = query
    self.method = method
    self.path = path
    self.headers = headers
    self.server = server
  }
}

/// One `name=value` of a query.
package struct HTTPParameter: Hashable, Sendable {
  package let name: String
  package let value: String

  package init(name: String, value: String) {
    self.name = name
    self.value = value
  }
}

extension HTTPHead {
  /// The last value of a name.
  package func parameter(_ name: String) -> String? { parameters(name).last }

  /// Every value of a name.
  package func parameters(_ name: String) -> [String] { query.filter { $0.name == name }.map(\.value) }
}
