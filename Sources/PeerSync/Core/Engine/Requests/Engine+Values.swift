// Values of the app.
extension Engine {
  mutating func setValue(_ key: String, to value: [UInt8], now: Now, _ effects: inout Effects) -> Answer {
    let key = RegisterKey.value(key: key)
    guard key.isWithinLimits else { return .refused(.tooLarge) }
    return write([LocalWrite(key: key.encoded, value: value)], now: now, &effects)
  }
}
