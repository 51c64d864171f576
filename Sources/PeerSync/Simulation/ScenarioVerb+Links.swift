// What happens to links.
extension ScenarioVerb {
  /// Lines that begin with what happens to a link.
  static let ofLinks: [String: ScenarioVerb] = [
    "cut": of("cut", .cut),
    "mend": of("mend", .mended),
    "stall": of("stall", .stalled),
    "reset": of("reset", .reset),
    "delay": ScenarioVerb(usage: "delay DEVICE DEVICE DURATION", parse: delay),
  ]

  private static func of(_ word: String, _ change: LinkChange) -> ScenarioVerb {
    ScenarioVerb(usage: "\(word) DEVICE DEVICE") { words throws(ScenarioError) in
      .link(try words.word("a device"), try words.word("a second device"), change)
    }
  }

  private static func delay(_ words: inout ScenarioWords) throws(ScenarioError) -> ScenarioStep {
    let ends = (try words.word("a device"), try words.word("a second device"))
    return .link(ends.0, ends.1, .delayed(try words.duration(atMost: 1)))
  }
}
