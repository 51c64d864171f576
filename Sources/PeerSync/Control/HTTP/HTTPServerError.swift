import PeerSync

/// Why a control API cannot be served, besides what ``SocketError`` says.
package enum HTTPServerError: Error, Equatable, CustomStringConvertible {
  case notLoopback(Address)
  case notStarted

  package var description: String { told.text(in: .english) }
}

extension HTTPServerError: ToldError {
  package var told: Phrase {
    switch self {
    case .notLoopback(let address):
      Phrase(
        "the control API listens on loopback only: give 127.0.0.1, [::1] or localhost instead of \(address.host)",
        "제어 API는 루프백 주소에서만 연결을 받습니다. \(address.host) 대신 127.0.0.1, [::1], localhost 가운데 하나를 쓰세요")
    case .notStarted:
      Phrase(
        "the control API's server does not start: the system has no threads or memory left",
        "제어 API의 서버를 시작하지 못했습니다. 시스템에 스레드나 메모리가 남아 있지 않습니다")
    }
  }
}
