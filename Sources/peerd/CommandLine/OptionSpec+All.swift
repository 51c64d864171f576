import PeerSync
import PeerSyncSandboxServer
import PeerSyncSimulation

extension OptionSpec {
  // MARK: Every command

  static let data = OptionSpec(
    name: "data", value: "DIR",
    help:
      "the directory of the device or the store (default: $PEERD_DATA, else $XDG_DATA_HOME/peerd or "
      + "~/.local/share/peerd)")
  static let json = OptionSpec(
    name: "json", value: nil, help: "print one JSON document and nothing else on standard output")
  static let utc = OptionSpec(
    name: "utc", value: nil, help: "show whole instants, in UTC (default: short ones, in the local zone)")
  static let help = OptionSpec(name: "help", value: nil, help: "print this text")

  // MARK: init and run

  static let name = OptionSpec(
    name: "name", value: "NAME",
    help: "what people call the device, in 1 to 255 bytes (default: this host's name)")
  static let environment = OptionSpec(
    name: "environment", value: "ENVIRONMENT",
    help: "sandbox, production or xcode: which store's purchases count; they never mix (default: sandbox)")
  static let bundleId = OptionSpec(
    name: "bundle-id", value: "ID",
    help: "the app whose purchases these are, in 1 to 255 bytes (default: com.example.app)")
  static let trustRoot = OptionSpec(
    name: "trust-root", value: "PEM",
    help:
      "a root certificate whose store is trusted besides Apple's; may repeat; not in production (default: none)",
    repeats: true)
  static let catalog = OptionSpec(
    name: "catalog", value: "FILE",
    help:
      "the products: peerd's JSON or an Xcode .storekit file; may repeat, later files add to earlier ones",
    repeats: true)
  static let listen = OptionSpec(
    name: "listen", value: "HOST:PORT",
    help: "where peers reach this device; port 0 picks a free one (default: it dials only)")
  static let http = OptionSpec(
    name: "http", value: "HOST:PORT",
    help: "where HTTP is served, on loopback; port 0 picks a free one (default: 127.0.0.1:0)")
  static let peer = OptionSpec(
    name: "peer", value: "HOST:PORT",
    help: "a member to connect to; may repeat; addresses of members met are remembered (default: those)",
    repeats: true)
  static let lan = OptionSpec(
    name: "lan", value: nil,
    help:
      "be on the local network: --discover, and --listen [::]:7400 unless another address is given (default: not)"
  )
  static let discover = OptionSpec(
    name: "discover", value: nil,
    help: "find members on the local network and be found there, by DNS-SD (default: by addresses alone)")
  static let interface = OptionSpec(
    name: "interface", value: "IF",
    help: "the only network interface to discover on and to tell addresses of, such as eth0 (default: all)")
  static let announce = OptionSpec(
    name: "announce", value: "WHAT",
    help:
      "all: tell members the addresses that it listens on; none: they are given them by hand (default: all)")
  static let labDevices = OptionSpec(
    name: "devices", value: "NAMES",
    help: "what the devices are called, divided by commas (default: Phone,Tablet,Mac)")
  static let labData = OptionSpec(
    name: "data", value: "DIR",
    help: "keep the laboratory there, and go on with the one that is there (default: nothing is left behind)")
  static let open = OptionSpec(
    name: "open", value: nil,
    help: "show the page in the browser of this desktop (default: its address is printed alone)")
  static let clockOffset = OptionSpec(
    name: "clock-offset", value: "DURATION",
    help: "have a clock set off by -90d, +1h30m, P1D or -PT1H; sandbox and xcode only (default: 0s)")
  static let logFormat = OptionSpec(
    name: "log-format", value: "FORMAT", help: "text or json lines on standard error (default: text)")
  static let logLevel = OptionSpec(
    name: "log-level", value: "LEVEL", help: "debug, info, warning or error (default: info)")

  static let noTimeAccept = OptionSpec(
    name: "no-time-accept", value: nil,
    help: "nobody may run `peerd time --accept` on this device, for good (default: whoever runs it may)")
  static let accept = OptionSpec(
    name: "accept", value: nil,
    help:
      "drop what peers have vouched for, for this device's clock is right; asks first, on a terminal "
      + "(default: show who vouches for what)")
  static let yes = OptionSpec(
    name: "yes", value: nil, help: "do not ask (default: ask; without a terminal, refuse)")
  static let yesOrScript = OptionSpec(
    name: "yes", value: nil, help: "do not ask (default: ask on a terminal; without one, go ahead)")
  static let all = OptionSpec(
    name: "all", value: nil,
    help:
      "take back all that it ever decided; asks first, on a terminal (default: what it has decided counts on)"
  )

  static let fromLost = OptionSpec(
    name: "from", value: "lost",
    help:
      "from devices that nobody in the group has ever met, and that are lost, for good (default: from earlier lives of this "
      + "device, and from removed devices)")
  static let since = OptionSpec(
    name: "since", value: "TIME",
    help:
      "take back what it decided since then, as far as this device had not heard of it by the hour; asks first, on a "
      + "terminal (default: what it has decided counts on)")

  static let disown = OptionSpec(
    name: "disown", value: "DEVICE",
    help:
      "a device that it let in and that goes with it; may repeat (default: they stay; with a recovery key, on a terminal, it asks)",
    repeats: true)

  static let recoveryKey = OptionSpec(
    name: "recovery-key", value: "KEY",
    help:
      "the key printed when the group was founded; -: read it from standard input, so that no other user of "
      + "the machine sees it among the processes (default: by this device's own right)")

  // MARK: Purchases and waiting

