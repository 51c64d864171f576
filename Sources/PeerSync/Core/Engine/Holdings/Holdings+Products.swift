// The catalogue that all devices of the group share.
extension Holdings {
  /// Of a catalogue that this device has written before, or a later one of, nothing is written, whatever stands by now: devices
  /// with different catalogues of one version would have theirs by turns, at each start. Written although it is beyond the
  /// limits, every device would count a product as a register that makes no sense.
  package mutating func addProducts(
    _ products: [Product], version: UInt64, at moment: Moment, _ effects: inout Effects
  ) -> Answer {
    if let unfit = products.first(where: { !$0.isWithinLimits }) { return .refused(.unfitProduct(unfit.id)) }
    guard version <= Limits.catalogueVersion else { return .refused(.tooLarge) }
    let news = products.map { $0.write(version: version) }.filter { write in
      guard let own = replica.ownValue(write.key) else { return true }
      return own != write.value && (try? Product.version(of: own[...])) ?? 0 <= version
    }
    return write(news, at: moment, &effects)
  }

  /// Writes products so that they stand above what others have written of them, whatever its version is, for as long as that counts.
  /// Then they are of one version more than what this device had written before. One that stands as it is stays.
  package mutating func putProducts(_ products: [Product], at moment: Moment, _ effects: inout Effects)
    -> Answer
  {
    if let unfit = products.first(where: { !$0.isWithinLimits }) { return .refused(.unfitProduct(unfit.id)) }
    let writes = products.compactMap { product -> LocalWrite? in
      let key = RegisterKey.product(id: product.id).encoded
      guard let standing = readableProduct(under: key) else { return product.write(version: 0) }
      if standing == product { return nil }
      let before = replica.ownValue(key).flatMap { try? Product.version(of: $0[...]) }
      let version = min((before ?? 0) + 1, UInt64(Limits.catalogueVersion))
      return LocalWrite(key: key, value: product.encoded(version: version, isAnswer: true))
    }
    return write(writes, at: moment, &effects)
  }

  /// What counts of a product. What cannot be read counts nowhere, whatever its stamp is.
  private func readableProduct(under key: [UInt8]) -> Product? {
    let standing = replica.registers.standing(under: key, ledgerCache.counting) { write in
      (try? Product(decoding: Array(write.value)[...])) != nil
    }
    return standing.flatMap { try? Product(decoding: $0.value[...]) }
  }
}
