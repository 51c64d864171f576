/// Every bound on what PeerSync accepts, keeps or sends, in one place.
///
/// Each limit states its unit and what breaks without it. A number from outside (a length, a count, a date)
/// is compared with its limit here before it is used.
public enum Limits {
  // MARK: Registers

  /// Longest encoded register key, in bytes. The record header keeps 16 bits for it.
  public static let keyBytes = 512
  /// Longest register value, in bytes: room for one signed transaction (16 KiB) with its envelope.
  public static let valueBytes = 32 * 1024
  /// Longest text field (names, identifiers) inside a key or a value, in UTF-8 bytes.
  public static let textBytes = 255
  /// Most replicas one state can name. Each costs an entry of the version vector in every exchange.
  public static let replicas = 4096
  /// Most registers one replica holds. Record references are 32 bits wide.
  public static let registers = 8_000_000
  /// Greatest sequence of a write. Far beyond what any replica makes, and far from overflow.
  public static let sequence: UInt64 = 1 << 62
  /// Most bytes of records (headers, keys, values) one replica holds.
  public static let recordBytes = 4 * 1024 * 1024 * 1024

  // MARK: Time

  /// First accepted instant: 0001-01-01T00:00:00Z, in milliseconds from 1970. Gregorian arithmetic is proleptic.
  public static let earliestMilliseconds: Int64 = -62_135_596_800_000
  /// Last accepted instant: 9999-12-31T23:59:59.999Z, in milliseconds from 1970 (ISO 8601 has four-digit years).
  public static let latestMilliseconds: Int64 = 253_402_300_799_999
  /// How far ahead of the local clock a stamp of another device may lie, in milliseconds (5 minutes).
  /// Larger and a wrong clock wins for longer; smaller and ordinary skew holds writes back.
  public static let clockDriftMilliseconds: Int64 = 5 * 60 * 1000

  // MARK: Ledger

  /// Most units of one purchase (the App Store itself allows 10).
  public static let quantity = 1000
  /// Longest period of a product, in months or in days of its own field (100 years).
  public static let periodMonths = 1200
  /// See ``periodMonths``; in days.
  public static let periodDays = 36_525
  /// Most credits one unit of a product buys.
  public static let creditAmount = 1_000_000_000
  /// Most products in one catalogue file or one ledger.
  public static let products = 10_000
  /// Most entitlements one product names.
  public static let entitlementsPerProduct = 64
  /// Most transaction ids an expiration register covers. Bounded by ``valueBytes`` as well.
  public static let coveredTransactions = 1000
  /// Largest catalogue file, in bytes.
  public static let catalogueBytes = 4 * 1024 * 1024

  // MARK: Wire

  /// Longest frame body, in bytes. A receiver grows its buffer only as bytes arrive.
  public static let frameBytes = 256 * 1024
  /// Most bytes of writes in one message: a frame, less what stands before the writes in any message. A commit or a
  /// key range of more goes by a delta, or by smaller ranges.
  public static let batchBytes = frameBytes - 64
  /// Size at which a sender closes one chunk of a delta and starts the next, in bytes.
  public static let chunkBytes = 64 * 1024
  /// Most writes of one commit. More, and replacing the last write alive costs longer; fewer, and bulk pays for more
  /// signatures.
  public static let commitWrites = 1024
  /// Longest commit, in bytes, with each of its writes counted in full or as a hash, whichever is longer. A piece of a
  /// delta that is nearly full still has room for one.
  public static let commitBytes = 160 * 1024
  /// Most hashes of replaced writes that one replica keeps, at 40 bytes each (640 MiB). An author who leaves one write
  /// of each large commit alive fills them.
  public static let replacedWrites = 16_000_000
  /// Most proofs of forked replicas in one message.
  public static let forks = 512
  /// Most bytes queued to one peer before the sender stops and falls back to anti-entropy.
  public static let queuedBytes = 1024 * 1024
  /// Bytes of incoming deltas that a device merges before it makes them durable without waiting for their end.
  public static let unsavedBytes = 16 * 1024 * 1024
  /// Most addresses a device keeps of the members it has met: as many as fit one frame at their longest.
  public static let addresses = 896
  /// Longest HOST:PORT text, in bytes.
  public static let addressBytes = 262
  /// Most items in one message of a repair.
  public static let repairItems = 4096

  // MARK: Sessions

  /// Most live sessions of one daemon, with those not yet welcomed.
  public static let sessions = 512
  /// Longest time from connecting to the welcome, in milliseconds.
  public static let handshakeMilliseconds: UInt64 = 5_000
  /// Time between two beats of anti-entropy on an idle session, in milliseconds. Shorter costs idle traffic;
  /// longer delays the repair of whatever pushes missed.
  public static let beatMilliseconds: UInt64 = 60_000
  /// A session from which nothing came for this long is dead, in milliseconds: two missed beats and a half.
  public static let silenceMilliseconds: UInt64 = 150_000
  /// First wait before dialling an address again, in milliseconds; it doubles up to ``redialMaximumMilliseconds``.
  public static let redialMinimumMilliseconds: UInt64 = 250
  /// Longest wait before dialling an address again, in milliseconds.
  public static let redialMaximumMilliseconds: UInt64 = 60_000
  /// How long an invitation is good, in milliseconds (10 minutes).
  public static let invitationMilliseconds: Int64 = 10 * 60 * 1000
  /// Wrong codes after which an invitation is void.
  public static let invitationTries = 5
}
