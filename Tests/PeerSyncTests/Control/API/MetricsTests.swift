import Foundation
import PeerSync
import PeerSyncControl
import Testing

@Suite("Metrics")
struct MetricsTests {
  @Test("metrics are in the format of Prometheus")
  func format() async throws {
    try await ControlFixture.with { (fixture) async throws in
      let text = String(decoding: try await fixture.client.send("GET", "/metrics"), as: UTF8.self)
      #expect(text.contains("# TYPE peersync_registers gauge\npeersync_registers 4\n"))
      #expect(text.contains("\npeersync_refused_connections_total 0\n"))
      for line in text.split(separator: "\n") where !line.hasPrefix("#") {
        #expect(line.wholeMatch(of: #/peersync_[a-z_]+(\{[^ ]*\})? [0-9]+/#) != nil, "\(line)")
      }
    }
  }

  @Test("what a device knows of purchases is among them, by its names")
  func purchases() async throws {
    let line = #"a "line" \"#
    let dated = Product(
      id: "dated", type: .nonRenewingSubscription, line: line, period: Period(months: 1, days: 0),
      entitlements: ["dated"])
    let catalogue = Catalogue(products: Catalogue.owls.products + [dated], version: 1)
    try await ControlFixture.with(catalogue: catalogue) { (fixture) async throws in
      _ = try await fixture.daemon.setExpiration(of: line, to: Instant("2030-01-01T00:00:00.500Z"))
      _ = try await fixture.client.send(
        "POST", "/v1/purchases", body: JSON.encode(["productId": "RandomOwls"]))
      let text = String(decoding: try await fixture.client.send("GET", "/metrics"), as: UTF8.self)
      let sample = #"peersync_line_expiry_timestamp_seconds{line="a \"line\" \\"} 1893456000.5"#
      #expect(text.contains(sample + "\n"), "\(text)")
      #expect(text.contains("\npeersync_credits{credit=\"owls\"} 5\n"), "\(text)")
      #expect(text.contains("\npeersync_entitlement_active{entitlement=\"random-owls\"} 1\n"), "\(text)")
    }
  }
}
