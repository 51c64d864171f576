/// Puts metrics together. Source: <https://prometheus.io/docs/instrumenting/exposition_formats/>.
struct MetricsText {
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
