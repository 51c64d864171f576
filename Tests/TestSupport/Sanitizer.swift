import Foundation

/// What `make sanitize` builds into the programs.
package enum Sanitizer {
  /// Whether there is one: then everything takes many times as long, and most of the memory and processor time is its own.
  package static let isOn = ProcessInfo.processInfo.environment["PEERSYNC_SANITIZED"] != nil

  /// What it has been told, by variables of the environment.
  package static let options = ProcessInfo.processInfo.environment.filter { $0.key.hasSuffix("SAN_OPTIONS") }
}
