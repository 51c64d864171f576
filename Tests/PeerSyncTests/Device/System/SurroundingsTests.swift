import Foundation
import PeerSync
import Testing

@Suite struct SurroundingsTests {
  @Test func whatTheSystemDoesNotSayIsNotNothing() async {
    await #expect(processExitsWith: .success) {
      var none = rlimit(rlim_cur: 0, rlim_max: 0)
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none)
      guard Interfaces.now() == nil else { exit(3) }
    }
  }

  /// A machine that was to say what it has, and did not, has what it had.
  @Test func whatWasKnownStandsUntilTheSystemSaysOtherwise() throws {
    let known = try #require(Interfaces.now())
    let (loop, changes) = (EventLoop(), Inbox<Void>())
    var answers: [Interfaces?] = [known, nil, nil, Interfaces(), known]
    try loop.queue.sync {
      let everywhere = Address(host: "0.0.0.0", port: 7400)
      let surroundings = Surroundings(
        listening: everywhere, at: nil, on: loop, log: Log(level: .error) { _ in },
        read: { answers.removeFirst() }, changed: { changes.add(()) })
      let announced = try #require(surroundings.announced)
      for _ in 0..<2 {
        #expect(!surroundings.look())
        #expect(surroundings.interfaces == known && surroundings.announced == announced)
      }
      #expect(surroundings.look() && surroundings.announced == [])
      #expect(surroundings.look() && surroundings.interfaces == known)
    }
  }

  /// Whoever was asleep for ten minutes looks at everything anew, though nothing else has changed: others may have given it up.
  @Test func aMachineThatHasSleptLooksAnew() throws {
    let known = try #require(Interfaces.now())
    let loop = EventLoop()
    // A suspended machine tells it by two clocks of which one goes on: milliseconds since its start.
    var sleeps: [Int64] = [5000, 5000, 5000, 5020, 605_020, 605_020]
    loop.queue.sync {
      let surroundings = Surroundings(
        listening: nil, at: nil, on: loop, log: Log(level: .error) { _ in }, read: { known },
        asleep: { sleeps.removeFirst() }, changed: {})
      #expect((0..<4).map { _ in surroundings.look() } == [false, false, true, false])
    }
  }

  /// It is asked again, for nothing else may ever happen.
  @Test(.noHang) func aSystemThatDoesNotSayIsAskedAgain() async {
    await onThread {
      let (loop, changes) = (EventLoop(), Inbox<Void>())
      let surroundings = loop.queue.sync {
        Surroundings(
          listening: nil, at: nil, on: loop, log: Log(level: .error) { _ in }, read: { nil },
          changed: { changes.add(()) })
      }
      changes.next()
      withExtendedLifetime(surroundings) {}
    }
  }
}
