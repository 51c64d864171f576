/// What goes wrong in a simulation, and how often.
package struct Faults: Hashable, Sendable {
  /// Longest delay of a message, in milliseconds.
  package var delay: UInt64 = 200
  /// A device takes in what has come within so many milliseconds; 0: at once.
  package var pause: UInt64 = 3
  /// Messages of a thousand that vanish although the connection stands. TCP loses none; the engine must not care.
  package var loss: UInt64 = 5
  /// Messages of a thousand that arrive twice.
  package var duplication: UInt64 = 10
  /// Messages of a thousand that overtake others.
  package var reordering: UInt64 = 10
  /// Mean time between partitions, in milliseconds; 0: never.
  package var partitionEvery: UInt64 = 300_000
  /// Mean time between crashes, in milliseconds; 0: never. One in eight is a power cut: all devices die, and start again
  /// at one moment.
  package var crashEvery: UInt64 = 400_000
  /// How far wall clocks may be off either way, in milliseconds. Less than half the drift bound: beyond it, writes are held
  /// back, which has a test of its own.
  package var skew: Int64 = 120_000
  /// Mean time between jumps of a wall clock within the skew, in milliseconds; 0: never.
  package var clockJumpEvery: UInt64 = 600_000
  /// Those that happen only when they are asked for, in the order of their names in the program.
  package var rare: [RareFault] = []
  /// Mean time between two clocks that go wild, by minutes or years, until they are corrected, in milliseconds; 0: never.
  package var wildClockEvery: UInt64 = 1_200_000
  /// A fault of the program itself, for seeing the checkers fail.
  package var sabotage: Sabotage?

  package init() {}

  /// Whether messages are lost, doubled and overtaken at a time of the simulation. After its first hour they are in every other quarter of an
  /// hour: while they are, hardly any delta of hundreds of pieces comes whole, and devices that hold so much would send it all day.
  package func isRough(at time: UInt64) -> Bool { time < 3_600_000 || time / 900_000 % 2 == 1 }

  /// A network and machines without faults.
  package static var none: Faults {
    var faults = Faults()
    faults.delay = 20
    (faults.loss, faults.duplication, faults.reordering) = (0, 0, 0)
    (faults.partitionEvery, faults.crashEvery, faults.skew, faults.clockJumpEvery) = (0, 0, 0, 0)
    faults.wildClockEvery = 0
    return faults
  }
}
