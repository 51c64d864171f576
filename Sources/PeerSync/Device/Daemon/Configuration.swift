extension Daemon {
  /// What a daemon is told when it is made.
  public struct Configuration: Sendable {
    /// The data directory of the device.
    public var directory: String
    /// Where to listen for peers, an IP address; port 0 picks one; nil: do not listen.
    public var listen: Address?
    /// Peers to dial at the start, by IP address. Those met before are remembered.
    public var peers: [Address]
    /// Milliseconds added to the wall clock, for simulations.
    public var clockOffset: Int64
    /// Where the daemon tells what it does.
    public var log: Log
    /// The sandbox store that it buys from, see ``StoreClient``; nil: it signs for itself.
    public var store: StoreClient?

    /// Makes a configuration.
    public init(
      directory: String, listen: Address? = nil, peers: [Address] = [], clockOffset: Int64 = 0,
      store: StoreClient? = nil, log: Log = Log()
    ) {
      self.directory = directory
      self.listen = listen
      self.peers = peers
      self.clockOffset = clockOffset
      self.store = store
      self.log = log
    }
  }
}
