/// DNS-SD (RFC 6763) on some system: announces one service, and finds all others of its type.
///
/// Everything may be called on any thread, and what is found may be reported on any.
package protocol ServiceDirectory: AnyObject, Sendable {
  /// Connects with what answers for it on this system, anew if need be.
  func connect()
  /// Announces the service under this name, in place of what was announced before.
  func publish(name: String, port: UInt16, text: [[UInt8]])
  /// Announces nothing, until it is told to announce something again.
  func withdraw()
  /// The interfaces of this machine may be others than before.
  func networkChanged()
  /// Ends everything, soon; nothing is reported any more. To be called once, before the last reference goes.
  func stop()
}

/// What a ``ServiceDirectory`` reports.
package enum ServiceReport: Sendable {
  /// It works.
  case running
  /// It does not, why, and what to do about it; nothing is found and nothing announced until it is connected anew, or works by itself.
  case failed(String)
  /// The name under which the service was to be announced is somebody else's, or seems to be. All else goes on; the service is announced
  /// no more until it is published under another name.
  case taken(String)
  case found(FoundService)
  case lost(FoundService.Place)
}

/// How a daemon finds the other members on the local network, and is found there: see docs/operating.md, "On your network".
///
/// `PeerSyncAvahi` has one; a device that is told of none finds nobody and announces nothing.
public struct LocalDiscovery: Sendable {
  /// Makes a directory of services of a type, such as `_peersync._tcp`, on one network interface or on all (nil), which waits on the
  /// daemon's loop and never holds it up; nil when there is no memory.
  package let directory:
    @Sendable (
      _ type: String, _ interface: String?, _ loop: EventLoop,
      _ report: @escaping @Sendable (ServiceReport) -> Void
    ) -> (any ServiceDirectory)?

  package init(
    directory:
      @escaping @Sendable (
        _ type: String, _ interface: String?, _ loop: EventLoop,
        _ report: @escaping @Sendable (ServiceReport) -> Void
      ) -> (any ServiceDirectory)?
  ) { self.directory = directory }
}
