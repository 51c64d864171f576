import Foundation

/// Who reads sentences in answers.
package struct Reader: Sendable {
  package let language: SentenceLanguage
  let zone: TimeZone
  /// What products are called, by their ids.
  let names: [String: String]

  /// - Parameters:
  ///   - zone: dates are given in it: an identifier such as `Asia/Seoul`
  ///   - products: the catalogue, for what products are called
  /// - Returns: nil when there is no such language or zone
  package init?(language: String, zone: String, products: [ProductAnswer] = []) {
    guard let language = SentenceLanguage(rawValue: language), let zone = TimeZone(identifier: zone) else {
      return nil
    }
    (self.language, self.zone) = (language, zone)
    names = Dictionary(products.map { ($0.id, $0.displayName ?? $0.id) }) { first, _ in first }
  }
}

extension StatusAnswer {
  /// The same with sentences.
  package func told(to reader: Reader) -> StatusAnswer {
    var told = self
    told.subscriptions = subscriptions.map { $0.told(to: reader) }
    return told
  }
}

extension SubscriptionAnswer {
  /// The same with sentences.
  package func told(to reader: Reader) -> SubscriptionAnswer {
    var told = self
    told.sentences = sentences(in: reader.language, zone: reader.zone) { reader.names[$0] ?? $0 }
    return told
  }
}

extension ChangeAnswer {
  /// The same with sentences.
  package func told(to reader: Reader) -> ChangeAnswer {
    var told = self
    told.status = status.told(to: reader)
    return told
  }
}

extension HistoryAnswer {
  /// The same with sentences.
  package func told(to reader: Reader) -> HistoryAnswer {
    var told = self
    told.sentences = events.map { event in
      event.sentence(in: reader.language, zone: reader.zone) { reader.names[$0] ?? $0 }
    }
    return told
  }
}
