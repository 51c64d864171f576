import PeerSync
import Testing

/// Progress behind a reference: what an expectation looks at may change it.
private final class Watched {
  private var progress = Progress()

  var isOwing: Bool { progress.isOwing }

  func began() { progress.began() }

  func ended() { progress.ended() }

  func moved(_ bytes: Int) { progress.moved(bytes) }

  func isStalled() -> Bool { progress.isStalled(below: Limits.paceBytes) }
}

@Suite struct ProgressTests {
  @Test func whoOwesNothingNeverStalls() {
    let progress = Watched()
    for _ in 0..<3 { #expect(!progress.isStalled()) }
    progress.moved(1)
    #expect(!progress.isStalled())
  }

  @Test func oneWholeWindowOfTooLittle() {
    let progress = Watched()
    progress.began()
    // It began somewhere within this one.
    #expect(!progress.isStalled())
    progress.moved(Limits.paceBytes - 1)
    #expect(progress.isStalled())
  }

  @Test func slowIsNotStalled() {
    let progress = Watched()
    progress.began()
    for _ in 0..<5 {
      #expect(!progress.isStalled())
      progress.moved(Limits.paceBytes - 6)
      progress.moved(6)
    }
    #expect(!progress.isStalled())
    #expect(progress.isStalled())
  }

  @Test func theNextOneHasItsOwnTime() {
    let progress = Watched()
    progress.began()
    #expect(!progress.isStalled())
    progress.ended()
    #expect(!progress.isOwing)
    progress.began()
    #expect(!progress.isStalled())
    #expect(progress.isStalled())
  }
}
