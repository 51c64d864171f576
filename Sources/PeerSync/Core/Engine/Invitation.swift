/// An open invitation: whoever presents the code in time joins the group, once.
struct Invitation: Hashable, Sendable {
  let code: String
  let expires: Instant
  var triesLeft = Limits.invitationTries

  /// Checks a code that a device presents; nil means that it is right.
  mutating func check(_ presented: String, at now: Instant) -> CloseReason? {
    guard now < expires, triesLeft > 0 else { return .noInvitation }
    guard Self.normalized(presented) == Self.normalized(code) else {
      triesLeft -= 1
      return .wrongCode
    }
    return nil
  }

  /// People type codes with spaces, hyphens and in lower case.
  private static func normalized(_ code: String) -> [UInt8] {
    code.uppercased().utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: " ") }
  }
}
