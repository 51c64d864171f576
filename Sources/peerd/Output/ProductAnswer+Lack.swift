import PeerSync

extension ProductAnswer {
  /// Why a purchase of it grants nothing, where no catalogue says enough of it, and what mends that; nil: nothing is missing.
  func lack(called name: String) -> Phrase? {
    ProductLack.Kind(
      type.flatMap { ProductType(rawValue: $0) }, coversTime: line != nil && period != nil,
      buysCredit: credit != nil
    ).map { ProductLack(product: name, from: nil, kind: $0).told + .lackRemedy }
  }
}
