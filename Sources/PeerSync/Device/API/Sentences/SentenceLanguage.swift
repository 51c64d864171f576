/// A language that sentences for people come in. Documents for programs are in none.
public enum SentenceLanguage: String, Hashable, Sendable, CaseIterable {
  /// English.
  case english = "en"
  /// Korean.
  case korean = "ko"

  /// The language of a locale such as `ko_KR.UTF-8` or `ko-KR`; English for every other.
  public init(locale: String) {
    let language = locale.prefix { $0.isLetter }.lowercased()
    self = SentenceLanguage(rawValue: language) ?? .english
  }

  /// The language that a program's environment asks for: the first of `LC_ALL`, `LC_MESSAGES` and `LANG` that says any.
  public init(environment: [String: String]) {
    let locales = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }
    self.init(locale: locales.first { !$0.isEmpty } ?? "")
  }
}
