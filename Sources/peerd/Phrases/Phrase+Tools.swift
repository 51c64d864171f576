import PeerSync
import PeerSyncSimulation

// What the tools for developers say of their runs. Names of faults and benchmarks, and what stories say, are the same in every language.
extension Phrase {
  static let promise = Phrase("PROMISE", "약속")
  static let holds = Phrase("holds", "지켜짐")
  static let brokenMark = Phrase("BROKEN", "깨짐")

  static func notTested(_ why: Phrase) -> Phrase {
    Phrase("not tested (", "검사하지 않음(") + why + same(")")
  }

  static let nobodyRemoved = Phrase("nobody was removed", "제거된 기기 없음")
  static let nobodyDishonest = Phrase("nobody was dishonest", "정직하지 않은 기기 없음")

  // MARK: simulate

  static func simulates(_ options: SimulateOptions, from first: UInt64) -> Phrase {
    let (minutes, seeds) = (options.minutes, options.seeds)
    let time =
      minutes % 60 == 0
      ? Phrase("\(minutes / 60) h", "\(minutes / 60)시간") : Phrase("\(minutes) min", "\(minutes)분")
    let faults = options.faults.map(\.rawValue).joined(separator: ", ")
    return Phrase("simulating \(options.devices) devices for ", "기기 \(options.devices)대를 가상 시간으로 ")
      + time
      + Phrase(
        " of virtual time, \(seeds) seed\(seeds == 1 ? "" : "s") from \(first)",
        " 동안 시뮬레이션합니다. 시드 \(first)부터 \(seeds)개")
      + (faults.isEmpty ? same("") : Phrase(", with \(faults)", ", 고장: \(faults)"))
  }

  static func done(_ count: Int, of all: Int) -> Phrase {
    Phrase("\(count) of \(all)", "\(all)개 가운데 \(count)개")
  }

  /// - Parameters:
  ///   - counts: of steps, messages, durable writes, acknowledged requests, crashes and partitions
  ///   - slowest: the longest it took to agree, in milliseconds
  package static func simulated(_ counts: [Int], slowest: UInt64) -> Phrase {
    let names = [
      Phrase("steps", "단계"), Phrase("messages", "메시지"), Phrase("durable writes", "저장된 쓰기"),
      Phrase("acknowledged requests", "확인된 요청"), Phrase("crashes", "급정지"), Phrase("partitions", "분할"),
    ]
    let parts = zip(counts, names).map { count, name in
      Phrase("\(count) ", "") + name + Phrase("", " \(count)")
    }
    return joined(parts, by: ", ")
      + Phrase("; converged at most ", ". 마지막 고장 뒤 가상 시간으로 길어야 ")
      + ClockSpan(milliseconds: Int64(clamping: slowest)).told
      + Phrase(" of virtual time after the last fault", " 만에 수렴")
  }

  static func trace(_ hash: String, digest: String) -> Phrase {
    Phrase("digest \(digest), trace hash \(hash)", "다이제스트 \(digest), 실행 해시 \(hash)")
  }

  static func replay(_ broken: Phrase, _ command: String) -> Phrase {
    broken + Phrase("; replay: \(command)", ". 재현: \(command)")
  }

  /// A broken promise. What its checker has found is for developers, in English.
  package static func broken(_ violation: Violation) -> Phrase {
    Phrase(
      "\(violation)",
      "깨진 약속: \(told(violation.promise).text(in: .korean)), \(violation.time) ms, ‘\(violation.detail)’")
  }

  package static func told(_ promise: Violation.Promise) -> Phrase {
    Phrase(promise.rawValue, korean(promise))
  }

  private static func korean(_ promise: Violation.Promise) -> String {
    switch promise {
    case .noLostRenewal: "I1 잃어버린 갱신 없음"
    case .convergence: "I2 수렴"
    case .durability: "I3 저장한 것은 남음"
    case .noOverspending: "I4 크레딧 초과 사용 없음"
    case .removal: "제거된 기기는 더 계산되지 않음"
    case .idempotence: "I7 두 번 받아도 같음"
    case .determinism: "I8 같은 시드는 같은 결과"
    case .identity: "I9 기기의 신원"
    case .claims: "안다고 한 것은 사실임"
    case .liveness: "멈추지 않고 나아감"
    case .undecodable: "메시지를 읽을 수 있음"
    case .quiet: "할 일 없는 기기는 조용함"
    case .answers: "요청마다 답 하나"
    case .time: "I6 시계로 속일 수 없음"
    case .takingAway: "I10 아무도 빼앗지 못함"
    }
  }

  // MARK: explore

  static func explored(
    _ states: Int, depth: Int, isWhole: Bool, steps: Int, rate: Int, seed: UInt64
  ) -> Phrase {
    Phrase(
      "seed \(seed): \(states) states to a depth of \(depth) steps\(isWhole ? ", which is all there are" : ""); "
        + "\(steps) steps, \(rate) a second",
      "시드 \(seed): 깊이 \(depth)단계까지 상태 \(states)개\(isWhole ? "(전부)" : ""). 단계 \(steps)개, 초당 \(rate)개")
  }

  static func everyInvariant(_ holds: String, isWhole: Bool) -> Phrase {
    Phrase("every invariant \(holds)", "모든 불변 조건: \(holds)")
      + (isWhole
        ? same("")
        : Phrase(
          "; a limit (--states or --depth) ended the search, and what lies beyond was not looked at",
          ". 한도(--states 또는 --depth)에서 멈추었고, 그 너머는 찾아보지 않았습니다"))
  }

  static let afterSteps = Phrase(", after", ". 다음 단계 뒤:")

  // MARK: rehearse

  static func plays(_ file: String, seed: UInt64?) -> Phrase {
    seed.map { Phrase("\(file), in virtual time, seed \($0)", "\(file), 가상 시간, 시드 \($0)") }
      ?? Phrase("\(file), played by real processes", "\(file), 실제 프로세스로 재생")
  }

  static func shows(_ device: String, _ what: Phrase) -> Phrase {
    Phrase("\(device) shows ", "‘\(device)’ 기기: ") + what
  }

  static let storyHolds = Phrase("the story holds", "스토리가 맞습니다")
  static func steps(_ count: Int) -> Phrase { Phrase("\(count) steps", "\(count)단계") }
}
