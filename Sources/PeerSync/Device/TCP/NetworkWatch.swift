import CNetlink
import Glibc

/// Tells when this machine's links or addresses change, and when it has slept or its clock was set.
///
/// The system's messages say what changed; nobody reads them, for by then it may be otherwise again. They come in crowds, so one
/// report stands for all that come within a moment.
package final class NetworkWatch {
  private let loop: EventLoop
  private let changed: () -> Void
  private var links: SocketWatch?
  private var clock: SocketWatch?
  private var report: Delay?

  /// How long to wait for more before it is told, in milliseconds.
  private static let settlingMilliseconds = 50

  /// - Parameter changed: called on the loop
  /// - Throws: ``SocketError`` when the system watches no more
  package init(on loop: EventLoop, changed: @escaping () -> Void) throws(SocketError) {
    self.loop = loop
    self.changed = changed
    let netlink = try Socket.routes()
    let timer = try Socket.clockChanges()
    links = try SocketWatch(netlink, on: loop, for: .read) { [weak self] _ in self?.drain(netlink) }
    clock = try SocketWatch(timer, on: loop, for: .read) { [weak self] _ in
      // It is set off by every change anew.
      Socket.awaitClockChange(timer)
      self?.noteChange()
    }
  }

  private func drain(_ netlink: Socket) {
    withUnsafeTemporaryAllocation(byteCount: 16 * 1024, alignment: 16) { buffer in
      // One that overflowed says so and goes on.
      while case .bytes = netlink.read(into: buffer) {}
    }
    noteChange()
  }

  private func noteChange() {
    guard report == nil else { return }
    report = Delay(milliseconds: Self.settlingMilliseconds, on: loop.timers) { [weak self] in
      self?.report = nil
      self?.changed()
    }
  }
}

extension Socket {
  /// Hears of links and addresses that come and go.
  fileprivate static func routes() throws(SocketError) -> Socket {
    let type = Int32(SOCK_RAW.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let netlink = try owning(socket(AF_NETLINK, type, NETLINK_ROUTE))
    var address = sockaddr_nl()
    address.nl_family = sa_family_t(AF_NETLINK)
    address.nl_groups = UInt32(RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR)
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(netlink.descriptor, $0, socklen_t(MemoryLayout<sockaddr_nl>.size))
      }
    }
    guard bound == 0 else { throw .system(errno) }
    return netlink
  }

  /// Becomes readable when the wall clock is set, which the system does when the machine wakes up.
  fileprivate static func clockChanges() throws(SocketError) -> Socket {
    let timer = try owning(
      timerfd_create(CLOCK_REALTIME, Int32(TFD_NONBLOCK | TFD_CLOEXEC)))
    awaitClockChange(timer)
    return timer
  }

  /// Waits for a time that never comes, or for the next change of the clock.
  fileprivate static func awaitClockChange(_ timer: Socket) {
    var never = itimerspec()
    never.it_value.tv_sec = .max / 2
    timerfd_settime(
      timer.descriptor, Int32(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET), &never, nil)
  }
}
