import PeerSyncCore
import PeerSyncTesting
import Testing

/// A purchase for the fold alone.
func purchase(
  _ id: String, _ date: String, _ length: String, quantity: Int = 1, _ standing: Purchase.Standing = .counts
) -> Purchase {
  Purchase(id: id, date: instant(date), period: period(length), quantity: quantity, standing: standing)
}

@Suite struct FoldTests {
  @Test func noPurchasesNoCover() {
    let fold = Fold([])
    #expect(fold.runs.isEmpty && fold.expires == nil && fold.steps.isEmpty)
  }

  @Test func B11_renewalWhileActiveKeepsTheRemainingTime() {
    let fold = Fold([purchase("1", "2026-01-01", "P3M"), purchase("2", "2026-03-31T23:59:59.999Z", "P6M")])
    #expect(fold.expires == instant("2026-10-01"))
    #expect(fold.runs.map(\.transactions) == [["1", "2"]])
    #expect(fold.steps.map(\.counted) == [.startedRun, .joinedRun])
    #expect(fold.steps.map(\.end) == [instant("2026-04-01"), instant("2026-10-01")])
  }

  @Test func B12_renewalAfterALapseCountsFromThePurchase() {
    let fold = Fold([purchase("1", "2026-01-01", "P3M"), purchase("2", "2026-04-01", "P6M")])
    #expect(fold.expires == instant("2026-10-01"))
    #expect(fold.runs.count == 2, "at the very end a new run starts")
    #expect(
      Fold([purchase("1", "2026-01-01", "P3M"), purchase("2", "2026-06-15", "P1M")]).expires
        == instant("2026-07-15"))
  }

  @Test func B13_B14_B15_B16_monthsAreAddedOnceToTheAnchor() {
    #expect(Fold([purchase("1", "2026-01-31", "P1M")]).expires == instant("2026-02-28"))
    #expect(Fold([purchase("1", "2028-01-31", "P1M")]).expires == instant("2028-02-29"))
    #expect(
      Fold([purchase("1", "2026-01-31", "P1M"), purchase("2", "2026-02-01", "P1M")]).expires
        == instant("2026-03-31"))
    for (first, second) in [("P3M", "P6M"), ("P6M", "P3M")] {
      let fold = Fold([purchase("1", "2025-08-31", first), purchase("2", "2025-09-01", second)])
      #expect(fold.expires == instant("2026-05-31"))
    }
    #expect(Fold([purchase("1", "2024-02-29", "P12M")]).expires == instant("2025-02-28"))
    #expect(Fold([purchase("1", "2024-02-29", "P48M")]).expires == instant("2028-02-29"))
  }

  @Test func B20_mixedUnitsMonthsFirst() {
    // 31 January and one month and ten days: 28 February and ten days, whichever was bought first.
    for (first, second) in [("P1M", "P10D"), ("P10D", "P1M")] {
      let fold = Fold([purchase("1", "2026-01-31", first), purchase("2", "2026-02-01", second)])
      #expect(fold.expires == instant("2026-03-10"))
    }
  }

  @Test func B21_quantityMultiplies() {
    #expect(Fold([purchase("1", "2026-01-31", "P1M", quantity: 2)]).expires == instant("2026-03-31"))
    let absurd = Fold([
      purchase("1", "2026-01-31", "P100Y", quantity: .max),
      purchase("2", "2026-02-01", "P100Y", quantity: 1000),
    ])
    #expect(absurd.expires?.milliseconds == Limits.latestMilliseconds)
  }

  @Test func timeOfDayIsKept() {
    #expect(
      Fold([purchase("1", "2026-01-31T13:14:15.678Z", "P1M10D")]).expires
        == instant("2026-03-10T13:14:15.678Z"))
  }

  @Test func C27_anEarlierPurchaseRefunded() {
    let fold = Fold([purchase("1", "2026-01-01", "P3M", .revoked), purchase("2", "2026-02-01", "P6M")])
    #expect(fold.expires == instant("2026-08-01"))
    #expect(fold.steps.map(\.counted) == [.revoked, .startedRun])
  }

  @Test func C29_proratedInWholeDaysOfItsOwnPeriod() {
    // January to March 2026 has 90 days; 50 % of them, then 33.333 % of them rounded down.
    let half = Fold([purchase("1", "2026-01-01", "P3M", .prorated(keeping: 50_000))])
    #expect(half.expires == instant("2026-02-15"))
    #expect(half.steps.map(\.counted) == [.prorated(days: 45)])
    let third = Fold([purchase("1", "2026-01-01", "P3M", .prorated(keeping: 33_333))])
    #expect(third.expires == instant("2026-01-30"))
    let nothing = Fold([purchase("1", "2026-01-01", "P1W", .prorated(keeping: 1))])
    #expect(nothing.runs.isEmpty && nothing.expires == nil)
    #expect(nothing.steps.map(\.counted) == [.prorated(days: 0)])
    // What an app may ask for is held within nothing and the whole.
    for (keeping, days) in [(Int.max, 7), (.min, 0)] {
      let held = Fold([purchase("1", "2026-01-01", "P1W", .prorated(keeping: keeping))])
      #expect(held.steps.map(\.counted) == [.prorated(days: days)])
    }
  }

  @Test func B22_anUnknownLengthCountsForNothing() {
    let fold = Fold([Purchase(id: "1", date: instant("2026-01-01"), period: nil)])
    #expect(fold.expires == nil && fold.steps.map(\.counted) == [.unknownProduct])
  }

  @Test func rule3_1_orderIsByDateThenBytesOfTheId() {
    let date = "2026-01-01"
    let (a, b) = (purchase("9", date, "P1M"), purchase("10", date, "P1M"))
    #expect(b.precedes(a) && !a.precedes(b) && !a.precedes(a))
    let first = Purchase(id: "0", device: DeviceID(high: 0, low: 1), date: instant(date), period: nil)
    let second = Purchase(id: "0", device: DeviceID(high: 0, low: 2), date: instant(date), period: nil)
    #expect(first.precedes(second) && !second.precedes(first))
    #expect(first.reference == "0@0000000-0000000-0000000-0000101")
  }

  @Test func rule3_3_intervalsAreHalfOpen() {
    let run = Run(start: instant("2026-01-01"), end: instant("2026-02-01"), transactions: [])
    #expect(run.covers(instant("2026-01-01")) && run.covers(instant("2026-01-31T23:59:59.999Z")))
    #expect(!run.covers(instant("2026-02-01")) && !run.covers(instant("2025-12-31T23:59:59.999Z")))
  }

  @Test func rule3_4_anExplicitDateNeverSwallowsARenewalItsWriterHadNotSeen() {
    let purchases = [purchase("1", "2026-01-01", "P3M"), purchase("2", "2026-02-01", "P6M")]
    let register = ExpirationRegister(expires: instant("2026-05-15"), covers: ["1"])
    let fold = Fold(purchases, register: register, writtenAt: instant("2026-01-20"))
    #expect(fold.expires == instant("2026-11-15"))
    #expect(
      fold.runs == [
        Run(start: instant("2026-01-01"), end: instant("2026-11-15"), transactions: ["2"])
      ])
    #expect(fold.steps.map(\.counted) == [.covered, .joinedRun])
  }

  @Test func rule3_4_aPurchaseAfterTheExplicitDateStartsARun() {
    let register = ExpirationRegister(expires: instant("2026-02-01"), covers: [])
    let fold = Fold(
      [purchase("1", "2026-02-01", "P1M")], register: register, writtenAt: instant("2026-01-20"))
    #expect(fold.expires == instant("2026-03-01"))
    #expect(fold.runs.map(\.start) == [instant("2026-01-19T23:55:00Z"), instant("2026-02-01")])
  }

  @Test func rule3_4_aDateOfNoneLeavesOutWhatItCovers() {
    let register = ExpirationRegister(expires: nil, covers: ["1"])
    let purchases = [purchase("1", "2026-01-01", "P3M"), purchase("2", "2026-02-01", "P6M")]
    let fold = Fold(purchases, register: register, writtenAt: instant("2026-01-20"))
    #expect(fold.runs.map(\.start) == [instant("2026-02-01")])
    #expect(Fold([purchases[0]], register: register).expires == nil)
  }

  @Test func rule3_4_aDateInThePastEndsTheCover() {
    let register = ExpirationRegister(expires: instant("2025-06-01"), covers: ["1"])
    let fold = Fold(
      [purchase("1", "2026-01-01", "P3M")], register: register, writtenAt: instant("2026-01-20"))
    #expect(fold.expires == instant("2025-06-01") && fold.runs.isEmpty)
  }
}
