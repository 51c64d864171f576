// What `status` warns of: who belongs to the group.
extension Phrase {
  static let wasRemoved = Phrase(
    StatusAnswer.wasRemoved,
    "이 기기는 그룹에서 제거되었습니다. 여기서 정한 것은 다른 곳에서 계산되지 않습니다. 새 기기를 만들어 그룹에 들어오게 하고, 다른 기기가 모르는 "
      + "구입이 여기 있으면 내보내어 거기서 가져오세요")

  static let isOutWithHost = Phrase(
    "the device that let the first one of this group in was removed, and this group is out with it: let that first one join the other group "
      + "again, and what was bought here counts there again; if this group is to go on by itself, let another device join it",
    "이 그룹의 첫 기기를 받아들인 기기가 제거되어 이 그룹도 함께 빠졌습니다. 그 첫 기기를 저쪽 그룹에 다시 참여시키면, 여기서 구입한 것이 "
      + "저쪽에서 다시 계산됩니다. 이 그룹을 따로 쓰려면 다른 기기를 참여시키세요")

  static func isPutOut(by name: String) -> Phrase {
    Phrase(
      "\(name), by which this device came in, has signed that it leaves as if it had not let this one in, and so it is out: if \(name) was "
        + "stolen, or its disk set back, have a device remove it that is senior to it, or remove it here with the recovery key of the "
        + "group's first device; otherwise let this device join the others again",
      "이 기기를 들어오게 한 ‘\(name)’ 기기가 이 기기를 들인 적이 없는 것처럼 떠난다고 서명해, 이 기기가 빠졌습니다. ‘\(name)’ 기기를 도난당했거나 그 디스크가 이전 "
        + "상태로 되돌아갔다면, 그보다 먼저 들어온 기기에서 제거하거나 여기서 그룹의 첫 기기의 복구 키로 제거하세요. 아니라면 이 기기를 다른 기기에 다시 참여시키세요")
  }

  static func areParted(_ devices: [String], from first: String) -> Phrase {
    Phrase("by what was signed this device is in two groups, and ", "서명된 기록에 따르면 이 기기가 두 그룹에 있습니다. ")
      + list(devices)
      + Phrase(
        " may go on in the one that \(first) began: they are connected and not in sync. Make new devices of those of one group, and let them join the other",
        " 기기는 ‘\(first)’ 기기가 시작한 그룹에 있을 수 있어, 연결되어도 동기화되지 않습니다. 한쪽 기기들을 새 기기로 만들어 다른 쪽에 참여시키세요")
  }

  /// - Parameters:
  ///   - devices: those that it had let in itself: these can be named with `--disown`
  ///   - isBelow: whether this device can bring them back by its own right
  static func putOut(_ devices: [String], by name: String, isBelow: Bool) -> Phrase {
    Phrase("\(name) has signed that it leaves as if it had not let in ", "‘\(name)’ 기기가 ") + list(devices)
      + Phrase(
        ", and they are out with all below them: remove \(name) \(isBelow ? "here" : "on a device that is senior to it, or with the first device's recovery key"), "
          + "and they are members again; whom you do not know name with --disown",
        " 기기를 들인 적이 없는 것처럼 떠난다고 서명해, 그 기기들이 그 아래 기기들과 함께 빠졌습니다. "
          + "\(isBelow ? "여기서" : "그보다 먼저 들어온 기기에서, 또는 첫 기기의 복구 키로") ‘\(name)’ 기기를 제거하면 다시 구성원이 됩니다. 모르는 기기는 "
          + "--disown으로 지정하세요")
  }

  /// - Parameter isBelow: whether this device is senior to the one that has left
  static func broughtBack(_ devices: [String], by name: String, isBelow: Bool) -> Phrase {
    Phrase(
      "after \(name) had left, its key or its recovery key has signed that it had not removed these, and so they are members again: ",
      "‘\(name)’ 기기가 떠난 뒤에 그 키나 복구 키로 다음 기기를 제거한 적이 없다고 서명해, 그 기기들이 다시 구성원이 되었습니다: ") + list(devices)
      + Phrase(
        ". Remove those that you do not know. To keep them remove \(name) with --all "
          + "\(isBelow ? "here" : "on a device that is senior to it, or with the first device's recovery key"): all that it had decided is taken back",
        ". 모르는 기기는 제거하세요. 그대로 두려면 \(isBelow ? "여기서" : "그보다 먼저 들어온 기기에서, 또는 첫 기기의 복구 키로") ‘\(name)’ 기기를 --all로 "
          + "제거하세요. 그 기기가 정한 것은 모두 되돌려집니다")
  }

  static let staysAsTheLast = Phrase(
    "this device had left its group, but so have all others, and the last one stays: let other devices join to go on with it, or delete its "
      + "directory if nobody needs what is here",
    "이 기기는 그룹을 떠나려 했지만 다른 기기가 모두 떠나 마지막 기기로 남았습니다. 계속 쓰려면 다른 기기를 참여시키고, 여기 있는 것이 더 필요 없으면 이 기기의 "
      + "디렉터리를 지우세요")

