import PeerSync
import TestSupport
import Testing

/// What people are told of what a damaged disk has lost.
@Suite("what a damaged disk has lost, in every language")
struct DamageSentenceTests {
  private func told(_ loss: DiskLoss) -> (english: String, korean: String) {
    let told = Damage([loss]).told
    return (told.text(in: .english), told.text(in: .korean))
  }

  @Test(
    "rows of every table are told in words, and no table by its name in SQL", arguments: StorageTable.allCases
  )
  func rows(of table: StorageTable) {
    let one = told(.rows(table: table.name, count: 1))
    let (english, korean) = told(.rows(table: table.name, count: 2))
    #expect(english.hasPrefix("2 rows of ") && !english.contains("_") && !english.hasHangul, "\(english)")
    #expect(korean.hasSuffix(" 2행") && korean.hasHangul && !korean.isEnglish, "\(korean)")
    #expect(!korean.contains(#/[A-Za-z]/#), "\(korean)")
    #expect(one.english.hasPrefix("1 row of "), "\(one)")
  }

  @Test("registers are told by their names, as far as their keys can be read")
  func registers() {
    let keys = [RegisterKey.value(key: "blue").encoded, [0xff], RegisterKey.product(id: "owls").encoded]
    let (english, korean) = told(.registers(count: 4, keys: keys))
    #expect(english == "4 registers (value 'blue', one whose name is lost, product 'owls', …)")
    #expect(korean == "레지스터 4개(‘blue’ 값, 이름을 알 수 없는 것, ‘owls’ 상품, …)")
    let (one, inKorean) = told(.registers(count: 1, keys: [RegisterKey.expiration(line: "owls").encoded]))
    #expect(one == "1 register (the date of line 'owls')" && inKorean == "레지스터 1개(‘owls’ 이용 기간의 날짜)")
  }

  @Test("the warning has all of it in one language, and the log the words of SQLite")
  func warning() {
    let damage = Damage([
      .unnamed, .changes, .database(words: "Tree 5 is odd", keptAs: "/d/peerd.db.damaged-1"),
    ])
    let (english, korean) = (damage.warning.text(in: .english), damage.warning.text(in: .korean))
    #expect(
      english.contains("kept as /d/peerd.db.damaged-1; connect") && !english.contains("Tree"), "\(english)")
    #expect(korean.contains("/d/peerd.db.damaged-1") && !korean.isEnglish, "\(korean)")
    let lines = Guarded<[String]>([])
    let log = Log(level: .error) { line in lines.withLock { $0.append(line) } }
    log.note(damage)
    log.note(Damage([.changes]))
    #expect(lines.withLock { $0.map { $0.contains("Tree 5 is odd") } } == [true, false])
  }

  @Test("lines that a version before has written are told as they are")
  func before() {
    let losses = Damage.losses("2 rows of commits\n1 register (value 'k')")
    #expect(losses == [.said("2 rows of commits"), .said("1 register (value 'k')")])
    #expect(Damage.losses("").isEmpty)
    #expect(told(losses[0]).korean == "2 rows of commits")
  }
}
