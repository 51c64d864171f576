import Foundation

/// Seconds on a clock that only moves forward.
func seconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// The seconds that `body` takes.
func timed(_ body: () throws -> Void) rethrows -> Double {
  let start = seconds()
  try body()
  return seconds() - start
}
