// Who holds rights to credits, for people.
extension RightsHeld {
  /// ``description``, in every language.
  package var told: Phrase {
    switch holder {
    case .itself: Phrase(description, "이 기기 \(rights)개")
    case .earlierLife: Phrase(description, "이 기기의 이전 저장소 \(rights)개")
    case .member(_, let name, let isConnected):
      Phrase(description, "‘\(name)’ 기기 \(rights)개\(isConnected ? "" : "(연결 안 됨)")")
    case .removed(_, let name): Phrase(description, "제거된 ‘\(name)’ 기기 \(rights)개")
    case .nobody: Phrase(description, "모든 기기가 만나거나 한 기기가 회수할 때까지 아무도 쓸 수 없는 \(rights)개")
    case .unknown: Phrase(description, "알 수 없는 기기 \(rights)개")
    }
  }
}
