import Foundation
import PeerSyncTesting
import Testing

/// Stories that others play in their tests.
@Suite struct StoryTests {
  private static let text = """
    # Bought apart.
    product 3m nonRenewingSubscription line owls period P3M entitlements owls
    devices Phone Tablet
    cut Phone Tablet
    Phone buys 3m at 2026-01-31 as first
    mend Phone Tablet
    settle
    expect all owls until 2026-04-30
    """

  @Test func whatHoldsHolds() async throws {
    let story = try Story(Self.text)
    try await story.run()
    try await story.run(seeds: 1...5)
    var faults = FaultRates()
    faults.delay = .seconds(1)
    try await story.run(seed: 3, faults: faults)
  }

  @Test func aFailureTellsLineAndSeed() async throws {
    let story = try Story(Self.text.replacing("04-30", with: "05-31"), name: "apart.txt")
    let failure = try await #require(throws: StoryFailure.self) { try await story.run(seed: 4) }
    #expect(failure.line == 8 && failure.seed == 4)
    #expect(
      failure.description == """
        apart.txt:8: expected Phone: owls until 2026-05-31, saw until 2026-04-30
        To see it again, run this story with run(seed: 4).
        """)
  }

  @Test func whatIsNoStoryIsRefused() throws {
    let unread = try #require(throws: StoryFailure.self) { try Story("devices Phone\nPhone flies\n") }
    #expect(unread.line == 2 && unread.seed == nil && unread.description.hasPrefix("story:2: "))
    #expect(throws: StoryFailure.self) { try Story("devices Phone\n") }
  }

  @Test func itIsReadFromAFile() async throws {
    let home = try TemporaryDirectory()
    try await Story(file: home.write(Self.text, to: "x.txt")).run(seed: 2)
    let path = try home.write("devices Phone\nPhone flies\n", to: "y.txt")
    let failure = try #require(throws: StoryFailure.self) { try Story(file: path) }
    #expect(failure.story == "y.txt")
    #expect(throws: CocoaError.self) { try Story(file: home.path + "/z.txt") }
  }
}
