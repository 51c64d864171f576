import Testing

@Suite struct MembershipPropertyTests {
  private func check(
    _ count: Int, sourceLocation: SourceLocation = #_sourceLocation,
    _ property: (inout SeededGenerator) -> String?
  ) {
    for seed in Seeds.all {
      var random = SeededGenerator(seed: seed)
      for round in 0..<count {
        guard let failure = property(&random) else { continue }
        Issue.record("PEERSYNC_SEED=\(seed), round \(round): \(failure)", sourceLocation: sourceLocation)
        break
      }
    }
  }

  @Test func theSlowTwinAgrees() { check(150, MembershipProperties.agreesWithTwin) }

  @Test func theSlowTwinAgreesOnRings() { check(150, MembershipProperties.agreesWithTwinOnRings) }

  @Test func everyOrderOfDeliveryAgrees() { check(20, MembershipProperties.agreesInAnyOrder) }

  @Test func noGroupIsEmptied() { check(40, MembershipProperties.groupsAreWhole) }

  @Test func theMembersOfAGroupAgreeOnIt() { check(20, MembershipProperties.membersAgree) }

  @Test func whoWasRemovedStaysSo() { check(100, MembershipProperties.theRemovedStayOut) }
}
