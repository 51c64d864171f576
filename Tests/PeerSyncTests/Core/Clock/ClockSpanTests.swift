import PeerSyncCore
import Testing

@Suite struct ClockSpanTests {
  private static let minute: Int64 = 60_000
  private static let hour: Int64 = 60 * minute
  private static let day: Int64 = 24 * hour

  @Test(arguments: [
    (0, "0 seconds"), (1_400, "1 second"), (59_499, "59 seconds"), (59_500, "1 minute"),
    (8 * minute, "8 minutes"), (hour - 1, "1 hour"), (hour + minute, "1 hour 1 minute"),
    (40 * hour, "1 day 16 hours"), (day - 1, "1 day"), (day + 20 * minute, "1 day"),
    (400 * day, "400 days"), (400 * day - 1, "400 days"), (400 * day + 3 * hour, "400 days 3 hours"),
    (-2 * hour, "2 hours"),
  ]) func itIsSaidAsPeopleSayIt(milliseconds: Int64, text: String) {
    #expect("\(ClockSpan(milliseconds: milliseconds))" == text)
  }

  /// Nothing overflows, and no more than two units are said.
  @Test(arguments: [Int64.min, .min + 1, .max, .max - 1]) func anyLengthIsSaid(milliseconds: Int64) {
    let words = "\(ClockSpan(milliseconds: milliseconds))".split(separator: " ")
    #expect(words.count <= 4 && words[1] == "days")
  }
}
