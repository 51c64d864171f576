#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// How a process shares out the file descriptors that the system lets it have, so that a crowd of peers never takes those
/// that the database, the control API and accepting itself need.
package struct DescriptorBudget: Hashable, Sendable {
  /// Most connections with peers, and dials under way.
  package let peers: Int
  /// Most connections of the control API. Each may take two, its socket and what wakes an event stream; a third is to spare.
  package let requests: Int

  /// Most connections of the control API at a time, however many descriptors there are. Each costs a thread.
  package static let mostRequests = 64
  /// Descriptors for everything else: standard streams, database, log, lock, timers, and a few to spare.
  private static let reserve = 32

  /// - Parameter limit: how many descriptors the process may have
  package init(limit: Int) {
    let free = max(limit - Self.reserve, 0)
    requests = min(Self.mostRequests, max(free / 8, 2))
    peers = min(Limits.sessions, max(free - 3 * requests, 2))
  }

  /// That of this process.
  package static var current: DescriptorBudget {
    var limit = rlimit()
    #if canImport(Glibc)
      let status = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    #else
      let status = getrlimit(RLIMIT_NOFILE, &limit)
    #endif
    return DescriptorBudget(limit: status == 0 ? Int(clamping: limit.rlim_cur) : 256)
  }
}
