/// Finds what somebody probably meant.
package enum Suggestion {
  /// The candidate nearest to what was typed, when it is near: at most a third of the letters differ.
  package static func nearest(to typed: String, in candidates: [String]) -> String? {
    let ranked = candidates.map { (distance(typed, $0), $0) }.min { $0 < $1 }
    guard let (distance, candidate) = ranked, distance <= max(1, candidate.count / 3) else { return nil }
    return candidate
  }

  /// How many letters must be put in, left out, exchanged or swapped with their neighbour to get from one text to the
  /// other (optimal string alignment).
  package static func distance(_ left: String, _ right: String) -> Int {
    let left = Array(left)
    let right = Array(right)
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for row in left.indices {
      var next = [row + 1]
      for column in right.indices {
        let replaced = last[column] + (left[row] == right[column] ? 0 : 1)
        var best = min(replaced, last[column + 1] + 1, next[column] + 1)
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          best = min(best, beforeLast[column - 1] + 1)
        }
        next.append(best)
      }
      beforeLast = last
      last = next
    }
    return last[right.count]
  }
}
