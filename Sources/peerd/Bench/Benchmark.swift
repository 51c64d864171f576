import Foundation
import PeerSync

/// The benchmarks by the name that `peerd bench NAME` takes.
///
/// Each measures its floor in the same run on the same machine (a durable commit, one way over loopback, the bytes of the
/// encoded writes), because ratios last and absolute times do not.
package enum Benchmark: String, CaseIterable {
  case merge
  case fold
  case commit
  case propagate
  case events
  case catchUp = "catch-up"
  case difference
  case idle
  case handshake
  case reunion
  case verify
  case purchase
  case spend
  case refold
  case discover

  /// One line of help.
  package var summary: Phrase {
    switch self {
    case .merge:
      Phrase(
        "decode and merge 1,000,000 writes in memory; memory of 100,000 registers",
        "쓰기 1,000,000건을 메모리에서 디코드하고 병합. 레지스터 100,000개의 메모리")
    case .fold:
      Phrase(
        "a line of 1,000 purchases, cold, warm, and after one more", "구입 1,000건의 이용 기간 계산: 처음, 다시, 한 건 더한 뒤")
    case .commit:
      Phrase(
        "durable purchases a second: one writer, 64 writers, 32 HTTP clients",
        "초당 저장되는 구입: 하나씩, 64개 동시, HTTP 클라이언트 32개")
    case .propagate:
      Phrase(
        "from acknowledged on one device to visible on another, both durable",
        "한 기기에서 확인된 뒤 다른 기기에서 보일 때까지, 둘 다 저장됨")
    case .events:
      Phrase(
        "from a value written over HTTP on one device, durable there, to its event on another",
        "한 기기에 HTTP로 쓴 값이 저장되고 다른 기기의 이벤트가 될 때까지")
    case .catchUp:
      Phrase(
        "an empty device takes in 10,000 and 100,000 writes over TCP into SQLite",
        "빈 기기가 TCP로 쓰기 10,000건과 100,000건을 받아 SQLite에 저장")
    case .difference:
      Phrase(
        "bytes and round trips when two replicas of 100,000 writes differ in 10, or in nothing",
        "쓰기 100,000건의 복제본 둘이 10건 다르거나 같을 때의 바이트와 왕복 횟수")
    case .handshake:
      Phrase(
        "TLS handshakes between members, on one core, and their bytes",
        "그룹의 기기 사이 TLS 핸드셰이크, 코어 하나에서, 바이트 수와 함께")
    case .reunion:
      Phrase(
        "a hundred peers come back to one at the same moment: seconds until all agree",
        "기기 백 대가 동시에 한 기기로 돌아올 때 모두 일치할 때까지의 초")
    case .idle:
      Phrase(
        "three daemons with nothing to do: bytes, processor time, wake-ups, memory",
        "할 일 없는 데몬 셋: 바이트, 프로세서 시간, 깨어난 횟수, 메모리")
    case .verify:
      Phrase(
        "signed purchases and commits verified a second on one core, beside bare ECDSA and Ed25519",
        "코어 하나에서 초당 확인하는 서명된 구입과 커밋, ECDSA와 Ed25519만일 때와 비교")
    case .spend:
      Phrase(
        "durable spends of a credit a second from local rights: one spender, 64 spenders",
        "기기가 가진 크레딧을 초당 저장하며 쓰는 횟수: 하나씩, 64개 동시")
    case .refold:
      Phrase(
        "a notification on a ledger of 10,000 transactions, in one subscription and in a thousand",
        "거래 10,000건의 기록에 온 알림 하나: 구독이 하나일 때와 천 개일 때")
    case .discover:
      Phrase(
        "as root: two devices with --lan: seconds until they are in sync; bytes and wake-ups with nothing to do",
        "root로: --lan 옵션을 쓴 기기 두 대가 동기화될 때까지의 초. 할 일 없을 때의 바이트와 깨어난 횟수")
    case .purchase:
      Phrase(
        "bytes of a signed purchase on the wire and on disk, beside the signed text",
        "서명된 구입의 전송 바이트와 디스크 바이트, 서명된 텍스트와 비교")
    }
  }

  /// Runs it and returns its lines, one JSON document each.
  package func run() async throws -> [Figures] {
    switch self {
    case .merge: [try MergeBenchmark.run()]
    case .fold: [try FoldBenchmark.run()]
    case .commit: [try await CommitBenchmark.run()]
    case .propagate: [try await PropagateBenchmark.run()]
    case .events: [try await EventsBenchmark.run()]
    case .catchUp: try await CatchUpBenchmark.run()
    case .difference: try DifferenceBenchmark.run()
    case .idle: [try await IdleBenchmark.run()]
    case .handshake: [try HandshakeBenchmark.run()]
    case .reunion: [try await ReunionBenchmark.run()]
    case .verify: [try VerifyBenchmark.run()]
    case .purchase: [try await PurchaseBenchmark.run()]
    case .spend: [try await SpendBenchmark.run()]
    case .refold: [try RefoldBenchmark.run()]
    case .discover: [try await DiscoverBenchmark.run()]
    }
  }
}

/// The figures of one benchmark, in the order in which they were given.
package struct Figures {
  private var fields: [(name: String, value: String)]

  init(_ name: Benchmark) { fields = [("bench", "\"\(name.rawValue)\"")] }

  mutating func add(_ name: String, _ value: Int) { fields.append((name, String(value))) }
  mutating func add(_ name: String, _ value: UInt64) { fields.append((name, String(value))) }

  /// Four significant digits: more would claim a precision that no run has.
  mutating func add(_ name: String, _ value: Double) {
    let text = String(format: value.magnitude >= 1_000 ? "%.0f" : "%.4g", value)
    fields.append((name, text))
  }

  /// One JSON object in one line.
  package var json: String {
    "{" + fields.map { "\"\($0.name)\":\($0.value)" }.joined(separator: ",") + "}"
  }
}
