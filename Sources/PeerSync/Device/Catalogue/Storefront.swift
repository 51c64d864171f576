/// Countries in which the App Store sells, by their ISO 3166-1 alpha-3 codes.
package enum Storefront {
  /// Where nobody says which, as in Xcode.
  package static let usual = "USA"

  /// The code that a file states; nil for what is none.
  package static func code(_ place: JSONPlace) -> String? {
    guard let text = try? place.text(atMost: 3), text.utf8.count == 3,
      text.utf8.allSatisfy({ (0x41...0x5a).contains($0) })
    else { return nil }
    return text
  }

  /// The ISO 4217 code of the currency of prices there; nil where it is not known here.
  package static func currency(of code: String) -> String? { euro.contains(code) ? "EUR" : own[code] }

  private static let euro: Set<String> = [
    "AUT", "BEL", "BGR", "CYP", "DEU", "ESP", "EST", "FIN", "FRA", "GRC", "HRV", "IRL", "ITA", "LTU", "LUX",
    "LVA", "MLT", "NLD", "PRT", "SVK", "SVN",
  ]
  /// Those with a currency of their own. In countries that are not here the App Store sells in dollars, or in what is not
  /// known.
  private static let own = [
    "ARE": "AED", "AUS": "AUD", "BRA": "BRL", "CAN": "CAD", "CHE": "CHF", "CHL": "CLP", "CHN": "CNY",
    "COL": "COP", "CZE": "CZK", "DNK": "DKK", "EGY": "EGP", "GBR": "GBP", "HKG": "HKD", "HUN": "HUF",
    "IDN": "IDR", "IND": "INR", "ISR": "ILS", "JPN": "JPY", "KAZ": "KZT", "KOR": "KRW", "MEX": "MXN",
    "MYS": "MYR", "NGA": "NGN", "NOR": "NOK", "NZL": "NZD", "PAK": "PKR", "PER": "PEN", "PHL": "PHP",
    "POL": "PLN", "QAT": "QAR", "ROU": "RON", "RUS": "RUB", "SAU": "SAR", "SGP": "SGD", "SWE": "SEK",
    "THA": "THB", "TUR": "TRY", "TWN": "TWD", "TZA": "TZS", "USA": "USD", "VNM": "VND", "ZAF": "ZAR",
  ]
}
