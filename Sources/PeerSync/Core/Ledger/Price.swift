/// Prices as catalogues write them (`4.99`) and as the store counts them: thousandths of the currency's unit.
package enum Price {
  /// Nil for what is not a plain decimal number, too large to count, or finer than a thousandth.
  package static func milliunits(_ text: String) -> Int64? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), !parts[0].isEmpty, parts[0].count <= 12,
      parts.allSatisfy({ $0.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) })
    else { return nil }
    let decimals = parts.count > 1 ? String(parts[1].prefix(3)) : ""
    guard parts.count == 1 || parts[1].dropFirst(3).allSatisfy({ $0 == "0" }) else { return nil }
    return Int64(parts[0] + decimals + String(repeating: "0", count: 3 - decimals.count))
  }

  /// At least two decimals.
  package static func text(_ milliunits: Int64) -> String {
    let (units, thousandths) = milliunits.magnitude.quotientAndRemainder(dividingBy: 1000)
    let digits = String(String(1000 + thousandths).dropFirst())
    return (milliunits < 0 ? "-" : "") + "\(units)."
      + (digits.hasSuffix("0") ? String(digits.dropLast()) : digits)
  }
}
