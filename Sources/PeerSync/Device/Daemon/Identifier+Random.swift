extension Identifier {
  /// A new identifier from the system's random numbers.
  package static func random() -> Identifier {
    var generator = SystemRandomNumberGenerator()
    return Identifier(high: generator.next(), low: generator.next())
  }
}
