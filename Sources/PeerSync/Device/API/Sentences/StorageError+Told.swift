// Why a device's storage cannot be used, for people.
extension StorageError: ToldError {
  /// What happened and what to do about it, in every language. What SQLite itself says is for the log: see ``description``.
  package var told: Phrase { Phrase(english { $0.told.text(in: .english) }, korean) }

  /// The words of whoever refused where people read others; nil where there are no such words.
  package var words: String? {
    switch self {
    case .io(_, let reason), .corrupt(_, let reason), .malformed(_, let reason),
      .unknown(_, let reason), .denied(_, let reason),
      .notCertificate(_, let reason), .wrongStore(_, let reason, _), .failed(_, let reason):
      reason.words == reason.told.text(in: .english) ? nil : reason.words
    case .missing, .outdated, .exists, .full, .foreign, .newer, .locked, .inUse, .displaced, .lax, .wrongKey,
      .noKey,
      .lostStore, .notDirectory, .unfit, .notRunning:
      nil
    }
  }

  private var korean: String {
    switch self {
    case .missing(let directory):
      "\(directory)에 기기가 없습니다. `peerd init --data \(directory)` 명령으로 만드세요"
    case .outdated(let directory):
      "\(directory)에 있는 기기는 이전 peerd로 만들어 그룹에 누가 있는지 적혀 있지 않습니다. `peerd init` 명령으로 다른 디렉터리에 새로 만드세요"
    case .exists(let directory):
      "\(directory)에 이미 기기가 있습니다. 그 기기를 쓰거나 다른 디렉터리를 고르세요"
    case .full(let path):
      "\(path) 파일이 있는 디스크가 가득 찼습니다. 저장하지 않은 것은 확인해 주지 않았습니다. 공간을 확보하고 다시 시작하세요"
    case .io(let path, let message):
      "\(path) 파일이 있는 디스크에서 오류가 났습니다(\(message.told.text(in: .korean))). 디스크를 확인한 뒤 다시 시작하세요"
    case .corrupt(let path, let message):
      "\(path) 파일이 손상되었습니다(\(message.told.text(in: .korean))). 다른 곳으로 옮기고 기기를 새로 만들어 다른 기기에서 다시 받게 하세요"
    case .malformed(let path, let message):
      "\(path) 파일의 형식이 깨졌고(\(message.told.text(in: .korean))) 그룹에 새로 채워 줄 다른 기기가 없습니다. 디렉터리 전체의 백업을 되돌리거나, "
        + "`peerd init --trust-root \(FileSystem.parent(of: path))/store/root.pem` 명령으로 다른 디렉터리에 새 기기를 만들고 "
        + "`peerd export` 명령으로 내보낸 것을 `peerd import` 명령으로 가져오세요"
    case .unknown(let path, let message):
      "\(path) 파일의 형식이 깨졌고(\(message.told.text(in: .korean))) 그 옆의 peerd.copy 파일도 깨졌거나 없습니다. 디렉터리 전체의 백업을 되돌리거나, "
        + "`peerd init` 명령으로 다른 디렉터리에 새 기기를 만드세요. 그룹에 다른 기기가 있으면 그 그룹에 들어오게 하고, 없으면 "
        + "`peerd export` 명령으로 내보낸 것을 `peerd import` 명령으로 가져오세요"
    case .foreign(let path):
      "\(path) 파일은 peerd가 만든 것이 아닙니다. 다른 디렉터리를 고르세요"
    case .newer(let path, let migration):
      "\(path) 파일은 더 새로운 peerd가 만들었습니다(\"\(migration)\"). peerd를 업데이트하세요"
    case .locked(let path):
      "다른 프로그램이 \(path) 파일을 잠갔습니다. 그 프로그램을 닫고 다시 시작하세요"
    case .inUse(let directory, let pid):
      "다른 peerd\(pid.map { "(pid \($0))" } ?? "")가 \(directory) 디렉터리를 쓰고 있습니다. 멈추거나 다른 디렉터리를 고르세요"
    case .displaced(let path):
      "\(path) 파일을 쓰는 동안 누군가 옮기거나 지우거나 바꾸거나 잘랐습니다. 그 뒤로는 아무것도 확인해 주지 않았습니다. 제자리에 되돌리고 다시 시작하세요"
    case .lax(let path, let isDirectory):
      "다른 사용자가 \(path) 경로를 쓸 수 있습니다. `chmod \(isDirectory ? 700 : 600) \(path)` 명령을 쓰세요"
    case .denied(let path, let message):
      "\(path) 경로를 열 수 없습니다(\(message.told.text(in: .korean))). 소유자와 권한을 확인하세요"
    case .notCertificate(let path, let message):
      "\(path) 파일은 루트 인증서가 아닙니다(\(message.told.text(in: .korean))). PEM 형식의 인증서 하나가 든 파일을 지정하세요"
    case .wrongKey(let directory):
      "\(directory)/device.key 파일은 \(directory)/peerd.db에 있는 기기의 키가 아닙니다. 둘 중 하나나 peerd.db-wal 파일이 다른 기기의 것입니다. "
        + "디렉터리 전체의 백업을 되돌리세요"
    case .noKey(let path):
      "\(path) 파일에 PEM 형식의 Ed25519 키가 없습니다. 백업에서 되돌리거나, `peerd init` 명령으로 다른 디렉터리에 새 기기를 만들어 그룹에 "
        + "들어오게 하세요"
    case .wrongStore(let directory, let message, let hasRoot):
      "\(directory)에 있는 인증서와 키가 서로 맞지 않습니다(\(message.told.text(in: .korean))). "
        + StorageError.bringBackInKorean(directory, hasRoot: hasRoot)
    case .lostStore(let directory, let missing):
      "\(directory)에 있는 샌드박스 스토어의 파일이 없습니다: \(missing.joined(separator: ", ")). "
        + StorageError.bringBackInKorean(directory, hasRoot: !missing.contains("root.pem"))
    case .notDirectory(let path):
      "\(path) 경로가 디렉터리가 아니거나 파일 아래에 있습니다. 다른 디렉터리를 고르세요"
    case .unfit(_, let reason): reason
    case .notRunning(let directory):
      "\(directory)에서 실행 중인 데몬이 없습니다. `peerd run --data \(directory)` 명령으로 시작하세요"
    case .failed(let path, let message):
      "데이터베이스 \(path)에서 명령을 실행하지 못했습니다(\(message.told.text(in: .korean))). 이 문제를 신고하세요"
    }
  }

  private static func bringBackInKorean(_ store: String, hasRoot: Bool) -> String {
    "백업에서 파일 네 개를 모두 되돌리세요. 백업이 없으면 `\(replacement(store, hasRoot: hasRoot))` 명령으로 다른 디렉터리에 새 기기를 만들어 "
      + "그룹에 들어오게 하거나, `peerd export` 명령으로 내보낸 것을 `peerd import` 명령으로 가져오세요"
  }
}

extension StorageError {
  /// What was given for a new device cannot be kept.
  static func unfit(_ reason: Phrase) -> StorageError {
    .unfit(reason.text(in: .english), inKorean: reason.text(in: .korean))
  }
}
