// What `status` warns of in a catalogue.
extension Catalogue {
  /// ``gapsTold`` for whoever has little room: products that lack the same share a sentence.
  ///
  /// - Parameter title: what people call a product
  package func gapsToldTogether(_ title: (String) -> String) -> [Phrase] {
    ProductLack.Kind.allCases.flatMap { kind -> [Phrase] in
      let alike = lacks.filter { $0.kind == kind }
      guard alike.count > 1 else { return alike.map(\.told) }
      var names: [String] = []
      for lack in alike where names.last != title(lack.product) { names.append(title(lack.product)) }
      return [.lack(kind, of: names)]
    }
  }
}
