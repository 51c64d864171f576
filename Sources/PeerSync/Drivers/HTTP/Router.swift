import Foundation

/// Finds the route of a request.
package enum Router {
  /// One path with one method.
  package struct Entry: Sendable {
    package let method: String
    /// As in OpenAPI: `/v1/lines/{id}`.
    package let path: String
    fileprivate let pattern: [Substring]
    fileprivate let make: @Sendable ([String]) -> Route

    fileprivate init(_ method: String, _ path: String, _ make: @escaping @Sendable ([String]) -> Route) {
      self.method = method
      self.path = path
      self.make = make
      pattern = path.split(separator: "/", omittingEmptySubsequences: false)
    }

    /// The decoded parts of a path that stand for the names in braces; nil when the path is another.
    fileprivate func match(_ parts: [Substring]) -> [String]? {
      guard parts.count == pattern.count else { return nil }
      var names: [String] = []
      for (part, expected) in zip(parts, pattern) {
        guard expected.hasPrefix("{") else {
          guard part == expected else { return nil }
          continue
        }
        guard let name = String(part).removingPercentEncoding, !name.isEmpty else { return nil }
        names.append(name)
      }
      return names
    }
  }

  package static let entries: [Entry] = [
    Entry("GET", "/v1/status") { _ in .status },
    Entry("GET", "/v1/entitlements") { _ in .entitlements },
    Entry("GET", "/v1/entitlements/{id}") { .entitlement($0[0]) },
    Entry("GET", "/v1/entitlements/{id}/why") { .why($0[0]) },
    Entry("GET", "/v1/lines/{id}") { .line($0[0]) },
    Entry("PUT", "/v1/lines/{id}/expiration") { .setExpiration(line: $0[0]) },
    Entry("GET", "/v1/subscriptions") { _ in .subscriptions },
    Entry("GET", "/v1/products") { _ in .products },
    Entry("GET", "/v1/transactions") { _ in .transactions },
    Entry("POST", "/v1/transactions") { _ in .ingest },
    Entry("GET", "/v1/notifications") { _ in .notifications },
    Entry("POST", "/v1/purchases") { _ in .purchase },
    Entry("POST", "/v1/refunds") { _ in .refund },
    Entry("POST", "/v1/restore") { _ in .restore },
    Entry("GET", "/v1/credits") { _ in .credits },
    Entry("POST", "/v1/credits/{id}/spends") { .spend(credit: $0[0]) },
    Entry("POST", "/v1/credits/{id}/reclaim") { .reclaim(credit: $0[0]) },
    Entry("PUT", "/v1/grants/{entitlement}") { .grant($0[0]) },
    Entry("DELETE", "/v1/grants/{entitlement}") { .revoke($0[0]) },
    Entry("GET", "/v1/values/{key}") { .value($0[0]) },
    Entry("PUT", "/v1/values/{key}") { .setValue($0[0]) },
    Entry("GET", "/v1/devices") { _ in .devices },
    Entry("DELETE", "/v1/devices/{id}") { .remove(device: $0[0]) },
    Entry("POST", "/v1/invitations") { _ in .invite },
    Entry("POST", "/v1/membership") { _ in .join },
    Entry("PUT", "/v1/network") { _ in .network },
    Entry("GET", "/v1/export") { _ in .exportLedger },
    Entry("POST", "/v1/import") { _ in .importLedger },
    Entry("GET", "/v1/events") { _ in .events },
    Entry("GET", "/metrics") { _ in .metrics },
    Entry("GET", "/healthz") { _ in .health },
    Entry("GET", "/openapi.json") { _ in .openAPI },
    Entry("GET", "/") { _ in .dashboard },
  ]

  /// - Parameter path: as sent, percent-escapes included, without the query
  package static func route(method: String, path: String) throws(Problem) -> Route {
    try find(method: method, path: path).route
  }

  /// The same, with the entry that it comes from.
  static func find(method: String, path: String) throws(Problem) -> (entry: Entry, route: Route) {
    let asked = method == "HEAD" ? "GET" : method
    let there = matches(path)
    if let found = there.first(where: { $0.entry.method == asked }) {
      return (found.entry, found.entry.make(found.names))
    }
    guard !there.isEmpty else { throw Problem(.notFound, "there is nothing at \(path); see /openapi.json") }
    let methods = there.map(\.entry.method).joined(separator: ", ")
    throw Problem(.methodNotAllowed, "\(path) takes \(methods), not \(method)")
  }

  /// What a path takes, as the `Allow` header lists it (RFC 9110, section 10.2.1): who answers GET answers HEAD.
  package static func methods(of path: String) -> [String] {
    matches(path).flatMap { $0.entry.method == "GET" ? ["GET", "HEAD"] : [$0.entry.method] }
  }

  /// The entries of a path, of any method, with what stands for their names.
  private static func matches(_ path: String) -> [(entry: Entry, names: [String])] {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    return entries.compactMap { entry in entry.match(parts).map { (entry, $0) } }
  }
}
