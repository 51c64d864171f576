/// A write to a register: what is replicated. Of a decision the later write of its author holds the register, of anything else the
/// one with the greater stamp.
package struct Write: Hashable, Sendable {
  /// The encoded ``RegisterKey``.
  package var key: [UInt8]
  /// What orders it among the writes of its register.
  package var stamp: Stamp
  /// The encoded value.
  package var value: [UInt8]
  /// Its name.
  package var dot: Dot

  package init(key: [UInt8], stamp: Stamp, value: [UInt8], dot: Dot) {
    self.key = key
    self.stamp = stamp
    self.value = value
    self.dot = dot
  }

  package init(_ view: borrowing WriteView) {
    self.init(
      key: Array(view.key), stamp: view.stamp, value: Array(view.value),
      dot: Dot(replica: view.replica, sequence: view.sequence))
  }

  /// Calls `body` with this write as a view.
  package func withView<Result>(_ body: (borrowing WriteView) -> Result) -> Result {
    key.withUnsafeBytes { key in
      value.withUnsafeBytes { value in
        body(WriteView(replica: dot.replica, sequence: dot.sequence, stamp: stamp, key: key, value: value))
      }
    }
  }
}
