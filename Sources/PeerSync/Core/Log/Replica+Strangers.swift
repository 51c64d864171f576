// What members pass on of authors that are no members by what is known here. It is no forgery: by the records of whoever passes it on
// they may be members, and there may be no room here for those records, because a member has used it up [F61]. So it is left out,
// and the rest is taken as it comes. But a write of the rest may be left out on the way because one of a stranger has taken its
// register there: of a delta that names strangers no more is claimed than what is here itself.
extension Replica {
  /// How far a claim reaches of which everything is here itself: commits in a row from where the vector stands, each with all of its
  /// writes alive. Nil: no further than the vector.
  package func presentPart(of claim: Dot) -> Dot? {
    guard claim.sequence > vector[claim.replica], let author = log.number(of: claim.replica) else {
      return nil
    }
    var reached = vector[claim.replica]
    for commit in log.commits(of: author, overlapping: reached + 1...claim.sequence) {
      guard commit.first <= reached + 1, commit.live == commit.count, commit.last <= claim.sequence else {
        break
      }
      reached = commit.last
    }
    return reached > vector[claim.replica] ? Dot(replica: claim.replica, sequence: reached) : nil
  }
}
