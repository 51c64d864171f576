import Foundation
import PeerSync
import PeerSyncControl

/// `peerd remove`: takes a device out of the group, and what it has decided with it.
enum RemoveCommand {
  static func run(_ options: RemoveOptions, _ client: ControlClient, _ console: Console) async throws {
    let (id, name, letIn, members) = try await other(options, client)
    let path = "/v1/devices/\(options.device.asPathPart)"
    let asks = !options.isConfirmed && isatty(STDIN_FILENO) == 1
    let names = try await ProductNames(client)
    // Nobody is asked about what cannot be done.
    let key = try options.recoveryKey == "-" ? typedKey(console) : options.recoveryKey
    if let key, RecoveryKey(key) == nil { throw Failure(Problem.notRecoveryKey.told) }
    func body(_ disowned: [String]) -> RemoveBody {
      RemoveBody(recoveryKey: key, options.takingBack, disown: disowned)
    }
    var disowned = options.disowned
    var told: Set<String> = []
    if asks {
      if key != nil, disowned.isEmpty {
        // Whom it lets in again counts as well; where nothing could be done without a name, it is asked for all the same.
        let plain: TakenBackAnswer? = try? await client.send("POST", path + "/preview", body: body([]))
        let again = plain?.membersAgain?.filter(\.letIn).map { ($0.id, $0.name) } ?? []
        disowned = askDisowned(name, letIn.map { ($0.id, $0.name) } + again, console)
      }
      let preview: TakenBackAnswer = try await client.send(
        "POST", path + "/preview", body: body(disowned))
      let again = preview.membersAgain ?? []
      let out = preview.membersOut ?? []
      told = Set(again.map(\.id))
      let listed = options.takingBack != .nothing || preview.count > 0
      let takesBack =
        options.takingBack == .nothing
        ? .fallsBesides : Phrase.takesBack(name, since: since(options, console))
      try console.confirm(
        (again.isEmpty ? .same("") : .becomeMembersAgain(list(again.map { ($0.id, $0.name) })))
          + (out.isEmpty ? .same("") : .goOut(list(out.map { ($0.id, $0.name) })))
          + (listed ? takesBack + .same(text(preview, name, names, console)) : .same(""))
          + .same(heldBack(preview, name, console)) + (listed ? .removeIt : .removeForGood(name)))
    }
    let answer: DevicesAnswer = try await client.send("DELETE", path, body: body(disowned))
    // Whom one of those that go with it had removed is back. One that was not listed before is now.
    let removed = answer.removed.first { $0.id == id } ?? answer.removed.first { $0.name == name }
    tellStaying(name, answer.letIn(by: removed?.id ?? id), options, console)
    tellBack(answer.devices.filter { !members.contains($0.id) && !told.contains($0.id) }, console)
    if !asks { tellOut(answer.takenBack?.membersOut ?? [], console) }
    try console.print(answer) {
      (answer.takenBack.map {
        (options.takingBack == .nothing && $0.count == 0 ? "" : text($0, name, names, console))
          + heldBack($0, name, console)
      } ?? "")
        + console.style.good(console.words(.removedDevice))
        + console.words(.areLeft(Style.harmless(name), answer.devices.count)) + "\n"
    }
  }

  /// The device's id, what people call it, the other members that it let in, and the ids of all members. Of one that is not listed the daemon says whether a
  /// recovery key can remove it; the device that is asked is refused: a slip of the hand would be for good.
  private static func other(
    _ options: RemoveOptions, _ client: ControlClient
  ) async throws -> (id: String, name: String, letIn: [DeviceAnswer], members: Set<String>) {
    let device = options.device
    let group: DevicesAnswer = try await client.send("GET", "/v1/devices")
    let ids = Set(group.devices.map(\.id))
    let (members, gone) = (
      group.devices.map { ($0.id, $0.name, $0.isSelf) }, group.removed.map { ($0.id, $0.name, false) }
    )
    // An id goes before a name: anybody may call itself by another one's.
    let byId = (members + gone).filter { id, _, _ in
      DeviceID(id) == DeviceID(device) || DeviceID(id)?.shortForm == device.uppercased()
    }
    let byName = members.filter { $0.1 == device }
    // What was removed may have to be removed again, with what it decided. A recovery key outranks whoever did it.
    let takesRemoved = byName.isEmpty || options.recoveryKey != nil
    let called = byId.isEmpty ? byName + (takesRemoved ? gone.filter { $0.1 == device } : []) : byId
    guard let (id, name, isSelf) = called.first else { return (device, device, [], ids) }
    guard called.count == 1 else {
      // Whose key it is the daemon finds out.
      guard options.recoveryKey == nil else { return (device, device, [], ids) }
      throw Failure(.manyDevices(called.count, called: device))
    }
    guard !isSelf else { throw Failure(.isThisDevice(device)) }
    return (id, name, group.letIn(by: id), ids)
  }

