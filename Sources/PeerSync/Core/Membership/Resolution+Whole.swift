extension Resolution {
  /// Those groups that are part of no other one that is itself part of none: who joined a group that came under
  /// another, without getting there, is not in that group any more.
  static func whole(_ resolutions: [Resolution]) -> [Resolution] {
    var known: [Int: Bool] = [:]
    func isWhole(_ lower: Resolution) -> Bool {
      if let known = known[lower.root] { return known }
      known[lower.root] = false
      let whole = !resolutions.contains { $0.isAbove(lower) && isWhole($0) }
      known[lower.root] = whole
      return whole
    }
    return resolutions.filter(isWhole)
  }

  /// Whether another group is part of this one, and not the other way round too.
  private func isAbove(_ other: Resolution) -> Bool {
    holds(other) && !other.holds(self)
  }
}
