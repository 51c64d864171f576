import PeerSync
import PeerSyncSimulation

// Tools for developers.
extension Grammar {
  static let toolCommands: [CommandSpec] = [
    CommandSpec(
      name: "simulate",
      summary: Phrase(
        "run the deterministic simulation and check the invariants", "결정론적 시뮬레이션을 실행하고 불변 조건 검사"),
      details: Phrase(
        """
        Messages are late, lost, doubled and out of order, links break, devices crash and clocks are wrong. With --faults
        more goes wrong. A failing seed is printed with the one line that replays it.
        """,
        """
        메시지가 늦거나 사라지거나 겹치거나 순서가 바뀌고, 링크가 끊기고, 기기가 갑자기 멈추고, 시계가 틀립니다. --faults
        옵션을 쓰면 더 많은 것이 잘못됩니다. 실패한 시드는 재현하는 명령 한 줄과 함께 출력됩니다.
        """),
      options: [.seed, .seeds, .simulatedDevices, .hours, .minutes, .rareFaults],
      examples: [
        "peerd simulate --seed 42 --devices 5 --hours 48",
        "peerd simulate --seeds 100 --minutes 30 --faults removals,copies",
        "peerd simulate --seeds 20 --devices 5 --hours 3 --faults all",
      ], hasData: false,
      build: { values throws(UsageError) in
        .simulate(
          SimulateOptions(
            seed: try values.seed(.seed), seeds: try values.integer(.seeds, in: 1...1_000_000, default: 1),
            devices: try values.integer(.simulatedDevices, in: 2...64, default: 3),
            minutes: try values.simulatedMinutes(), faults: try values.rareFaults()))
      }),
    CommandSpec(
      name: "explore",
      summary: Phrase(
        "search a small world whole and check the invariants after every step",
        "작은 세계를 빠짐없이 탐색하고 단계마다 불변 조건 검사"),
      details: Phrase(
        """
        Three devices that are in sync, one of which has bought five credits: every order in which messages arrive, devices die,
        somebody is removed, something is decided and credits are spent, as far as the bounds go. States are remembered by their
        digest. A broken promise is printed with a shortest path to it.
        """,
        """
        동기화된 기기 세 대가 있고 그 가운데 한 대에서 크레딧 다섯 개를 구입했습니다. 메시지가 도착하고, 기기가 죽고, 누군가
        제거되고, 무언가 정해지고, 크레딧을 쓰는 모든 순서를 정해진 범위까지 탐색합니다. 상태는 다이제스트로 기억합니다. 약속이 깨지면
        거기에 이르는 가장 짧은 경로를 출력합니다.
        """),
      options: [.seed, .exploredStates, .depth, .spends, .decisions, .removals, .crashes],
      examples: ["peerd explore --states 1000000", "peerd explore --spends 3 --removals 0"], hasData: false,
      build: { values throws(UsageError) in
        let bounds = try values.explorerBounds()
        return .explore(ExploreOptions(seed: try values.seed(.seed) ?? 1, bounds: bounds))
      }),
    CommandSpec(
      name: "rehearse",
      summary: Phrase(
        "play a story and show what every device says at each step", "스토리를 재생하고 단계마다 모든 기기의 상태 보기"),
      details: Phrase(
        """
        A story is a text file: devices that buy, are cut off, crash and meet again, and what each must answer then.
        It is played by real daemons on this machine, or with --simulated by the same engines in virtual time. A story
        that does not hold names the line, what was expected and what was seen. docs/testing.md has the words; docs/stories
        has a story for each case of the promise.
        """,
        """
        스토리는 기기가 구입하고, 끊기고, 갑자기 멈추고, 다시 만나는 일과 그때 각 기기가 답해야 하는 것을 적은 텍스트 파일입니다.
        이 컴퓨터의 실제 데몬으로 재생하고, --simulated 옵션을 쓰면 같은 엔진으로 가상 시간에 재생합니다. 스토리가 맞지
        않으면 그 줄과 기대한 것, 실제로 본 것을 알려 줍니다. 쓸 수 있는 말은 docs/testing.md 문서에, 약속의 사례별
        스토리는 docs/stories 디렉터리에 있습니다.
        """),
      operands: [
        OperandSpec(name: "FILE", help: Phrase("the story; - for standard input", "스토리 파일. 표준 입력은 -"))
      ],
      options: [.simulated, .seed],
      examples: [
        "peerd rehearse docs/stories/A1-renewals-apart-add-up.txt",
        "peerd rehearse --simulated --seed 7 my-story.txt",
      ], hasData: false,
      build: { values throws(UsageError) in
        let isSimulated = values.isSet(.simulated)
        let seed = try values.seed(.seed)
        guard isSimulated || seed == nil else {
          throw values.error(
            Phrase(
              "--seed is for --simulated: real processes have none",
              "--seed 옵션은 --simulated 옵션과 함께 씁니다. 실제 프로세스에는 시드가 없습니다"))
        }
        return .rehearse(RehearseOptions(file: values.required(0), isSimulated: isSimulated, seed: seed))
      }),
    CommandSpec(
      name: "bench",
      summary: Phrase(
        "run a benchmark and print its figures, one JSON line each", "벤치마크를 실행하고 결과를 한 줄에 하나씩 JSON으로 출력"),
      operands: [
        OperandSpec(
          name: "NAME", help: Phrase("one of these:", "다음 가운데 하나:"),
          choices: Benchmark.allCases.map { ($0.rawValue, $0.summary) })
      ],
      examples: ["peerd bench merge"], hasData: false,
      build: { values throws(UsageError) in
        guard let benchmark = Benchmark(rawValue: values.required(0)) else {
          throw values.error(
            Phrase(
              "no benchmark is called '\(values.required(0))'", "‘\(values.required(0))’ 벤치마크가 없습니다"))
        }
        return .bench(benchmark)
      }),
  ]
}
