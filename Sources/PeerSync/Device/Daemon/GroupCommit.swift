/// The group that the next commit takes: what waits for the engine, in the order in which it came.
struct GroupCommit {
  private var events: [Event] = []
  /// Whether somebody has already seen to it that the group will be taken.
  private var isCollected = false
  /// How much there was when the collection was last put off.
  private var countBefore = 1

  /// Whether to put the collection off to the end of the queue: several things came, and more than the last time. One
  /// alone never waits, and many that arrive one by one become one commit and not a small one and a large one.
  mutating func isGrowing() -> Bool {
    guard events.count > countBefore else { return false }
    countBefore = events.count
    return true
  }

  /// - Returns: whether somebody must see to it that the group is taken.
  mutating func add(_ event: Event) -> Bool {
    events.append(event)
    defer { isCollected = true }
    return !isCollected
  }

  /// Takes the group; the next one begins.
  mutating func take() -> [Event] {
    isCollected = false
    countBefore = 1
    defer { events = [] }
    return events
  }
}
