import Foundation
import PeerSync
import TestSupport
import Testing

/// Why a file or a database cannot be used, for people and for the log.
@Suite("reasons of the system and of SQLite, in every language")
struct StorageReasonTests {
  private let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private func expectTold(_ reason: StorageReason, besides words: String) {
    let (english, korean) = (reason.told.text(in: .english), reason.told.text(in: .korean))
    #expect(korean.hasHangul && !korean.isEnglish, "\(korean)")
    #expect(!english.hasHangul && !english.contains(words), "\(english)")
    #expect(reason.words.hasPrefix(words))
  }

  /// SQLITE_PERM, NOMEM, READONLY, IOERR, CORRUPT, CANTOPEN, AUTH and NOTADB, with numbers above that make them extended codes.
  @Test(
    "every result code that is not a mistake of this program's has a sentence",
    arguments: [3, 7, 8, 10, 11, 14, 23, 26])
  func codes(code: Int32) {
    for number in Int32(0)...34 {
      expectTold(StorageReason(sqlite: number << 8 | code, "in its words"), besides: "in its words")
    }
    let reason = StorageReason(sqlite: code, "in its words", system: EIO)
    #expect(reason.words == "in its words, Input/output error")
    #expect(reason.told.text(in: .korean).hasSuffix(", 입출력 오류"))
  }

  @Test("of a mistake SQLite's own words are told, for whoever reports it")
  func mistake() {
    let reason = StorageReason(sqlite: 1, "no such table: a")
    #expect(reason.told == .same("SQLite 1: ‘no such table: a’"))
  }

  @Test("the system's words are told in Korean, and numbers that nobody knows by their number")
  func system() {
    for number in [
      EPERM, ENOENT, EIO, EACCES, EBUSY, EEXIST, ENODEV, ENXIO, ENOTDIR, EISDIR, EINVAL, ENFILE, EMFILE,
      EFBIG,
      ENOSPC, EDQUOT, EROFS, EPIPE, ENAMETOOLONG, ELOOP, ENOMEM, ENOTEMPTY, ENETDOWN, ENETUNREACH, EHOSTDOWN,
      EHOSTUNREACH, EADDRINUSE, EADDRNOTAVAIL, EAFNOSUPPORT, ECONNREFUSED, ECONNRESET, ECONNABORTED,
      ETIMEDOUT,
    ] {
      let korean = systemPhrase(number).text(in: .korean)
      #expect(korean.hasHangul && !korean.contains(#/[A-Za-z0-9]/#), "\(number): \(korean)")
      #expect(systemPhrase(number).text(in: .english) == systemMessage(number))
    }
    #expect(systemPhrase(ENOLCK).text(in: .korean) == "시스템 오류 \(ENOLCK)번")
    #expect(StorageReason(system: EIO).words == "Input/output error")
  }

  @Test("SQLite's words are in the log and not in what people read")
  func log() throws {
    let path = home.path + "/peerd.db"
    try Data(repeating: 0xee, count: 8192).write(to: URL(filePath: path))
    let error = try #require(throws: StorageError.self) {
      try Database(path: path).text("PRAGMA quick_check")
    }
    #expect(
      error.description
        == "\(path) is damaged (file is not a database): move it away, make the device anew and let its peers fill it again"
    )
    #expect(error.told.text(in: .english).hasPrefix("\(path) is damaged (it is no database): move it away"))
    #expect(error.told.text(in: .korean).hasPrefix("\(path) 파일이 손상되었습니다(데이터베이스가 아님)."))
    #expect(error.words == "file is not a database")
    #expect(StorageError.full(path: path).words == nil)
    #expect(StorageError.io(path: path, message: StorageReason(system: EIO)).words == nil)
  }
}
