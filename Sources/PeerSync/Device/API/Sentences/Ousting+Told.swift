// Whom a member has removed as if nobody had let them in, for people.
extension Membership.Ousting {
  /// - Parameter name: what the author is called
  func told(as name: String) -> Phrase {
    Phrase("\(name) has removed ", "‘\(name)’ 기기가 ") + .list(names)
      + Phrase(
        " as if nobody had let them in, and they are out with all below them: if you do not know why, remove \(name) on a device that is senior to "
          + "it, and they are members again, or can join",
        " 기기를 들어온 적이 없는 것처럼 제거해, 그 기기와 그 아래 기기가 빠졌습니다. 까닭을 모르면 ‘\(name)’ 기기보다 먼저 들어온 기기에서 "
          + "‘\(name)’ 기기를 제거하세요. 그러면 다시 구성원이 되거나 들어올 수 있습니다")
  }
}
