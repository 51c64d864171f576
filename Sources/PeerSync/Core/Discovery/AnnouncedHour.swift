/// The hour in which a device is announced, by its own clock. Nobody is told of it: tags are made of it, so that one which is repeated later
/// means nothing any more.
package struct AnnouncedHour: Hashable, Sendable {
  /// Hours since 1970.
  package let number: Int64

  package init(number: Int64) { self.number = number }

  /// The hour of a wall clock.
  package init(at wall: Instant) {
    let (whole, rest) = wall.milliseconds.quotientAndRemainder(dividingBy: Self.milliseconds)
    number = rest < 0 ? whole - 1 : whole
  }

  private static let milliseconds: Int64 = 60 * 60 * 1000

  /// How long it is until the next hour begins, in milliseconds.
  package static func left(at wall: Instant) -> Int64 {
    (AnnouncedHour(at: wall).number + 1) * milliseconds - wall.milliseconds
  }

  /// The hour that begins so many hours later.
  package func advanced(by hours: Int64) -> AnnouncedHour { AnnouncedHour(number: number + hours) }

  /// Those whose tags mean that a device is here now, by the clock of whoever sees them: it itself and its neighbours, for two clocks
  /// differ a little, and an hour may just have begun.
  package var near: [AnnouncedHour] { [0, -1, 1].map(advanced) }

  /// Those of devices whose clock, or this one's, is wrong, the nearest first.
  package var far: [AnnouncedHour] {
    (2...Limits.strayHours).flatMap { [advanced(by: -$0), advanced(by: $0)] }
  }
}
