extension Daemon {
  /// Numbers for monitoring, in the text format of Prometheus.
  package func metrics() throws -> String {
    let statistics = storeStatistics
    let traffic = traffic
    return try read { engine, _ in
      var text = MetricsText()
      text.gauge("peersync_members", "devices of the group", engine.group.members.count)
      text.gauge("peersync_sessions", "live sessions that data flows over", engine.readySessions)
      text.gauge(
        "peersync_peers_in_sync", "peers known to hold all that this device holds",
        engine.peers.count { $0.isInSync })
      text.gauge("peersync_online", "1 when the device is on the network", engine.isOnline ? 1 : 0)
      text.gauge("peersync_registers", "registers held", engine.replica.count)
      text.gauge(
        "peersync_replicas", "replicas named by the version vector", engine.replica.vector.entries.count)
      text.counter("peersync_sent_bytes_total", "bytes of frames sent to peers", Int(clamping: traffic.sent))
      text.counter(
        "peersync_received_bytes_total", "bytes of frames received from peers",
        Int(clamping: traffic.received))
      if let statistics {
        text.counter("peersync_commits_total", "transactions made durable", statistics.commits)
        text.counter("peersync_rows_total", "rows written by them", statistics.rows)
        text.counter(
          "peersync_checkpoints_total", "times the log was copied into the database", statistics.checkpoints)
      }
      return text.text
    }
  }
}

/// Puts metrics together.
private struct MetricsText {
  private(set) var text = ""

  mutating func gauge(_ name: String, _ help: String, _ value: Int) { add("gauge", name, help, value) }
  mutating func counter(_ name: String, _ help: String, _ value: Int) { add("counter", name, help, value) }

  private mutating func add(_ type: String, _ name: String, _ help: String, _ value: Int) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n\(name) \(value)\n"
  }
}
