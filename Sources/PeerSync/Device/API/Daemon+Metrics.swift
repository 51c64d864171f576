extension Daemon {
  /// Numbers for monitoring, in the text format of Prometheus.
  package func metrics() throws -> String {
    let statistics = storeStatistics
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
        "peersync_warnings", "warnings that `peerd status` shows",
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

/// Puts metrics together. Source: <https://prometheus.io/docs/instrumenting/exposition_formats/>.
private struct MetricsText {
  typealias Sample = (labels: [(name: String, value: String)], value: Double)

  private(set) var text = ""

  mutating func gauge(_ name: String, _ help: String, _ value: Int) {
    begin("gauge", name, help)
    text += "\(name) \(value)\n"
  }

  mutating func counter(_ name: String, _ help: String, _ value: Int) {
    begin("counter", name, help)
    text += "\(name) \(value)\n"
  }

  /// One number for each of several things; nothing where there are none.
  mutating func gauge(_ name: String, _ help: String, _ samples: [Sample]) {
    guard !samples.isEmpty else { return }
    begin("gauge", name, help)
    for sample in samples {
      let labels = sample.labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }
      text += "\(name){\(labels.joined(separator: ","))} \(Self.number(sample.value))\n"
    }
  }

  /// What the device knows of purchases.
  mutating func add(_ view: LedgerView) {
    gauge(
      "peersync_line_expiry_timestamp_seconds", "when a line ends or ended, in Unix time",
      view.lines.compactMap { line in line.expires.map { ([("line", line.id)], Self.seconds($0)) } })
    gauge(
      "peersync_subscription_expiry_timestamp_seconds",
      "when access by a subscription ends or ended, in Unix time",
      view.subscriptions.map { SubscriptionAnswer($0) }.compactMap { subscription in
        subscription.accessUntil.map { until in
          (
            [("subscription", subscription.originalTransactionId), ("product", subscription.productId)],
            Self.seconds(until)
          )
        }
      })
    gauge(
      "peersync_entitlement_active", "1 when an entitlement holds",
      view.entitlements.map { ([("entitlement", $0.id)], $0.active ? 1 : 0) })
    gauge(
      "peersync_credits", "credits left in the whole group",
      view.credits.map { ([("credit", $0.id)], Double($0.balance)) })
  }

  private mutating func begin(_ type: String, _ name: String, _ help: String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
  }

  private static func seconds(_ instant: Instant) -> Double { Double(instant.milliseconds) / 1000 }

  private static func number(_ value: Double) -> String {
    value == value.rounded() ? "\(Int64(value))" : "\(value)"
  }

  /// The value of a label, which may hold any text.
  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }
}
