/// A request that has found its endpoint.
package struct EndpointCall<Body> {
  package let head: HTTPHead
  /// What stands in the path for the names in braces, decoded.
  package let names: [String]
  package let body: Body

  /// The first of the names.
  package var name: String { names.first ?? "" }
}
