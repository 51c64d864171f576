/// Which of the devices that never were members, and of which numbers are named, stand alone where it is worked out who pays.
///
/// Anybody makes up keys, and has numbers named that they signed: together they are one device, so that any number of them costs no more
/// than one. But one that an honest device let in, and that is out with it, does not pay for what others made up: where something was bought
/// for it, or a device that is or was a member says that it gave it something, or took it over. A dishonest member says so of its own ones
/// as well. So the word of each is taken for few, and whom another one vouches for is not crowded out by them.
package struct OutsideDevices: Sendable {
  /// For how many the word of a device is taken: the first by their keys.
  package static let vouchedByOne = 64
  /// How many stand alone because something was bought for them: the first by their keys.
  package static let boughtFor = 256

  /// For whom each device gives its word, in their order.
  private var vouched: [PublicKey: [PublicKey]] = [:]
  /// For whom something was bought, in their order.
  private var bought: [PublicKey] = []
  /// Those that stand alone.
  private var alone: Set<PublicKey> = []
  /// The holder that stands for the others.
  private var first: CreditHolder?

  /// Who says that it gave something to whom, or took it over.
  typealias Word = (from: CreditHolder, about: CreditHolder)

  init() {}

  /// - Parameter bought: the holders for which something was bought
  init(_ lives: DeviceLives, bought: some Sequence<CreditHolder>, words: some Sequence<Word>) {
    guard !lives.outsiders.isEmpty else { return }
    self.bought = Self.first(Self.boughtFor, of: bought.compactMap(lives.outsider))
    for word in words {
      guard let (voucher, other) = Self.keys(of: word, lives) else { continue }
      vouched[voucher, default: []].append(other)
    }
    vouched = vouched.mapValues { Self.first(Self.vouchedByOne, of: $0) }
    alone = Set(self.bought).union(vouched.values.joined())
    first = lives.outsiders.filter { !alone.contains($0.key) }.values.min()
  }

  private static func first(_ most: Int, of keys: [PublicKey]) -> [PublicKey] {
    Array(Set(keys).sorted().prefix(most))
  }

  private static func keys(of word: Word, _ lives: DeviceLives) -> (voucher: PublicKey, other: PublicKey)? {
    guard let other = lives.outsider(word.about), let voucher = lives.key(of: word.from),
      lives.outsiders[voucher] == nil
    else { return nil }
    return (voucher, other)
  }

  /// The holder that stands for the device of a holder.
  func device(of holder: CreditHolder, _ lives: DeviceLives) -> CreditHolder {
    guard let first, let key = lives.outsider(holder), !alone.contains(key) else {
      return lives.device(of: holder)
    }
    return first
  }

  /// The holder under which people are told what one holds: those that are one device are told as one.
  func told(_ holder: CreditHolder, _ lives: DeviceLives) -> CreditHolder {
    let device = self.device(of: holder, lives)
    return device == first ? device : holder
  }

  /// Whether others may stand alone once a device has given its word.
  func mayChange(by word: Word, _ lives: DeviceLives) -> Bool {
    guard let (voucher, other) = Self.keys(of: word, lives) else { return false }
    return Self.mayTake(other, Self.vouchedByOne, vouched[voucher] ?? [])
  }

  /// Whether others may stand alone once something was bought for a holder, or nothing is any more.
  func mayChange(byPurchasesFor holder: CreditHolder, areThere: Bool, _ lives: DeviceLives) -> Bool {
    guard let key = lives.outsider(holder) else { return false }
    return areThere ? Self.mayTake(key, Self.boughtFor, bought) : bought.contains(key)
  }

  private static func mayTake(_ key: PublicKey, _ most: Int, _ taken: [PublicKey]) -> Bool {
    !taken.contains(key) && (taken.count < most || taken.last.map { key < $0 } ?? true)
  }
}
