import PeerSync

// Taking a device out of its group.
extension Grammar {
  static let removing = CommandSpec(
    name: "remove", summary: Phrase("remove a device from the group, for good", "그룹에서 기기를 완전히 제거"),
    details: Phrase(
      """
      What the device decides from then on counts nowhere; what it bought counts on. Its key never comes back.
      With --all everything that it ever decided is taken back (dates, grants, values, products), and what others had
      decided stands again; only what it had replaced of its own is gone. With --since that is so of what it decided since
      then: what this device knew of it when the hour of that time began counts on, whatever its stamps say. Purchases stay,
      and so does what it has spent. A recovery key, printed by `peerd init`, removes only the device it was made for and
      those that came in below it. It outranks them: use it when a stolen device might remove others. If the device it was
      made for had joined another group, those below it leave that group again. Devices that it let in stay, but for those
      that --disown names: what a thief let in goes with the stolen device. Whoever came in after it would go as well: that is
      refused, with their names, until --disown names them too. A device that was removed before, or has left, can be removed
      again with --all or --since. Asks on a terminal. To remove this device itself, use `peerd leave`.
      """,
      """
      그때부터 그 기기에서 정하는 것은 어디에서도 인정되지 않고, 구입한 것은 그대로 유효합니다. 그 키는 다시 쓸 수 없습니다.
      --all 옵션을 쓰면 그 기기에서 정한 것(날짜, 부여, 값, 상품)을 모두 되돌려 다른 기기에서 정했던 것이 다시
      유효해집니다. 그 기기가 스스로 바꾼 이전 값만 사라집니다. --since 옵션을 쓰면 그때부터 정한 것만 되돌립니다. 그 시각이
      속한 한 시간이 시작될 때 이 기기가 알고 있던 것은 찍힌 시각과 관계없이 그대로 유효합니다. 구입과 사용한 크레딧은 남습니다.
      `peerd init` 명령이 출력한 복구 키로는 그 키를 만든 기기와 그 아래로 들어온 기기만 제거할 수 있습니다. 복구 키는
      그 기기들에 우선하므로, 도난당한 기기가 다른 기기를 제거할 수 있을 때 쓰세요. 키를 만든 기기가 다른 그룹에 들어갔으면, 그
      아래의 기기는 그 그룹을 떠납니다. 그 기기가 들인 기기는 남고, --disown 옵션으로 지정한 기기만 함께 제거됩니다. 도둑이
      들인 기기는 도난당한 기기와 함께 제거하세요. 지정한 기기보다 나중에 들어온 기기도 빠지게 되면 거부되고, 그 이름이
      나옵니다. 그 기기도 --disown 옵션으로 지정하면 됩니다. 이미 제거되었거나 떠난 기기도 --all 또는 --since 옵션으로 다시 제거할 수
      있습니다. 터미널에서는 먼저 묻습니다. 이 기기 자신을 빼려면 `peerd leave` 명령을 쓰세요.
      """),
    operands: [
      OperandSpec(
        name: "DEVICE",
        help: Phrase("its id, the first group of its id, or its name", "기기의 ID, ID의 첫 묶음, 또는 이름"))
    ],
    options: [.all, .since, .disown, .recoveryKey, .yesOrScript],
    examples: [
      "peerd remove --data phone Tablet", "peerd remove --data phone Tablet --all",
      "peerd remove --data phone Tablet --since 2026-11-20T09:00:00Z",
      "peerd remove --data tablet Phone --recovery-key -",
      "peerd remove --data tablet Phone --disown Unknown --recovery-key -",
    ],
    build: { values throws(UsageError) in
      let (isAll, since) = (values.isSet(.all), try values.time(.since))
      guard !isAll || since == nil else { throw values.error(.either("--all", or: "--since")) }
      let takingBack = since.map { TakingBack.since($0) } ?? (isAll ? .everything : .nothing)
      return .remove(
        RemoveOptions(
          device: values.required(0), recoveryKey: values.text(.recoveryKey), takingBack: takingBack,
          disowned: values.texts(.disown), isConfirmed: values.isSet(.yesOrScript)))
    })
}
