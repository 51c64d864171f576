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
  /// Most incarnations of one device among them: a device begins another one whenever its store was set back or copied.
  /// Without it one member could use up all of them.
  public static let incarnations = 1024
  /// Incarnations of one device that find room as long as there is any. What a device has beyond them is taken while half
  /// of ``replicas`` is free: a few members that make up lives leave the others theirs.
  public static let incarnationsAssured = 128
  /// Most registers one device holds: what takes all of them in hand (a start, a removal) is to last seconds.
  public static let registers = 1 << 20
  /// Most registers that a device of a person writes, by far. Of one that has written more the others are told, and its removal with all
  /// that it decided leaves no more of them.
  public static let registersOfOne = 32_768
  /// Items of the store that do not count on a device: it writes no more of them for devices that are out. Anybody can make them up.
  public static let doubtfulItems = 1_024
  /// Items about one transaction, or subscription, that another device writes for one that is out: the store signs as many as it is asked for.
  public static let itemsOfSubject = 64
  /// Greatest sequence of a write. Far beyond what any replica makes, and far from overflow.
  public static let sequence: UInt64 = 1 << 62
  /// Most bytes of records (headers, keys, values) one replica holds.
  public static let recordBytes = 4 * 1024 * 1024 * 1024

  // MARK: Signatures of the store

  /// Longest signed item of the store (a JSON Web Signature), in bytes of its text. Apple's are of about 6,400. Whatever
  /// is rebuilt from parts is held to it as well, so that a few bytes never become many.
  public static let jwsBytes = 16 * 1024
  /// Longest notification of the store, in bytes of its text: room for two signed items inside it and its own header.
  /// Apple's are of about 22,000. None is kept as a register.
  public static let notificationBytes = 64 * 1024
  /// Most notifications that a device remembers to have been told; the oldest make room.
  public static let notifications = 1024
  /// Longest part that signed items share, in bytes.
  public static let storePartBytes = 16 * 1024
  /// Most refused items that a device keeps as evidence.
  public static let refusedItems = 256

  // MARK: Time

  /// First accepted instant: 0001-01-01T00:00:00Z, in milliseconds from 1970. Gregorian arithmetic is proleptic.
  public static let earliestMilliseconds: Int64 = -62_135_596_800_000
  /// Last accepted instant: 9999-12-31T23:59:59.999Z, in milliseconds from 1970 (ISO 8601 has four-digit years).
  public static let latestMilliseconds: Int64 = 253_402_300_799_999
  /// Dates that what a store signs may state, in milliseconds from 1970: none before. Apple's count from there, and no
  /// reader takes others; without it a purchase could be signed that counts nowhere.
  public static let signedMilliseconds: ClosedRange<Int64> = 0...latestMilliseconds
  /// How far ahead of the local clock a stamp of another device may lie, in milliseconds (5 minutes).
  /// Larger and a wrong clock wins for longer; smaller and ordinary skew holds writes back.
  public static let clockDriftMilliseconds: Int64 = 5 * 60 * 1000
  /// How far a date that a simulated store has signed may lead the time that the device has run since it was made, and still be
  /// evidence of the time, in milliseconds (one day). Larger and a wrong clock that signs moves the present of others further;
  /// smaller and a device that was off for a while believes no date.
  public static let simulatedLeadMilliseconds: Int64 = 24 * 60 * 60 * 1000
  /// Longest time between two times that the floor of trusted time is kept on the disk, in milliseconds (10 minutes): what
  /// a crash takes off the floor. Shorter wakes an idle device more often.
  public static let timeKeptMilliseconds: UInt64 = 10 * 60 * 1000
  /// Least by which the floor must have moved to go along with a transaction that happens anyway, in milliseconds (one
  /// minute). Less would write it with nearly every commit.
  public static let timeKeptAlongMilliseconds: UInt64 = 60 * 1000
  /// Time after which a peer's clock is asked for again, in milliseconds (10 minutes).
  public static let peerClockMilliseconds: UInt64 = 10 * 60 * 1000
  /// Longest round trip after which a peer's answer still says what time it is there, in milliseconds. The error is at most
  /// half of it.
  public static let clockAnswerMilliseconds: UInt64 = 60 * 1000
  /// Shortest time between two messages about writes that are held back, in milliseconds (one second). Shorter and a
  /// peer whose clock is wrong gets one for every piece of what it sends.
  public static let heldBackToldMilliseconds: UInt64 = 1000
  /// Most authors named in one message about writes that are held back.
  public static let heldBackAuthors = 64

  // MARK: Ledger

  /// Most units of one purchase (the App Store itself allows 10).
  public static let quantity = 1000
  /// Longest period of a product, in months or in days of its own field (100 years).
  public static let periodMonths = 1200
  /// See ``periodMonths``; in days.
  public static let periodDays = 36_525
  /// Most credits one unit of a product buys.
  public static let creditAmount = 1_000_000_000
  /// Greatest number that one register of a credit stands at: what one purchase buys at most. With ``registers`` of them
  /// every sum fits 64 bits.
  public static let creditTotal: Int64 = 1_000_000_000_000
  /// How many of its last spends of a credit a replica remembers by their ids. A spend that is asked for again after more
  /// of them is another one.
  public static let rememberedSpends: UInt16 = 1024
  /// Most void numbers of credits that a device names of another one that is removed; beyond them only those that have a place of their own.
  public static let namedNumbers = 1024
  /// How many void numbers of what passed between two devices have a place of their own: of three lives of one, two of the other, and two.
  public static let namedPassages = 8
  /// Writes of a commit that has a number of a credit: whoever names it shows the hashes of all of them.
  public static let numberedWrites = 16
  /// Bytes of what shows that a number was signed.
  package static let numberProofBytes = 2048
  /// Most spends that wait for rights of peers at one time.
  public static let pendingSpends = 256
  /// How long a spend waits for rights of peers before it is refused, in milliseconds. Longer and whoever waits for the
  /// answer gives up first; shorter and a slow peer is never in time.
  public static let spendWaitMilliseconds: UInt64 = 3_000
  /// Time from finding a peer in sync to rebalancing rights with it, in milliseconds. Shorter, and every change has the
  /// ledger read; longer, and devices change after they seemed to be done.
  public static let rebalanceMilliseconds: UInt64 = 50
  /// Greatest version of a catalogue (2³¹). What states a greater one counts nowhere.
  public static let catalogueVersion = 1 << 31
  /// Most products in one catalogue file, and most that one device adds. More, and each answer that names all of them takes seconds.
  public static let products = 10_000
  /// Most entries of one product that one device states, each from a date on. More, and whoever reads a register of it works for as
  /// long as somebody else likes.
  public static let productEntries = 32
  /// Most entries of one product of which a device remembers that it has replaced them; the newest stay. They say what purchases
  /// were worth before: fewer, and nobody is told that this has changed.
  public static let replacedEntries = 8
  /// Most entitlements one product names.
  public static let entitlementsPerProduct = 64
  /// Most transaction ids an expiration register covers. Bounded by ``valueBytes`` as well.
  public static let coveredTransactions = 1000
  /// Largest catalogue file, in bytes.
  public static let catalogueBytes = 4 * 1024 * 1024

  // MARK: The sandbox store

  /// Most accounts of a sandbox store.
  public static let sandboxAccounts = 1000
  /// Most transactions of a sandbox store, at some 3 KiB each with their signatures. Then nothing is sold or renewed any more.
  public static let sandboxTransactions = 100_000
  /// By how much less than this the ids of a sandbox store go on when it starts. Without it a store that was put back from a copy
  /// would give what it sells ids that others have.
  public static let sandboxIdGap: UInt64 = 1 << 33
  /// From where on ids of a sandbox store have no gaps any more: they stay whole numbers that JavaScript can hold, after a million
  /// starts as well.
  public static let sandboxIdWithGap: UInt64 = 9_000_000_000_000_000 - sandboxIdGap
  /// Most subscriptions of a sandbox store: each is looked at for every deadline.
  public static let sandboxSubscriptions = 2000
  /// Most purchases that wait for approval; those decided make room.
  public static let sandboxRequests = 1000
  /// Most notifications that a sandbox store remembers; the oldest make room.
  public static let sandboxNotifications = 10_000
  /// Most attempts to post a notification: at once, and then with growing pauses.
  public static let sandboxAttempts = 6
  /// Most things that happen in one go when the store's time is set on: a hundred years of a monthly subscription are 1,200.
  public static let sandboxDeadlines = 20_000
  /// Greatest factor by which periods are shortened: a day in a millisecond.
  public static let sandboxSpeed: Int64 = 86_400_000
  /// Greatest price, in thousandths of the currency's unit. With ``quantity`` far from overflow.
  public static let sandboxPrice: Int64 = 1_000_000_000_000
  /// Most offers of one product. Apple has room for some dozens.
  public static let sandboxOffers = 100
  /// Most errors that the settings of a `.storekit` file list. Xcode knows about a dozen.
  public static let storeKitErrors = 100
  /// Most periods at a reduced price.
  public static let sandboxOfferPeriods = 100
  /// Most bytes of the win-back offers that one renewal info lists, the best first: a hundred ids of some 40 bytes. Without it
  /// a signed item could be longer than ``jwsBytes``, and no device would take it.
  public static let sandboxWinBackBytes = 4096
  /// Most items in one answer of the sandbox store to a device.
  public static let sandboxAnswerItems = 200
  /// Most transactions in one page of the App Store Server API, as Apple has it.
  public static let sandboxPageItems = 20
  /// Longest wait for something new, in seconds.
  public static let sandboxWaitSeconds = 55

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
  /// Most commits of one device that are kept although nothing of them is alive, at some 120 bytes each (2 MiB): those that some member
  /// is not known to have come past. Fewer, and a device that was set back without noticing it, while another one was away for
  /// longer than that, may lose a decision.
  public static let commitHeads = 16 * 1024
  /// Most proofs of forked replicas in one message.
  public static let forks = 512
  /// Most bytes queued to one peer before the sender stops and falls back to anti-entropy.
  public static let queuedBytes = 1024 * 1024
  /// Bytes of incoming deltas that a device merges before it makes them durable without waiting for their end.
  public static let unsavedBytes = 16 * 1024 * 1024
  /// Most bytes of void commits that wait for their authors, or for a removal to be overruled; what comes beyond is lost to an author
  /// that has forgotten it. Those of devices that are no members take half, at most.
  public static let setAsideBytes = 16 * 1024 * 1024
  /// Most of them that are of one device: one that makes things up leaves room for the others.
  public static let setAsideBytesOfOne = setAsideBytes / 4
  /// Most marks of what was known hour by hour, at 16 bytes of memory each (2 MiB): of a group whose devices together write in seven
  /// hours a day, 25 years. With more the older half is made coarser, by days, weeks, months, and at last altogether.
  public static let vectorMarks = 128 * 1024
  /// Most members of which a device keeps where they listen.
  public static let addresses = 896
  /// Most of them in one message: as many as fit one frame at their longest.
  public static let addressEntries = 448
  /// Most addresses that one device announces. More, and whoever looks for it tries long before it gives up.
  public static let deviceAddresses = 8
  /// Most bytes of their texts together: eight of IPv6 at their longest.
  public static let deviceAddressBytes = 512
  /// Longest HOST:PORT text, in bytes.
  public static let addressBytes = 262
  /// Most items in one message of a repair.
  public static let repairItems = 4096

  // MARK: Peers

  /// Questions (probes, vectors, eight addresses each) that a peer may ask at once; more end the session. In a reunion
  /// of a hundred devices each asks about a hundred. Without it one peer keeps a device busy with small messages.
  public static let questions: UInt64 = 1024
  /// Questions that a peer may ask in a second for long.
  public static let questionsPerSecond: UInt64 = 64
  /// How often all registers may be walked for one peer at once, for a repair; what goes beyond is left out until a
  /// later beat. A repair of two ledgers that differ everywhere takes about as many. Without it a message of ten bytes
  /// has every register read.
  public static let walks: UInt64 = 8
  /// Time in which one more such walk is allowed, in milliseconds: ``walks`` between two beats.
  public static let walkMilliseconds: UInt64 = 7_500

  // MARK: Sessions

  /// Most live sessions of one daemon, with those not yet welcomed.
  public static let sessions = 512
  /// Longest time from connecting to the welcome, in milliseconds.
  public static let handshakeMilliseconds: UInt64 = 5_000
  /// Longest time that a peer may take to dial a device back at all of its addresses, in milliseconds.
  public static let dialBackMilliseconds: UInt64 = 15_000
  /// Most bytes taken from a connection whose handshake is not complete. A handshake takes about a thousand; without
  /// the limit anybody could have memory filled.
  public static let handshakeBytes = 16 * 1024
  /// Time between two beats of anti-entropy on an idle session, in milliseconds. Shorter costs idle traffic;
  /// longer delays the repair of whatever pushes missed.
  public static let beatMilliseconds: UInt64 = 60_000
  /// Time after which two that claim the same and hold something else compare once more, in milliseconds (2 s): still so, it is a fault,
  /// and they begin a repair. Longer, and those who meet for a moment stay apart; shorter, and what is under way passes for a fault.
  public static let differenceMilliseconds: UInt64 = 2_000
  /// How long a device waits before it tells a peer where it stands that cannot know, in milliseconds: what comes meanwhile is told
  /// along. Longer, and two that have caught up through a third one take each other to be behind.
  public static let reportMilliseconds: UInt64 = 500
  /// A session from which nothing came for this long is dead, in milliseconds: two missed beats and a half.
  public static let silenceMilliseconds: UInt64 = 150_000
  /// How long a peer may owe an answer to what has been handed over, in milliseconds, before the session is dead. Shorter, and a
  /// lossy network ends good sessions; longer, and a machine that has stopped, or gone, is waited for.
  public static let answerMilliseconds: UInt64 = 10_000
  /// How long a session has to show that it lives after this machine's network has changed, it has slept, or the peer has dialled anew
  /// beside it, in milliseconds.
  public static let proofMilliseconds: UInt64 = 2_500
  /// Time between two reports that bytes of a message come in while none is complete, in milliseconds.
  public static let stirMilliseconds: UInt64 = 1_000
  /// Time that one address of a device has before the next one is dialled beside it, in milliseconds (RFC 8305, section 8).
  public static let dialLeadMilliseconds: UInt64 = 250
  /// How often at once a peer is told of devices that listen elsewhere, and of forks, and ``tellingMilliseconds`` after which it is once
  /// more. Without it a member that says something else all the time has honest devices ask more of each other than a peer may.
  public static let tellings: UInt64 = 8
  /// Time after which a peer is told once more, in milliseconds.
  public static let tellingMilliseconds: UInt64 = 1_000
  /// How often at once a peer is asked to compare because of what others have brought, and ``askingMilliseconds`` after which it is once
  /// more: well within ``questions``, each with the vectors that follow. Without it a member that sends little pieces by the hundred has
  /// honest devices ask more of each other than a peer may.
  public static let askings: UInt64 = 128
  /// Time after which a peer is asked once more, in milliseconds.
  public static let askingMilliseconds: UInt64 = 64
  /// Dials that are made for one device at once, and ``dialMilliseconds`` after which one more is. Without it a member that says again and
  /// again that somebody is elsewhere has as many dials made.
  public static let dials: UInt64 = 32
  /// Time after which one more dial is made for a device that was dialled ``dials`` times, in milliseconds.
  public static let dialMilliseconds: UInt64 = 1_000
  /// Most handshakes with one device at one time.
  public static let handshakes = 4
  /// Most addresses that a name is looked up to.
  public static let resolvedAddresses = 8
  /// Longest TCP segment, in bytes, on a path that loses longer ones. Fits the smallest packets of IPv6 (1,280 bytes), and tunnels
  /// that take some of them.
  public static let smallSegmentBytes = 1_100
  /// Most members that a device announces itself to at one time.
  public static let announcedTags = 64
  /// Announcements of one member that count at once. Anybody can repeat one as long as it stands.
  public static let sightings: UInt64 = 8
  /// Time after which one more counts, in milliseconds.
  public static let sightingMilliseconds: UInt64 = 5_000
  /// Most announcements, of whomever, that a device looks at. Without it somebody fills memory with made-up ones.
  public static let sightedServices = 256
  /// How many hours another device's clock may be off for its announcements to be recognised as those of a clock that is wrong. Larger,
  /// and each made-up announcement costs more; smaller than the time zones are apart, and a clock that was set by the wrong one is
  /// never met halfway.
  public static let strayHours: Int64 = 26
  /// Announcements that nobody is recognised by, and that are looked at for a wrong clock at once. Without it made-up ones keep a device
  /// busy.
  public static let strayLooks: UInt64 = 32
  /// Time after which one more is, in milliseconds.
  public static let strayLookMilliseconds: UInt64 = 1_000
  /// Most strings of one announcement that are read, of 255 bytes each.
  public static let sightedStrings = 16
  /// How long a device looks for the one that has made an invitation, in milliseconds.
  public static let invitationSearchMilliseconds = 10_000
  /// How long a device goes on where others seem to announce that invitation too, in milliseconds. Longer, and whoever waits for the answer
  /// has gone.
  public static let joinSearchMilliseconds: UInt64 = 60_000
  /// Most addresses at which a device looks for it in one go.
  public static let joinAddresses = 64
  /// Most of them at one time. Fewer, and those where nobody answers keep it waiting.
  public static let joinsSideBySide = 8
  /// First wait before dialling an address again, in milliseconds; it doubles up to ``redialMaximumMilliseconds``.
  public static let redialMinimumMilliseconds: UInt64 = 250
  /// Longest wait before dialling an address again, in milliseconds.
  public static let redialMaximumMilliseconds: UInt64 = 60_000
  /// Time after which a device that was removed asks the others again whether it is still, in milliseconds (an hour).
  public static let outMilliseconds: UInt64 = 60 * 60 * 1000
  /// Most bytes of frames that a connection may send up to its welcome, and with it. Without it strangers fill memory.
  public static let startupBytes = 16 * 1024
  /// Most bytes of membership records by which a device that is not known shows that it is a member: some two hundred
  /// records. Longer, and strangers have more verified.
  public static let introductionBytes = 64 * 1024
  /// How many may do so at once. Without it strangers keep a device busy verifying.
  public static let introductions: UInt64 = 8
  /// Time after which one more may, in milliseconds (5 s).
  public static let introductionMilliseconds: UInt64 = 5_000
  /// Most connections that wait for their welcome, beside those that come from where members are. Without it whoever says nothing uses up
  /// the descriptors.
  public static let startups = 30
  /// Most connections of one address that wait for their welcome. Without it one host keeps all others out.
  public static let startupsPerSource = 4
  /// Addresses remembered because members came from there; they are not refused because of others.
  public static let knownSources = 64
  /// Time in which a peer has to send or take ``paceBytes`` of what it has begun, in milliseconds.
  public static let paceMilliseconds = 10_000
  /// See ``paceMilliseconds``; fewer bytes, when that ends it. Without it half a frame, or a full queue, keeps its memory for
  /// as long as a peer likes.
  public static let paceBytes = 16 * 1024
  /// Most bytes held for one peer that does not take them, whatever the engine thinks: then it is cut. The largest set of membership
  /// records goes out at once.
  public static let heldBytes = 8 * 1024 * 1024
  /// How long a session must have lasted after its welcome to count as a good one, in milliseconds: the wait before the
  /// next dial starts anew after a good one only. Without it a peer that breaks right after the welcome would be dialled
  /// four times a second.
  public static let provenMilliseconds: UInt64 = 5_000
  /// How long an invitation is good, in milliseconds (10 minutes).
  public static let invitationMilliseconds: Int64 = 10 * 60 * 1000
  /// Wrong codes after which an invitation is void.
  public static let invitationTries = 5

  // MARK: Membership

  /// Most membership records of a group beside removals by its most senior members: a device costs two. Beyond it nobody joins any more.
  public static let membershipRecords = 1024
  /// Most bytes of them, encoded. They travel in one go, before anything else, and must fit what is held for a peer.
  public static let membershipBytes = 2 * 1024 * 1024
  /// Most records charged to one branch, a device that the first one took in with all below it: one member cannot use up the room of all.
  public static let membershipBranchRecords = 256
  /// Most bytes of them, encoded.
  public static let membershipBranchBytes = membershipBytes / 4
  /// Most records that are held with what others name, and with records that have left; removals by the most senior come to these.
  public static let membershipKept = 3072
  /// Most bytes of them.
  public static let membershipMostBytes = membershipBytes * 3 / 2
  /// Most bytes of the removals by one author that take no room of others: one with all cuts and all parents fits.
  public static let membershipReserveBytes = 40 * 1024
  /// How many members, by seniority, have a room of their own for removals, and so can remove somebody when the records are full.
  public static let membershipReserveMembers = 32
  /// Most removals that this room takes.
  public static let membershipReserveRemovals = 32
  /// Most membership records looked at in one go: the largest set with the reserves of all authors and recovery keys. More are not read.
  public static let membershipOffered =
    membershipKept + 2 * membershipReserveMembers * membershipReserveRemovals
  /// Most bytes of membership records of all peers together that were not looked at: on their way, or waiting for their turn.
  public static let waitingRecordBytes = 4 * heldBytes
  /// How many devices are placed to find rings of groups, and as many to find the group that one is in, before no further group is
  /// begun: a stolen first device may have agreed to come under hundreds.
  public static let membershipPlacings = 8192
  /// Most registers that make no sense, and as many products, of which it is remembered who wrote them.
  public static let oddities = 1000
  /// Most decisions that are listed before a removal takes them back; the others are counted.
  public static let takenBack = 1000
  /// Most decisions of which it is looked up, before a removal, whether they stand.
  public static let takenBackLookedAt = 10_000
  /// Most parents one membership record names.
  public static let membershipParents = 256
  /// Most replicas of a removed device that keep a cut above nothing: as many as a device may have.
  public static let membershipCuts = incarnations
  /// Longest body of a membership record of a kind that this version does not know, in bytes.
  public static let membershipPayloadBytes = 4096
}
