/// The version of this program and library (Semantic Versioning).
package enum Version {
  package static let current = "0.1.0"
}
