// Why a session ends, for people.
extension CloseReason {
  /// ``explanation``, in every language.
  package var told: Phrase { Phrase(explanation, korean) }

  private var korean: String {
    switch self {
    case .leaving: "그 기기가 오프라인이 되었습니다"
    case .version: "두 기기가 함께 쓸 수 있는 프로토콜 버전이 없습니다. 오래된 쪽을 업데이트하세요"
    case .malformed: "받은 바이트를 메시지로 읽을 수 없습니다"
    case .beyondLimit: "메시지가 프로토콜에서 허용하는 것보다 큽니다"
    case .unexpected: "순서에 맞지 않는 메시지가 왔습니다"
    case .stranger: "그룹이나 환경, 앱이 다른 기기이거나 둘 가운데 하나가 제거되었습니다. 한쪽에서 다른 쪽을 초대하세요"
    case .itself: "이 기기 자신의 주소입니다"
    case .duplicate: "두 기기가 이미 연결되어 있습니다"
    case .handshakeTimeout: "연결한 뒤 제때 응답이 없었습니다"
    case .silence: "너무 오랫동안 아무것도 오지 않았습니다"
    case .wrongCode: "초대 코드가 틀립니다. 코드를 확인하거나 새로 초대하세요"
    case .noInvitation: "그 기기에 열려 있는 초대가 없습니다. 이미 사용했거나 10분이 지났을 수 있습니다. 새 초대가 필요합니다"
    case .busy: "그 기기에 연결이 너무 많거나, 한 번에 너무 많은 것을 물었습니다"
    case .removed: "그 기기는 그룹에서 제거되었습니다. 새 기기를 만들어 참여시키세요"
    case .forged: "보냈다고 되어 있는 기기가 서명하지 않았거나 이름과 내용이 맞지 않는 것이 있습니다"
    case .notFirst:
      "들어오려는 기기는 그 그룹의 첫 기기가 아닙니다. 첫 기기가 들어와야 나머지도 함께 들어옵니다. 첫 기기가 완전히 없어졌으면 반대로 이쪽에서 초대하고 "
        + "상대 기기가 들어오게 하세요"
    case .noRoom: "두 기기 가운데 한쪽에, 연결에 필요한 그룹 구성 기록을 둘 자리가 없습니다. 두 기기의 상태에 나오는 경고를 보거나, 그룹의 첫 기기에서 초대하세요"
    case .hostRemoved: "초대한 기기가 그룹에서 제거되었습니다. 그룹에 남아 있는 다른 기기에서 초대하고, 그 초대로 들어오게 하세요"
    case .cloned: "한 기기의 복사본 둘이 동작하고 있습니다. 하나를 멈춘 뒤 다른 하나를 다시 시작하세요"
    }
  }
}
