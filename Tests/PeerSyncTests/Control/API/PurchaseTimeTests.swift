import Foundation
import PeerSync
import Testing

/// What is acknowledged counts: a date that no reader of signed payloads takes is not signed.
@Suite("Times of purchases", .noHang)
struct PurchaseTimeTests {
  @Test("a purchase before 1970 is refused, and one of the first millisecond counts")
  func before1970() async throws {
    try await ControlFixture.with { (fixture) async throws in
      #expect(Limits.signedMilliseconds.lowerBound == Instant.epoch.milliseconds)
      for text in ["1950-01-01", "1969-12-31T23:59:59.999Z", "0001-01-01"] {
        let body = PurchaseBody(productId: "RandomOwls", quantity: nil, at: Instant(text))
        let problem = try await fixture.problem("POST", "/v1/purchases", body)
        #expect(problem?.code == .invalidValue && problem?.status == 422, "\(text)")
        #expect(problem?.detail.contains("from 1970-01-01") == true, "\(problem?.detail ?? "none")")
      }
      #expect(try await fixture.daemon.transactions().transactions.isEmpty)
      _ = try await fixture.daemon.purchase("RandomOwls", at: .epoch)
      #expect(try await fixture.daemon.status().credits.first?.balance == 5)
    }
  }

  @Test("nothing is bought or refunded by a clock before 1970")
  func clock() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/phone"
    let offset: Int64 = -100 * 365 * Instant.dayMilliseconds
    try Daemon.create(
      directory: path, name: "Phone", environment: .sandbox, bundleId: "com.back40.InsomniOwl",
      clockOffset: offset)
    let daemon = try Daemon(
      configuration: .init(directory: path, clockOffset: offset, log: Log(level: .error) { _ in }))
    _ = try await daemon.start()
    try await daemon.add(.owls)
    for date in [nil, Instant("2026-01-31")] {
      let problem = await #expect(throws: Problem.self) { try await daemon.purchase("RandomOwls", at: date) }
      #expect(problem?.code == .invalidValue && problem?.detail.contains("clock") == true)
    }
    #expect(try await daemon.transactions().transactions.isEmpty)
    await daemon.stop()
  }
}