  /// Whoever uses a recovery key may have lost the device to somebody, who may have let in others.
  private static func askDisowned(
    _ name: String, _ letIn: [(id: String, name: String)], _ console: Console
  ) -> [String] {
    guard !letIn.isEmpty else { return [] }
    Screen.errors().show(Console.harmless(console.words(.whichDisowned(list(letIn), by: name))))
    return (Input.line() ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty }
  }

  /// Says which devices that a stolen one had let in are still there.
  private static func tellStaying(
    _ name: String, _ staying: [DeviceAnswer], _ options: RemoveOptions, _ console: Console
  ) {
    guard options.recoveryKey != nil, !staying.isEmpty else { return }
    Screen.errors().show(Console.harmless(console.words(.letInStay(names(staying), by: name))) + "\n")
  }

  /// Says which devices are members again: whoever was removed had put them out, or had removed them.
  private static func tellBack(_ back: [DeviceAnswer], _ console: Console) {
    guard !back.isEmpty else { return }
    Screen.errors().show(Console.harmless(console.words(.membersAgain(names(back)))) + "\n")
  }

  /// Says which devices are members no more besides the one that was removed.
  private static func tellOut(_ out: [RemovedDeviceAnswer], _ console: Console) {
    guard !out.isEmpty else { return }
    let names = list(out.map { ($0.id, $0.name) })
    Screen.errors().show(Console.harmless(console.words(.membersOut(names))) + "\n")
  }

  private static func names(_ devices: [DeviceAnswer]) -> String {
    list(devices.map { ($0.id, $0.name) })
  }

  private static func list(_ devices: [(id: String, name: String)]) -> String {
    devices.map { "\($0.name) (\(DeviceID($0.id)?.shortForm ?? $0.id))" }.joined(separator: ", ")
  }

  private static func since(_ options: RemoveOptions, _ console: Console) -> String? {
    guard case .since(let time) = options.takingBack else { return nil }
    return console.date(time)
  }

  /// What is taken back, what stands in its place, and what is gone.
  private static func text(
    _ answer: TakenBackAnswer, _ device: String, _ names: ProductNames, _ console: Console
  ) -> String {
    guard answer.count > 0 else { return console.words(.nothingDecided) + "\n" }
    var table = console.table(.text(.takenBack), .text(.itSaid, .useful), .text(.then, .useful))
    for decision in answer.decisions {
      let (said, stands) = (decision.told, decision.standsTold)
      let then = stands.map { Phrase.then(readable($0, console), by: decision.by) }
      table.add(
        [
          what(decision, names, console), readable(said, console),
          console.words(then ?? .nothing),
        ])
    }
    let rest = answer.count - answer.decisions.count
    return (answer.decisions.isEmpty ? "" : table.text)
      + (rest > 0 ? console.words(.moreTakenBack(rest)) + "\n" : "")
      + (answer.replaced > 0
        ? console.words(.replacedAreGone(answer.replaced, of: Style.harmless(device))) + "\n" : "")
  }

  /// What nobody has taken in falls, whatever is taken back.
  private static func heldBack(_ answer: TakenBackAnswer, _ device: String, _ console: Console) -> String {
    answer.heldBack == true ? console.words(.heldBackFalls(Style.harmless(device))) + "\n" : ""
  }

  /// Of its own name a device decides, so there is no more to say.
  private static func what(
    _ decision: TakenDecisionAnswer, _ names: ProductNames, _ console: Console
  ) -> String {
    let kind = console.words(.decision(decision.kind))
    switch decision.kind {
    case "deviceName": return kind
    case "product": return kind + " " + names[decision.id]
    default: return kind + " " + decision.id
    }
  }

  /// With times as the terminal shows them.
  private static func readable(_ words: Phrase, _ console: Console) -> String {
    console.words(words).split(separator: " ").map { word in
      Instant(String(word)).map { console.date($0) } ?? String(word)
    }.joined(separator: " ")
  }

  /// A line of standard input: what a command line holds, every user of the machine may read.
  private static func typedKey(_ console: Console) throws -> String {
    if isatty(STDIN_FILENO) == 1 { Screen.errors().show(console.words(.recoveryKey)) }
    guard let line = Input.line() else {
      throw Failure(.noRecoveryKey)
    }
    return line
  }
}

extension DevicesAnswer {
  /// The other members that a device has let in.
  fileprivate func letIn(by id: String) -> [DeviceAnswer] {
    devices.filter { $0.letInBy == id && !$0.isSelf }
  }
}

extension TakenDecisionAnswer {
  /// ``said``, in every language.
  fileprivate var told: Phrase { Phrase(said, saidInKorean ?? said) }

  /// ``stands``, in every language.
  fileprivate var standsTold: Phrase? { stands.map { Phrase($0, standsInKorean ?? $0) } }
}
