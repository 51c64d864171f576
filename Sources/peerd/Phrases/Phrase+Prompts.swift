import PeerSync

// Questions, and why a command was not done.
extension Phrase {
  static let nothingWasChanged = Phrase("nothing was changed", "아무것도 바뀌지 않았습니다")
  static let recoveryKey = Phrase("recovery key: ", "복구 키: ")

  static func removeForGood(_ name: String) -> Phrase {
    Phrase(
      "\(name) is removed for good: what it decides from now on counts nowhere, and its key never comes back.\n"
        + "Remove it? [y/N] ",
      "‘\(name)’ 기기를 완전히 제거합니다. 앞으로 그 기기에서 정하는 것은 어디에서도 인정되지 않고, 그 키는 다시 쓸 수 없습니다.\n"
        + "제거할까요? [y/N] ")
  }

  static func takesBack(_ name: String, since date: String?) -> Phrase {
    Phrase(
      (date.map { "What \(name) has decided since \($0)" } ?? "All that \(name) ever decided")
        + " is taken back on every device. What others had decided stands again.\n",
      "‘\(name)’ 기기에서 " + (date.map { "\($0)부터 " } ?? "")
        + "정한 것을 모든 기기에서 모두 되돌립니다. 다른 기기에서 정했던 것이 다시 유효해집니다.\n")
  }

  static let fallsBesides = Phrase(
    "What devices decided that go with it falls on every device. What others had decided stands again.\n",
    "함께 제거되는 기기에서 정한 것은 모든 기기에서 사라집니다. 다른 기기에서 정했던 것이 다시 유효해집니다.\n")

  static let removeIt = Phrase("Remove it? [y/N] ", "제거할까요? [y/N] ")

  static func whichDisowned(_ devices: String, by name: String) -> Phrase {
    Phrase(
      "\(name) had let in: \(devices).\n"
        + "Which of them do you not know? They go with it. [names, with commas between; Enter: none] ",
      "‘\(name)’ 기기가 들여온 기기: \(devices).\n모르는 기기가 있습니까? 함께 제거됩니다. [쉼표로 나눈 이름, 없으면 Enter] ")
  }

  static func letInStay(_ devices: String, by name: String) -> Phrase {
    Phrase(
      "\(name) had let in \(devices): remove those that you do not know, with the same recovery key",
      "‘\(name)’ 기기가 \(devices) 기기를 들여왔습니다. 모르는 기기는 같은 복구 키로 제거하세요")
  }

  static func becomeMembersAgain(_ devices: String) -> Phrase {
    Phrase("Members again by this: \(devices).\n", "다시 구성원이 되는 기기: \(devices).\n")
  }

  static func goOut(_ devices: String) -> Phrase {
    Phrase("Members no more by this: \(devices).\n", "함께 그룹에서 빠지는 기기: \(devices).\n")
  }

  static func membersOut(_ devices: String) -> Phrase {
    Phrase(
      "members no more by this: \(devices). Let those that are yours join anew: what they bought counts again then",
      "함께 그룹에서 빠진 기기: \(devices). 본인 기기라면 다시 들이세요. 그러면 그 기기에서 구입한 것이 다시 인정됩니다")
  }

  static func membersAgain(_ devices: String) -> Phrase {
    Phrase(
      "members again by this: \(devices). Remove those that you do not know",
      "다시 구성원이 된 기기: \(devices). 모르는 기기는 제거하세요")
  }

  static func leavesForGood(_ name: String) -> Phrase {
    Phrase(
      "\(name) leaves its group for good, and can join none again. What it has bought stays with the others, and here.\n"
        + "Leave? [y/N] ",
      "‘\(name)’ 기기가 그룹을 완전히 떠나고, 다시는 그룹에 들어갈 수 없습니다. 구입한 것은 다른 기기와 여기에 그대로 남습니다.\n" + "떠날까요? [y/N] ")
  }

  static func acceptClock(_ wall: String) -> Phrase {
    Phrase(
      "This device's clock says \(wall). What peers have vouched for is dropped, and the clock counts.\n"
        + "Is it right? [y/N] ",
      "이 기기의 시계는 \(wall)입니다. 다른 기기가 보증한 시각을 버리고 이 시계를 따릅니다.\n맞습니까? [y/N] ")
  }

  static func isThisDevice(_ name: String) -> Phrase {
    Phrase(
      "\(name) is the device that you ask: `peerd leave` takes it out of its group",
      "‘\(name)’ 기기는 지금 쓰는 기기입니다. 그룹에서 빼려면 `peerd leave` 명령을 쓰세요")
  }

