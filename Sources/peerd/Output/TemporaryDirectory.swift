import Foundation
import PeerSync

/// A directory that goes away with the last reference, or when this process is told to stop.
final class TemporaryDirectory: Sendable {
  let path: String
  private let cleanup: UUID

  /// - Parameter purpose: what its name says it is for
  init(_ purpose: String = "bench") throws {
    var template = Array((NSTemporaryDirectory() + "peerd-\(purpose)-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else {
      throw StorageError.failed(path: NSTemporaryDirectory(), message: StorageReason(system: errno))
    }
    path = template.withUnsafeBufferPointer {
      String(decoding: $0.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
    cleanup = try Cleanup.add { [path] in try? FileManager.default.removeItem(atPath: path) }
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
    Cleanup.forget(cleanup)
  }
}
