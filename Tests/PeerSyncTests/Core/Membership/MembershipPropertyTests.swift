import Testing

@Suite struct MembershipPropertyTests {
  @Test func theSlowTwinAgrees() { MembershipProperties.check(150, MembershipProperties.agreesWithTwin) }

  @Test func theSlowTwinAgreesOnRings() {
    MembershipProperties.check(150, MembershipProperties.agreesWithTwinOnRings)
  }

  @Test func everyOrderOfDeliveryAgrees() {
    MembershipProperties.check(20, MembershipProperties.agreesInAnyOrder)
  }

  @Test func noGroupIsEmptied() { MembershipProperties.check(40, MembershipProperties.groupsAreWhole) }

  @Test func theMembersOfAGroupAgreeOnIt() {
    MembershipProperties.check(20, MembershipProperties.membersAgree)
  }

  @Test func whoWasRemovedStaysSo() {
    MembershipProperties.check(100, MembershipProperties.theRemovedStayOut)
  }
}
