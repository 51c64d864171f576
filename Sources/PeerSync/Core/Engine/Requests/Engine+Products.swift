// The catalogue that all devices of the group share.
extension Engine {
  /// Of a catalogue that this device has written before, or a later one of, nothing is written, whatever stands by now: devices
  /// with different catalogues of one version would have theirs by turns, at each start. Written although it is beyond the
  /// limits, every device would count a product as a register that makes no sense.
  mutating func addProducts(
    _ products: [Product], version: UInt64, now: Now, _ effects: inout Effects
  ) -> Answer {
    if let unfit = products.first(where: { !$0.isWithinLimits }) { return .refused(.unfitProduct(unfit.id)) }
    guard version <= Limits.catalogueVersion else { return .refused(.tooLarge) }
    let news = products.map { $0.write(version: version) }.filter { write in
      guard let own = replica.ownValue(write.key) else { return true }
      return own != write.value && (try? Product.version(of: own[...])) ?? 0 <= version
    }
    return write(news, now: now, &effects)
  }
}