  static func manyDevices(_ count: Int, called name: String) -> Phrase {
    Phrase(
      "\(count) devices are called '\(name)': give the id, as `peerd devices` lists it",
      "‘\(name)’ 기기가 \(count)대 있습니다. `peerd devices` 명령에 나오는 ID를 쓰세요")
  }

  /// The commands that make a device beside one that was removed, whose directory is taken.
  static let newDevice = Phrase(
    "`peerd init --data NEWDIR`, then `peerd join --data NEWDIR …`",
    "`peerd init --data NEWDIR`, 그다음 `peerd join --data NEWDIR …`")
  static let inNoGroup =
    Phrase(
      "this device is in no group any more; make a new one in another directory: ",
      "이 기기는 더 이상 그룹에 없습니다. 다른 디렉터리에 새 기기를 만드세요: ") + newDevice
  static let nothingToLeave = Phrase(
    "there is no other device in the group: there is nothing to leave", "그룹에 다른 기기가 없어 떠날 것이 없습니다")
  static let noTerminalToLeave = Phrase(
    "there is no terminal to ask on: say --yes to leave the group for good",
    "물어볼 터미널이 없습니다. 그룹을 완전히 떠나려면 --yes 옵션을 쓰세요")
  static let noTerminalToAccept = Phrase(
    "there is no terminal to ask on: look at the clock, and say --yes if it is right",
    "물어볼 터미널이 없습니다. 시계를 보고, 맞으면 --yes 옵션을 쓰세요")
  static let noRecoveryKey = Phrase(
    "no recovery key came on standard input: type it, or pass it in by a pipe",
    "표준 입력에 복구 키가 없습니다. 직접 입력하거나 파이프로 넘기세요")

  static func unreadable(_ file: String) -> Phrase {
    Phrase(
      "\(file) cannot be read, or is empty: check its name and who may read it",
      "\(file) 파일을 읽을 수 없거나 비어 있습니다. 이름과 읽기 권한을 확인하세요")
  }

  static func tooLong(_ file: String, mebibytes: Int) -> Phrase {
    Phrase(
      "\(file) is longer than the \(mebibytes) MiB that are taken at once: check its name, or split it",
      "\(file) 파일이 한 번에 받는 \(mebibytes) MiB보다 깁니다. 이름을 확인하거나 나누어 쓰세요")
  }

  static func notExported(_ file: String) -> Phrase {
    Phrase(
      "\(file) is not what `peerd export` wrote; a catalogue goes in with `peerd catalogue add`",
      "\(file) 파일은 `peerd export` 명령으로 쓴 것이 아닙니다. 카탈로그는 `peerd catalogue add` 명령으로 넣으세요")
  }

  static func itemsRefused(_ refused: Int, of count: Int) -> Phrase {
    let items = count == 1 ? "the item was" : "\(refused) of \(count) items \(refused == 1 ? "was" : "were")"
    return Phrase(
      "\(items) refused; see above", "항목 \(count)개 가운데 \(refused)개가 거부되었습니다. 위를 보세요")
  }

  static func noSignedItems(
    _ file: String, _ count: Int, _ number: Int, _ line: String, _ reason: Phrase?
  ) -> Phrase {
    Phrase(
      "\(file) is no file of signed items, one a line: none of its \(count) lines is one; line \(number), for example, is `\(line)`",
      "\(file) 파일은 서명된 항목을 한 줄에 하나씩 쓴 파일이 아닙니다. \(count)줄 가운데 맞는 줄이 없습니다. 예를 들어 \(number)번째 줄은 `\(line)`")
      + (reason.map { Phrase(", and ", ": ") + $0 } ?? Phrase.same(""))
  }

  static func gaveUp(after seconds: Double, _ missing: Phrase) -> Phrase {
    Phrase("gave up after \(seconds) s: ", "\(seconds)초를 기다렸습니다: ") + missing
  }

  static func digestIs(_ digest: String) -> Phrase {
    Phrase("the digest is \(digest)", "다이제스트는 \(digest)입니다")
  }

  static func peersConnected(_ count: Int, of wanted: Int) -> Phrase {
    Phrase("\(count) of \(wanted) peers are connected", "기기 \(wanted)대 가운데 \(count)대가 연결되었습니다")
  }

  // MARK: Nobody answers

  static func noDaemon(_ directory: String) -> Phrase {
    Phrase(
      "no daemon is running on \(directory): start one with `peerd run --data \(directory)`",
      "\(directory)에서 실행 중인 데몬이 없습니다. `peerd run --data \(directory)` 명령으로 시작하세요")
  }

