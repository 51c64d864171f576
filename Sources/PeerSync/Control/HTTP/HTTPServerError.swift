import PeerSyncCore

/// Why a control API cannot be served, besides what ``SocketError`` says.
package enum HTTPServerError: Error, Equatable, CustomStringConvertible {
  case notLoopback(Address)
  case notStarted

  package var description: String {
    switch self {
    case .notLoopback(let address):
      "the control API listens on loopback only: give 127.0.0.1, [::1] or localhost instead of \(address.host)"
    case .notStarted: "the control API's server does not start: the system has no threads or memory left"
    }
  }
}
