// The catalogue that all devices of the group share.
extension Engine {
  /// Written although it is beyond the limits, every device would count a product as a register that makes no sense.
  mutating func addProducts(
    _ products: [Product], version: UInt64, now: Now, _ effects: inout Effects
  ) -> Answer {
    if let unfit = products.first(where: { !$0.isWithinLimits }) { return .refused(.unfitProduct(unfit.id)) }
    return write(products.map { $0.write(version: version) }, now: now, &effects)
  }
}
