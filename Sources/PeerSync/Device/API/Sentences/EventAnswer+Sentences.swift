import Foundation

extension EventAnswer {
  /// What happened, in one sentence on one line.
  ///
  /// The same for the same arguments, wherever it is asked.
  ///
  /// - Parameters:
  ///   - language: the language of the sentence
  ///   - zone: the reader's; dates are given in it
  ///   - name: what the reader calls a product of which the event has the id alone; by default its id
  public func sentence(
    in language: SentenceLanguage, zone: TimeZone, name: (String) -> String = { $0 }
  ) -> String {
    let dates = SentenceDates(language: language, zone: zone)
    let phrases: any EventPhrases =
      switch language {
      case .english: EnglishEventPhrases(dates: dates)
      case .korean: KoreanEventPhrases(dates: dates)
      }
    // A grant says itself until when.
    let standing = (change == "granted" ? [] : entitlements ?? []).map(phrases.standing)
    let outcome = (standing + [coveredLine(phrases, dates)].compactMap(\.self)).joined(separator: ", ")
    let text = (outcome.isEmpty ? "" : outcome + ": ") + sentence(phrases, dates, language, name)
    return text.replacing("\n", with: " ")
  }

  private func sentence(
    _ phrases: any EventPhrases, _ dates: SentenceDates, _ language: SentenceLanguage,
    _ product: (String) -> String
  ) -> String {
    let who = device?.name
    let thing = self.product?.name ?? ""
    switch type {
    case .purchase:
      return change == "renewed" ? phrases.renewed(thing) : phrases.bought(thing, quantity ?? 1, by: who)
    case .refund: return phrases.refunded(thing, by: who)
    case .spend: return phrases.spent(amount ?? 0, of: credit ?? "", by: who)
    case .reclaim:
      return phrases.reclaimed(
        amount ?? 0, of: credit ?? "", by: who, counts: change != "void", isNamed: change == "named")
    case .grant:
      return change == "revoked"
        ? phrases.revoked(entitlement ?? "", by: who)
        : phrases.granted(entitlement ?? "", until: expires.map(dates.day), by: who)
    case .expiration: return phrases.dated(line ?? "", until: expires.map(dates.day), by: who)
    case .product: return phrases.stated(thing, by: who)
    case .value: return phrases.set(key ?? "", to: shown(value ?? ""), by: who)
    case .membership:
      let name = subject?.name ?? ""
      if change == "renamed" {
        let id = subject?.id ?? ""
        return subject?.firstName.map { phrases.renamed($0, to: name) }
          ?? phrases.renamed(id: DeviceID(id)?.shortForm ?? id, to: name)
      }
      return change == "removed"
        ? phrases.removed(name, by: subject == device ? nil : who, isLeaving: subject == device)
        : phrases.joined(name, by: who)
    case .accepted: return phrases.accepted(who)
    case .entitlement: return phrases.ended(entitlement ?? "", expires.map(dates.day))
    case .subscription:
      return subscription?.outlook(in: language, date: dates.text, name: product).joined(separator: " ") ?? ""
    case .connection: return phrases.connection(subject?.name ?? "", isOpen: change == "connected")
    case .warning: return phrases.warning(text ?? "", isOver: change == "ended")
    }
  }

  /// How long the line lasts that was bought, where an entitlement does not say it: credits or a grant may keep that up as well.
  private func coveredLine(_ phrases: any EventPhrases, _ dates: SentenceDates) -> String? {
    guard type == .purchase || type == .refund, let line, let expires,
      entitlements?.contains(where: { $0.active && $0.expires == nil }) ?? false
    else { return nil }
    return phrases.covered(line, until: dates.day(expires))
  }

  /// As much of a value as goes into a line.
  private func shown(_ value: String) -> String { value.count > 24 ? value.prefix(24) + "…" : value }
}

extension HistoryAnswer {
  /// The same for people: products that one device put into the catalogue one after another are one event.
  public var condensed: [EventAnswer] {
    var condensed: [EventAnswer] = []
    var products: [String] = []
    for event in events {
      guard event.type == .product, let product = event.product else {
        condensed.append(event)
        continue
      }
      if let last = condensed.last, last.type == .product, last.device == event.device {
        products.append(product.name)
        condensed[condensed.count - 1].product = EventAnswer.Named(id: product.id, name: Self.list(products))
      } else {
        products = [product.name]
        condensed.append(event)
      }
    }
    return condensed
  }

  private static func list(_ names: [String]) -> String {
    let shown = names.prefix(4).joined(separator: ", ")
    return names.count > 4 ? "\(shown), … (\(names.count))" : shown
  }
}

extension PositionAnswer {
  /// Where whoever reads it stands, in one sentence.
  public func sentence(in language: SentenceLanguage) -> String {
    switch (language, type) {
    case (.english, "reset"): "some of what happened was missed: see `peerd history`"
    case (.english, _): "what happens from now on:"
    case (.korean, "reset"): "그동안 일어난 일 가운데 일부를 놓쳤습니다. `peerd history` 명령으로 확인하세요"
    case (.korean, _): "지금부터 일어나는 일:"
    }
  }
}

/// One language's way of saying what happened. No name: it is not known here who did it.
protocol EventPhrases {
  /// How an entitlement stands since.
  func standing(_ entitlement: EntitlementAnswer) -> String
  /// How long a line lasts since.
  func covered(_ line: String, until date: String) -> String
  func bought(_ product: String, _ quantity: Int, by name: String?) -> String
  func renewed(_ product: String) -> String
  func refunded(_ product: String, by name: String?) -> String
  func spent(_ amount: Int64, of credit: String, by name: String?) -> String
  func reclaimed(_ amount: Int64, of credit: String, by name: String?, counts: Bool, isNamed: Bool) -> String
  func granted(_ entitlement: String, until date: String?, by name: String?) -> String
  func revoked(_ entitlement: String, by name: String?) -> String
  func dated(_ line: String, until date: String?, by name: String?) -> String
  func stated(_ product: String, by name: String?) -> String
  func set(_ key: String, to value: String, by name: String?) -> String
  func joined(_ device: String, by name: String?) -> String
  /// - Parameter device: what it was called when it was made: a name between is not kept
  func renamed(_ device: String, to name: String) -> String
  /// The same of a device that is called again what it was called when it was made.
  ///
  /// - Parameter id: the first group of it
  func renamed(id: String, to name: String) -> String
  func removed(_ device: String, by name: String?, isLeaving: Bool) -> String
  func accepted(_ device: String?) -> String
  func ended(_ entitlement: String, _ date: String?) -> String
  func connection(_ device: String, isOpen: Bool) -> String
  func warning(_ text: String, isOver: Bool) -> String
}
