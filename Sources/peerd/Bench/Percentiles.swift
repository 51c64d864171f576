/// The middle and the 99th percentile of some times.
struct Percentiles {
  let p50: Double
  let p99: Double

  init(_ values: [Double]) {
    let sorted = values.sorted()
    p50 = sorted.isEmpty ? 0 : sorted[sorted.count / 2]
    p99 = sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, sorted.count * 99 / 100)]
  }
}