  static func databaseGone(_ directory: String) -> Phrase {
    Phrase(
      "peerd.db is gone from \(directory), and its daemon ends at the next write: save what it holds with `peerd export`, stop it, and "
        + "put a backup of the directory back",
      "\(directory)에 peerd.db 파일이 없습니다. 실행 중인 데몬은 다음에 쓸 때 끝납니다. `peerd export` 명령으로 내용을 저장하고 데몬을 멈춘 뒤 디렉터리의 백업을 되돌리세요"
    )
  }

  static func noStore(_ directory: String) -> Phrase {
    Phrase(
      "no sandbox store is running on \(directory): start one with `peerd store --data \(directory) --http HOST:PORT`, at the address that devices have",
      "\(directory)에서 실행 중인 샌드박스 스토어가 없습니다. `peerd store --data \(directory) --http HOST:PORT` 명령으로 기기에 지정한 주소에서 시작하세요"
    )
  }

  static func holdsStore(_ directory: String) -> Phrase {
    Phrase(
      "\(directory) holds a sandbox store and no device: name a device's directory with --data, or see `peerd store --help`",
      "\(directory)에는 기기가 아니라 샌드박스 스토어가 있습니다. --data 옵션으로 기기의 디렉터리를 지정하거나 `peerd store --help` 명령을 보세요")
  }

  static func holdsDevice(_ directory: String) -> Phrase {
    Phrase(
      "\(directory) holds a device and no sandbox store: name the store's directory with --data",
      "\(directory)에는 샌드박스 스토어가 아니라 기기가 있습니다. --data 옵션으로 스토어의 디렉터리를 지정하세요")
  }

  static func noDevice(_ directory: String) -> Phrase {
    Phrase(
      "there is no device in \(directory): make one with `peerd init --data \(directory)`, or name another directory with --data",
      "\(directory)에 기기가 없습니다. `peerd init --data \(directory)` 명령으로 만들거나, --data 옵션으로 다른 디렉터리를 지정하세요")
  }
}

// What to do on the command line about what a daemon refuses: the API itself knows nothing of commands.
extension Phrase {
  /// What to do, where a command does it.
  package static func remedy(_ problem: Problem) -> Phrase? {
    switch problem.code {
    case .unknownProduct:
      Phrase("`peerd products` lists what there is", "`peerd products` 명령으로 상품을 볼 수 있습니다")
    case .unknownTransaction:
      Phrase("`peerd transactions` lists them", "`peerd transactions` 명령으로 거래를 볼 수 있습니다")
    case .unknownDevice: Phrase("`peerd devices` lists them", "`peerd devices` 명령으로 기기를 볼 수 있습니다")
    case .storeUnreachable:
      Phrase(
        "`peerd store --data DIR --http HOST:PORT` starts it there, and `peerd config store URL` names another",
        "`peerd store --data DIR --http HOST:PORT` 명령으로 그 주소에서 시작하거나 `peerd config store URL` 명령으로 다른 스토어를 지정하세요"
      )
    case .notListening:
      Phrase(
        "`peerd config listen HOST:PORT` or `peerd config lan yes`, then start it again",
        "`peerd config listen HOST:PORT` 또는 `peerd config lan yes` 명령 뒤에 다시 시작하세요")
    case .offline: Phrase("run `peerd online` first", "먼저 `peerd online` 명령을 실행하세요")
    case .removed: Phrase("in another directory: ", "다른 디렉터리에서: ") + newDevice
    // Whatever else may be the reason, a new invitation does not mend it.
    case .notAdmitted where problem.reason == .wrongCode || problem.reason == .noInvitation:
      Phrase("`peerd invite` there makes one", "그 기기에서 `peerd invite` 명령을 쓰세요")
    default: nil
    }
  }

  /// What to do about a product of which too little is stated.
  static let lackRemedy = Phrase(
    ". Add a file that says it with `peerd catalogue add FILE`: then purchases count, this one too",
    ". 그 내용을 넣은 파일을 `peerd catalogue add FILE` 명령으로 추가하면 이 구입을 포함해 모두 계산됩니다")

  /// The same of a sandbox store, whose codes are the same and whose commands are others.
  static func storeRemedy(_ code: Problem.Code) -> Phrase? {
    switch code {
    case .unknownProduct:
      Phrase("`peerd store products` lists what it sells", "`peerd store products` 명령으로 상품을 볼 수 있습니다")
    case .unknownTransaction, .invalidValue, .storeRefused:
      Phrase(
        "`peerd store show` and `peerd store products` tell what there is",
        "`peerd store show`, `peerd store products` 명령으로 확인할 수 있습니다")
    default: nil
    }
  }
}
