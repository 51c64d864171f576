/// Why a socket could not be opened or used.
public enum SocketError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The address is not this machine's own.
  case notLoopback(Address)
  /// The host is a name where it takes an address.
  case notNumeric(Address)
  /// Another program listens there.
  case addressInUse(Address)
  /// The port is one that only a privileged program may use.
  case notPermitted(Address)
  /// The address is none of this machine's.
  case notHere(Address)
  /// The process, or the system, has no file descriptor left.
  case noDescriptors
  /// The system watches as many sockets for this user as it may.
  case noWatches
  /// The connection is gone.
  case disconnected
  /// Nobody answered in time.
  case timedOut
  /// Anything else, by its error number.
  case system(Int32)

  /// What happened and what to do about it, in one sentence.
  public var description: String { told.text(in: .english) }
}

extension SocketError: ToldError {
  package var told: Phrase {
    switch self {
    case .notLoopback(let address):
      Phrase(
        "\(address) is not on this machine: only loopback addresses (127.0.0.1, [::1], localhost) are accepted",
        "\(address) 주소는 이 컴퓨터의 것이 아닙니다. 루프백 주소(127.0.0.1, [::1], localhost)만 쓸 수 있습니다")
    case .notNumeric(let address):
      Phrase(
        "'\(address.host)' is not an IP address: only peers to connect to may be given by a host name",
        "‘\(address.host)’ 값은 IP 주소가 아닙니다. 호스트 이름은 연결할 기기에만 쓸 수 있습니다")
    case .addressInUse(let address):
      Phrase(
        "another program listens on \(address): choose another port, or 0 for any",
        "다른 프로그램이 \(address) 주소를 쓰고 있습니다. 다른 포트를 고르거나 0으로 아무 포트나 쓰세요")
    case .notPermitted(let address):
      Phrase(
        "\(address) may not be used without privileges: choose a port above 1023",
        "\(address) 주소는 권한이 있어야 쓸 수 있습니다. 1023보다 큰 포트를 고르세요")
    case .notHere(let address):
      Phrase(
        "\(address.host) is not an address of this machine: listen on one of its own, or on 0.0.0.0 or [::] for all of them",
        "\(address.host) 주소는 이 컴퓨터의 것이 아닙니다. 이 컴퓨터의 주소를 쓰거나, 모든 주소를 쓰려면 0.0.0.0 또는 [::]을 지정하세요")
    case .noDescriptors:
      Phrase(
        "no file descriptors are left: raise the limit (`ulimit -n`), or connect fewer peers",
        "파일 디스크립터가 남아 있지 않습니다. 한도를 늘리거나(`ulimit -n`) 연결하는 기기를 줄이세요")
    case .noWatches:
      Phrase(
        "the system watches no more sockets for this user: raise fs.epoll.max_user_watches, or connect fewer peers",
        "시스템이 이 사용자의 소켓을 더 감시하지 않습니다. fs.epoll.max_user_watches 값을 늘리거나 연결하는 기기를 줄이세요")
    case .disconnected: Phrase("the connection is gone", "연결이 끊겼습니다")
    case .timedOut: Phrase("nobody answered in time", "제때 응답이 없었습니다")
    case .system(let number): systemPhrase(number)
    }
  }
}