  static let listedSince = OptionSpec(
    name: "since", value: "TIME",
    help: "leave out what happened before, such as 2026-01-31, or nobody knows when (default: nothing)")
  static let limit = OptionSpec(
    name: "limit", value: "N", help: "the newest N, 1 to \(Daemon.mostListed) (default: 100)")
  static let quantity = OptionSpec(name: "quantity", value: "N", help: "how many units (default: 1)")
  static let id = OptionSpec(
    name: "id", value: "ID", help: "names the spend: running it again changes nothing (default: a new one)")
  static let at = OptionSpec(
    name: "at", value: "TIME",
    help:
      "when the purchase is made, such as 2026-01-31T00:00:00Z, from 1970 on; sandbox and xcode only (default: now)"
  )
  static let offer = OptionSpec(
    name: "offer", value: "ID",
    help: "at the price of this offer, as `peerd store products` lists it (default: the usual price)")
  static let until = OptionSpec(
    name: "until", value: "TIME", help: "when the grant ends, such as 2026-12-31 (default: never)")
  static let digest = OptionSpec(
    name: "digest", value: "HEX", help: "until the digest of the replicated facts is this one")
  static let entitlement = OptionSpec(
    name: "entitlement", value: "ID[=active|inactive]",
    help: "until the entitlement is active (or inactive); may repeat", repeats: true)
  static let peers = OptionSpec(
    name: "peers", value: "N", help: "until at least N peers are connected")
  static let timeout = OptionSpec(
    name: "timeout", value: "SECONDS",
    help: "how long to wait before giving up with exit status 4 (default: 30)")

  // MARK: The sandbox store

  static let store = OptionSpec(
    name: "store", value: "URL",
    help:
      "a sandbox store on this machine, as `peerd store` prints it; for the sandbox environment "
      + "(default: the device signs for itself)")
  static let account = OptionSpec(
    name: "account", value: "ID",
    help: "whose purchases they are in the store (default: customer@example.com)")
  static let ofAccount = OptionSpec(
    name: "account", value: "ID",
    help: "whose purchase is meant (default: the newest one of anybody, or to buy: customer@example.com)")
  static let waitingAccount = OptionSpec(
    name: "account", value: "ID", help: "whose purchase is meant (default: the oldest of anybody)")
  static let namedAccount = OptionSpec(
    name: "account", value: "ID", help: "an account in the place of ACCOUNT (default: ACCOUNT)")
  static let shownAccount = OptionSpec(
    name: "account", value: "ID", help: "show what is of this account (default: everything)")
  static let toldAccount = OptionSpec(
    name: "account", value: "ID", help: "tell what it means for this account (default: for everybody)")
  static let offersAccount = OptionSpec(
    name: "account", value: "ID", help: "list the offers that this account may have now (default: all)")
  static let last = OptionSpec(
    name: "last", value: "N",
    help: "how many of the newest purchases and notifications (default: \(StoreView.usual))")
  static let timeRate = OptionSpec(
    name: "time-rate", value: "RATE",
    help:
      "real, sandbox (a month takes 5 minutes), manual (only `peerd store advance` moves the clock), or how many times shorter periods are (default: that of the .storekit file, else as before, else real)"
  )
  static let begin = OptionSpec(
    name: "begin", value: "TIME",
    help:
      "what the clock of a new store shows first, such as 2026-01-01; in the past, give devices a clock as early with their --clock-offset (default: the present time)"
  )
  static let notify = OptionSpec(
    name: "notify", value: "URL",
    help:
      "where App Store Server Notifications are posted, http on this machine; may repeat (default: nowhere)",
    repeats: true)
  static let percent = OptionSpec(
    name: "percent", value: "N", help: "refund this part alone, prorated, 1 to 100 (default: all of it)")
  static let once = OptionSpec(
    name: "once", value: nil, help: "for the next purchase only (default: for all)")
  static let consent = OptionSpec(
    name: "consent", value: nil, help: "subscribers have to agree (default: they are told)")

  // MARK: simulate

  static let seed = OptionSpec(
    name: "seed", value: "S",
    help: "the seed; the same seed gives the same run (default: a fresh one, printed)")
  static let simulated = OptionSpec(
    name: "simulated", value: nil, help: "play it in virtual time (default: by real processes)")
  static let seeds = OptionSpec(name: "seeds", value: "N", help: "how many seeds, counting up (default: 1)")
  static let simulatedDevices = OptionSpec(name: "devices", value: "N", help: "how many devices (default: 3)")
  static let hours = OptionSpec(name: "hours", value: "H", help: "virtual time, in hours (default: 24)")
  static let minutes = OptionSpec(
    name: "minutes", value: "M", help: "virtual time, in minutes (default: 24 hours)")
  static let rareFaults = OptionSpec(
    name: "faults", value: "LIST",
    help: "what else goes wrong: any of these, with commas between, or all (default: none of them)",
    choices: RareFault.allCases.map { ($0.rawValue, $0.summary) })

  // MARK: explore

  static let exploredStates = OptionSpec(
    name: "states", value: "N", help: "how many states at most (default: 100000)")
  static let depth = OptionSpec(name: "depth", value: "N", help: "longest path, in steps (default: 40)")
  static let spends = OptionSpec(name: "spends", value: "N", help: "how often somebody spends (default: 2)")
  static let decisions = OptionSpec(
    name: "decisions", value: "N", help: "how often somebody sets a value (default: 1)")
  static let removals = OptionSpec(
    name: "removals", value: "N", help: "how often somebody removes a device (default: 1)")
  static let crashes = OptionSpec(name: "crashes", value: "N", help: "how often a device dies (default: 1)")
}
