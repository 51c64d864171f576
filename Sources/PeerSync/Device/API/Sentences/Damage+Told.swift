// What a damaged disk has lost, for people.
extension Damage {
  /// What was left out, and what helps.
  package var warning: Phrase {
    Phrase("the disk is damaged, and what does not fit was left out: ", "디스크가 손상되어 맞지 않는 것을 뺐습니다: ")
      + told + Phrase("; ", ". ")
      + (isFinal
        ? Phrase(
          "nobody else was in the group: restore the purchases, or import an earlier export, and decide the rest anew",
          "그룹에 다른 기기가 없었습니다. 구입을 복원하거나 이전에 내보낸 것을 가져오고, 나머지는 다시 정하세요")
        : Phrase(
          "connect all other devices of the group: one that has it brings it back; remove those that will never connect again",
          "그룹의 다른 기기를 모두 연결하세요. 가지고 있는 기기가 다시 가져옵니다. 다시는 연결되지 않을 기기는 제거하세요"))
  }

  /// What was left out.
  package var told: Phrase { Phrase.joined(what.map(\.told), by: "; ") }

  /// The words of whoever found the database malformed, for the log; nil when rows alone did not fit.
  var words: String? {
    for case .database(let words, _) in what { return words }
    return nil
  }
}

extension DiskLoss {
  /// The loss.
  var told: Phrase {
    switch self {
    case .rows(let table, let count):
      let name = StorageTable.allCases.first { $0.name == table }?.told ?? .same(table)
      return Phrase("\(count) row\(count == 1 ? "" : "s") of ", "") + name + Phrase("", " \(count)행")
    case .registers(let count, let keys):
      let names = Phrase.joined(keys.map(Self.name(ofRegister:)), by: ", ")
      return Phrase("\(count) register\(count == 1 ? "" : "s") (", "레지스터 \(count)개(") + names
        + .same(count > keys.count ? ", …)" : ")")
    case .unnamed:
      return Phrase(
        "rows of registers or of what proves them, which nobody can name", "어느 것인지 알 수 없는 레지스터나 그 증명의 행")
    case .changes: return Phrase("the names of the changes that the database has seen", "데이터베이스 변경 내역의 이름")
    case .database(_, let place):
      return Phrase(
        "the whole database, which was malformed and is kept as \(place)",
        "데이터베이스 전체(형식이 깨져 \(place) 파일로 옮겨 두었습니다)")
    case .said(let text): return .same(text)
    }
  }

  private static func name(ofRegister key: [UInt8]) -> Phrase {
    (try? RegisterKey(decoding: key[...]))?.told ?? Phrase("one whose name is lost", "이름을 알 수 없는 것")
  }
}

extension StorageTable {
  /// What its rows are about.
  fileprivate var told: Phrase {
    switch self {
    case .identity: Phrase("the identity", "기기 정보")
    case .replicas: Phrase("the replicas", "저장소 목록")
    case .registers: Phrase("the registers", "레지스터")
    case .commits: Phrase("the commits", "커밋")
    case .replaced: Phrase("the replaced writes", "대체된 쓰기")
    case .forks: Phrase("the evidence of forks", "어긋난 기록의 증거")
    case .membership: Phrase("the membership records", "그룹 구성 기록")
    case .invitation: Phrase("the invitation", "초대")
    case .contacts: Phrase("when devices were last seen", "마지막 연결 기록")
    case .addresses: Phrase("the addresses of devices", "기기 주소")
    case .time: Phrase("the time", "시각 기록")
    case .inventory: Phrase("the count of rows", "행 수 기록")
    case .damage: Phrase("the record of earlier damage", "이전 손상 기록")
    case .highWater: Phrase("the high-water mark", "최신 상태 표시")
    case .setAside: Phrase("the writes that were set aside", "따로 둔 쓰기")
    case .running: Phrase("how long the device has run", "동작 시간 기록")
    case .bounds: Phrase("what others vouch for of the time", "다른 기기가 보증한 시각")
    case .known: Phrase("the hourly history", "시간별 기록")
    case .counts: Phrase("the counts of rows", "테이블별 행 수 기록")
    }
  }
}