  static func notAllIsHere(_ name: String) -> Phrase {
    Phrase(
      "no device of the group has all that \(name) wrote before it left or was removed: the one that had it may have left at the same moment. "
        + "Export what is there on those that are out, and import it here; then remove \(name) again, and only what is here counts",
      "‘\(name)’ 기기가 떠나거나 제거되기 전에 쓴 것이 그룹의 어느 기기에도 다 있지 않습니다. 그것을 가진 기기도 같은 때에 떠났을 수 있습니다. 빠진 기기에서 "
        + "내보내어 여기서 가져온 뒤 ‘\(name)’ 기기를 다시 제거하면, 여기 있는 것만 계산됩니다")
  }

  static let mayBeRemoved = Phrase(
    StatusAnswer.mayBeRemoved,
    "다른 기기에 연결했지만 그쪽에서 이 기기를 모릅니다. 떨어져 있는 동안 이 기기가 그룹에서 제거되었거나, 그쪽 디스크가 이전 상태로 되돌아갔을 수 있습니다. 다른 "
      + "기기에서 그룹의 기기 목록을 보고, 이 기기만 없으면 새 기기를 만들어 그룹에 들어오게 하고, 이 그룹의 기기를 하나도 모르는 기기는 이 기기의 초대로 다시 "
      + "들어오게 하세요")

  static func isNotKnown(to name: String) -> Phrase {
    Phrase(
      "\(name) was reached, and does not know this device: its disk may have been set back to before it joined, or it may have "
        + "joined another group; if that stays so let it join again here, or remove it",
      "‘\(name)’ 기기에 연결했지만 그 기기가 이 기기를 모릅니다. 그 디스크가 그룹에 들어오기 전으로 되돌아갔거나, 그 기기가 다른 그룹에 들어갔을 수 있습니다. "
        + "계속 그러면 그 기기를 이 기기의 초대로 다시 들어오게 하거나 제거하세요")
  }

  static func isClaimed(by name: String) -> Phrase {
    Phrase(
      "\(name) takes this device for a member of another group, by what this one has signed and does not know any more: its disk may have "
        + "been set back; let this device join there again, or remove it there",
      "‘\(name)’ 기기가 이 기기를 다른 그룹의 기기로 알고 있습니다. 이 기기가 서명했지만 더는 모르는 기록 때문입니다. 이 기기의 디스크가 이전 상태로 되돌아갔을 "
        + "수 있습니다. 이 기기를 그 그룹에 다시 들어오게 하거나, 거기에서 제거하세요")
  }

  /// - Parameters:
  ///   - senior: a member that can remove it for good; nil: its recovery key has to
  ///   - isGone: whether it is removed for good already, with nobody whom it let in
  static func crowds(_ name: String, _ records: Int, senior: String?, isGone: Bool) -> Phrase {
    Phrase(
      "\(name) and the devices that came in below it account for \(records) membership records: there is no room for more devices beside "
        + "them, and others may not know some; ",
      "‘\(name)’ 기기와 그 아래로 들어온 기기가 그룹 구성 기록 \(records)개를 차지해, 그 옆으로 들어올 기기의 자리가 없습니다. 다른 기기가 그 일부를 모를 수 "
        + "있습니다. ")
      + (isGone
        ? Phrase(
          "it is removed already, and others have named what it made up; ",
          "이미 제거되었지만, 그 기록을 다른 기록이 가리키고 있습니다. ")
        : crowdingEnds(senior: senior))
      + (senior.map {
        Phrase(
          "have \($0) invite new devices, and where there is no room either ",
          "새 기기는 ‘\($0)’ 기기에서 초대하고, 거기에도 자리가 없으면 ")
      } ?? .same(""))
      + Phrase(
        "go on with the devices that there are, or make new ones that join each other, and import there what is exported here",
        "지금 있는 기기로 계속 쓰거나, 새 기기를 만들어 서로 연결하고 여기서 내보낸 것을 거기서 가져오세요")
  }

  private static func crowdingEnds(senior: String?) -> Phrase {
    Phrase(
      "if it is stolen or dishonest, remove it ", "도난당했거나 정직하지 않은 기기라면, 이미 제거했더라도 ")
      + (senior.map { Phrase("on \($0)", "‘\($0)’ 기기에서") } ?? Phrase("with its recovery key", "그 기기의 복구 키로"))
      + Phrase(
        ", also if that was done before (--all also takes back what it decided, --disown removes whom it let in, also those that have "
          + "left), and pair again whom others lack; otherwise ",
        " 제거하고(--all은 정한 것도 되돌리고, --disown은 그 기기가 받아들인 기기를, 이미 떠났더라도 제거합니다), 다른 기기가 모르는 기기를 다시 "
          + "연결하세요. 그런 기기가 아니라면, ")
  }

  static func knowsStrangers(_ name: String) -> Phrase {
    Phrase(
      "\(name) knows devices of the group that this one does not, and there may be no room for their records here: what they write is "
        + "left out, and the two are not in sync; compare the devices of the group on both, and remove the one that let those in which "
        + "only \(name) knows, also if it has left",
      "‘\(name)’ 기기는 이 기기가 모르는 그룹의 기기를 알고 있고, 여기에는 그 기록이 들어갈 자리가 없을 수 있습니다. 그런 기기가 쓴 것은 빼므로 두 기기가 "
        + "동기화되지 않습니다. 두 기기에서 그룹의 기기 목록을 견주어 보고, ‘\(name)’ 기기만 아는 기기를 들어오게 한 기기를, 이미 떠났더라도 제거하세요")
  }
}
