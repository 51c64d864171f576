extension String {
  /// The text as one part of a path, or as a value in a query: of its bytes only those that mean nothing there stay as they
  /// are.
  package var asPathPart: String {
    utf8.map { byte in
      switch UnicodeScalar(byte) {
      case "0"..."9", "A"..."Z", "a"..."z", "-", "_", "~": String(UnicodeScalar(byte))
      default: "%" + hexadecimal(UInt64(byte)).suffix(2).uppercased()
      }
    }.joined()
  }
}
