/// Why a socket could not be opened or used.
public enum SocketError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The address is not this machine's own.
  case notLoopback(Address)
  /// The host is a name where it takes an address.
  case notNumeric(Address)
  /// Another program listens there.
  case addressInUse(Address)
  /// The port is one that only a privileged program may use.
  case notPermitted(Address)
  /// The address is none of this machine's.
  case notHere(Address)
  /// The process, or the system, has no file descriptor left.
  case noDescriptors
  /// The system watches as many sockets for this user as it may.
  case noWatches
  /// The connection is gone.
  case disconnected
  /// Nobody answered in time.
  case timedOut
  /// Anything else, by its error number.
  case system(Int32)

  /// What happened and what to do about it, in one sentence.
  public var description: String {
    switch self {
    case .notLoopback(let address):
      "\(address) is not on this machine: only loopback addresses (127.0.0.1, [::1], localhost) are accepted"
    case .notNumeric(let address):
      "'\(address.host)' is not an IP address: only peers to connect to may be given by a host name"
    case .addressInUse(let address):
      "another program listens on \(address): choose another port, or 0 for any"
    case .notPermitted(let address):
      "\(address) may not be used without privileges: choose a port above 1023"
    case .notHere(let address):
      "\(address.host) is not an address of this machine: listen on one of its own, or on 0.0.0.0 or [::] for all of them"
    case .noDescriptors:
      "no file descriptors are left: raise the limit (`ulimit -n`), or connect fewer peers"
    case .noWatches:
      "the system watches no more sockets for this user: raise fs.epoll.max_user_watches, or connect fewer peers"
    case .disconnected: "the connection is gone"
    case .timedOut: "nobody answered in time"
    case .system(let number): systemMessage(number)
    }
  }
}
