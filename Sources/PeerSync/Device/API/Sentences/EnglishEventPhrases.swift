/// What happened, in English.
struct EnglishEventPhrases: EventPhrases {
  let dates: SentenceDates

  func standing(_ entitlement: EntitlementAnswer) -> String {
    guard entitlement.active else { return "\(entitlement.id) inactive" }
    return entitlement.expires.map { "\(entitlement.id) until \(dates.day($0))" }
      ?? "\(entitlement.id) active"
  }

  func covered(_ line: String, until date: String) -> String {
    "line \(line) until \(date)"
  }

  func bought(_ product: String, _ quantity: Int, by name: String?) -> String {
    (name.map { "\($0) bought \(product)" } ?? "\(product) was bought")
      + (quantity > 1 ? ", \(quantity) times" : "")
  }

  func renewed(_ product: String) -> String { "the store renewed \(product)" }

  func refunded(_ product: String, by name: String?) -> String {
    name.map { "\($0) refunded \(product)" } ?? "\(product) was refunded"
  }

  func spent(_ amount: Int64, of credit: String, by name: String?) -> String {
    "\(somebody(name)) spent \(amount) of \(credit)"
  }

  func reclaimed(_ amount: Int64, of credit: String, by name: String?, counts: Bool, isNamed: Bool) -> String
  {
    (isNamed ? "a device that \(somebody(name)) names" : somebody(name))
      + " took over \(amount) of \(credit) from lost devices"
      + (counts ? "" : ", which were not lost: it does not count")
  }

  func granted(_ entitlement: String, until date: String?, by name: String?) -> String {
    "\(somebody(name)) granted \(entitlement)" + (date.map { " until \($0)" } ?? "")
  }

  func revoked(_ entitlement: String, by name: String?) -> String {
    "\(somebody(name)) took a grant of \(entitlement) back"
  }

  func dated(_ line: String, until date: String?, by name: String?) -> String {
    "\(somebody(name)) set \(line) to " + (date.map { "end on \($0)" } ?? "no cover")
  }

  func stated(_ product: String, by name: String?) -> String {
    "\(somebody(name)) put \(product) into the catalogue"
  }

  func set(_ key: String, to value: String, by name: String?) -> String {
    "\(somebody(name)) set \(key) to \(value)"
  }

  func joined(_ device: String, by name: String?) -> String {
    name.map { "\($0) took \(device) into the group" } ?? "\(device) founded the group"
  }

  func renamed(_ device: String, to name: String) -> String { "\(device) is now called \(name)" }

  func renamed(id: String, to name: String) -> String { "device \(id) is now called \(name)" }

  func removed(_ device: String, by name: String?, isLeaving: Bool) -> String {
    if isLeaving { return "\(device) left the group" }
    return name.map { "\($0) removed \(device)" } ?? "\(device) was removed"
  }

  func accepted(_ device: String?) -> String { "a person accepted the clock of \(device ?? "this device")" }

  func ended(_ entitlement: String, _ date: String?) -> String {
    "\(entitlement) ended" + (date.map { " on \($0)" } ?? "")
  }

  func connection(_ device: String, isOpen: Bool) -> String {
    isOpen ? "connected with \(device)" : "\(device) is not connected any more"
  }

  func warning(_ text: String, isOver: Bool) -> String { (isOver ? "over: " : "warning: ") + text }

  private func somebody(_ name: String?) -> String { name ?? "a device not known here" }
}
