import CSQLite

/// Why a file or a database cannot be used: for people in their language, and as whoever refused it said it.
public struct StorageReason: Hashable, Sendable {
  /// The words of whoever refused: of SQLite, of the system, or of this program. They are for the log.
  public let words: String
  /// What people read.
  package let told: Phrase

  private init(words: String, told: Phrase) { (self.words, self.told) = (words, told) }

  /// What this program has found.
  package init(_ told: Phrase) { self.init(words: told.text(in: .english), told: told) }

  /// What the system has refused, by its error number.
  package init(system number: Int32) { self.init(systemPhrase(number)) }

  /// What SQLite has refused.
  ///
  /// - Parameters:
  ///   - code: its extended result code
  ///   - words: what it says of it
  ///   - number: the system's error number behind it; 0: none
  package init(sqlite code: Int32, _ words: String, system number: Int32 = 0) {
    let told = Self.told(code) ?? .same("SQLite \(code): ‘\(words)’")
    guard number != 0 else {
      self.init(words: words, told: told)
      return
    }
    self.init(
      words: words + ", " + systemMessage(number), told: told + .same(", ") + systemPhrase(number))
  }

  /// What SQLite has found when it looked through a database.
  package init(malformed words: String) { self.init(sqlite: SQLITE_CORRUPT, words) }

  /// What a result code means; nil: that this program has made a mistake, which SQLite's own words tell best.
  private static func told(_ code: Int32) -> Phrase? {
    // An extended code is a plain one with a number above it.
    let number = code >> 8
    switch code & 0xff {
    case SQLITE_CORRUPT: return Phrase("its parts do not fit together", "안의 내용이 서로 맞지 않음")
    case SQLITE_NOTADB: return Phrase("it is no database", "데이터베이스가 아님")
    case SQLITE_CANTOPEN: return Phrase("it cannot be opened", "열 수 없음")
    case SQLITE_PERM, SQLITE_AUTH: return Phrase("it may not be used", "사용 권한이 없음")
    // SQLITE_READONLY_DBMOVED
    case SQLITE_READONLY where number == 4:
      return Phrase("it was moved or replaced while it was in use", "쓰는 동안 파일이 옮겨지거나 바뀜")
    case SQLITE_READONLY: return Phrase("it, or its directory, cannot be written", "파일이나 디렉터리에 쓸 수 없음")
    case SQLITE_NOMEM: return Phrase("there is not enough memory", "메모리가 부족함")
    case SQLITE_IOERR: return told(disk: number)
    default: return nil
    }
  }

  private static func told(disk number: Int32) -> Phrase {
    switch number {
    // READ, SHORT_READ
    case 1, 2: Phrase("it cannot be read", "읽을 수 없음")
    case 3: Phrase("it cannot be written", "쓸 수 없음")
    // FSYNC, DIR_FSYNC
    case 4, 5: Phrase("what was written cannot be made durable", "쓴 내용을 디스크에 확정할 수 없음")
    case 12: Phrase("there is not enough memory", "메모리가 부족함")
    default: Phrase("a file operation failed", "파일 작업이 실패함")
    }
  }
}
