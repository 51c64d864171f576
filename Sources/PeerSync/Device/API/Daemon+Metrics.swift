extension Daemon {
  /// Numbers for monitoring, in the text format of Prometheus.
  package func metrics() throws -> String {
    let statistics = storageStatistics
    let traffic = traffic
    let clockWarning = clockWarning
    return try read { engine, now in
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
      let time = engine.time(at: now)
      text.gauge(
        "peersync_warnings", "warnings of the status",
        engine.warnings(clockWarning, time, at: now).count)
      text.gauge(
        "peersync_clock_skew_seconds", "how far the clock of a connected peer is ahead of this one",
        engine.peers.compactMap { peer in
          peer.clockSkew.map { ([("device", "\(peer.device)"), ("name", peer.name)], Double($0) / 1000) }
        })
      text.add(engine.ledger { $0.view(at: time.now) })
      text.counter("peersync_sent_bytes_total", "bytes of frames sent to peers", Int(clamping: traffic.sent))
      text.counter(
        "peersync_received_bytes_total", "bytes of frames received from peers",
        Int(clamping: traffic.received))
      text.counter(
        "peersync_refused_connections_total", "connections of others that were refused",
        Int(clamping: traffic.refused))
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
