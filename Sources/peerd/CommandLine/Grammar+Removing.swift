import PeerSync

// Taking a device out of its group.
extension Grammar {
  static let removing = CommandSpec(
    name: "remove", summary: "remove a device from the group, for good",
    details: """
      What the device decides from then on counts nowhere; what it bought counts on. Its key never comes back.
      With --all everything that it ever decided is taken back (dates, grants, values, products), and what others had
      decided stands again; only what it had replaced of its own is gone. With --since that is so of what it decided since
      then: what this device knew of it when the hour of that time began counts on, whatever its stamps say. Purchases stay,
      and so does what it has spent. A recovery key, printed by `peerd init`, removes only the device it was made for and
      those that came in below it. It outranks them: use it when a stolen device might remove others. If the device it was
      made for had joined another group, those below it leave that group again. Devices that it let in stay, but for those
      that --disown names: what a thief let in goes with the stolen device. Asks on a terminal. To remove this device itself,
      use `peerd leave`.
      """,
    operands: [OperandSpec(name: "DEVICE", help: "its id, the first group of its id, or its name")],
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
