// The group and the network.
extension Daemon {
  /// The group's devices, this one included, the most senior first, and those that were removed.
  ///
  /// - Throws: ``StorageError`` when the disk has failed.
  public func devices() throws -> DevicesAnswer { try devices(takenBack: nil) }

  private func devices(takenBack: TakenBackAnswer?) throws -> DevicesAnswer {
    try read { engine, _ in
      let peers = Dictionary(engine.peers.map { ($0.device, $0) }) { $1 }
      let group = engine.group
      let devices = group.members.map { member in
        let isSelf = member.key == engine.identity.key
        let peer = peers[member.id]
        return DeviceAnswer(
          id: member.id.description, name: member.name, isSelf: isSelf,
          address: (isSelf ? engine.listeningAddresses?.first : peer?.address)?.description,
          connected: isSelf || peer?.isConnected == true, inSync: isSelf || peer?.isInSync == true,
          lastSeen: peer?.lastSeen, letInBy: group.host(of: member)?.id.description)
      }
      let removed = group.removed.map {
        RemovedDeviceAnswer(id: $0.device.id.description, name: $0.device.name)
      }
      return DevicesAnswer(
        group: engine.identity.group.description, devices: devices, removed: removed, takenBack: takenBack)
    }
  }

  /// Calls this device something else, on every device of the group.
  ///
  /// - Parameter name: 1 to ``Limits/textBytes`` bytes of UTF-8 without control or formatting characters
  /// - Throws: a ``Problem`` (`invalid-value`) for anything else, and when another copy of the device is at work or the ledger is
  ///   full; ``DaemonError/stopped`` before ``start()`` and after ``stop()``; ``StorageError`` when the disk has failed
  public func rename(to name: String) async throws -> DevicesAnswer {
    try await require(.rename(name))
    return try devices()
  }

  /// Opens a one-time invitation, which replaces one that is still open.
  ///
  /// - Throws: a ``Problem`` when the device does not listen, is offline, was removed or has another copy at work;
  ///   ``DaemonError/stopped`` before ``start()`` and after ``stop()``; ``StorageError`` when the disk has failed
  public func invite() async throws -> InvitationAnswer {
    let code = drawInvitationCode()
    let key = try await InvitationKey.stretched(from: code)
    let expires = clock.now().wall.advanced(byMilliseconds: Limits.invitationMilliseconds)
    let invitation = Invitation(key: key, expires: expires)
    let answer = try await require(.invite(invitation, isAnnounced: isAnnounced))
    guard case .invited(let address) = answer else { throw Problem(.failed) }
    let url = address.map { InvitationURL(address: $0, code: code).description }
    return InvitationAnswer(url: url, code: code.letters, announced: isAnnounced, expires: expires)
  }

  /// Joins the group of the device that made an invitation. The two groups become one.
  ///
  /// - Parameter text: an invitation such as `peersync://192.168.1.5:7401/ABCD-EFGH-JKMN`; or its code alone, where the two devices
  ///   find each other on the local network
  /// - Throws: a ``Problem`` for a text that is not an invitation, when the other device cannot be reached or says no, while
  ///   another join is under way, and when this device is offline, was removed or has another copy at work;
  ///   ``DaemonError/stopped`` before ``start()`` and after ``stop()``; ``StorageError`` when the disk has failed
  public func join(_ text: String) async throws -> MembershipAnswer {
    if let code = InvitationCode(text) {
      let key = try await InvitationKey.stretched(from: code)
      try await joinNearby(key)
      return MembershipAnswer(group: try read { engine, _ in StatusAnswer.GroupSummary(engine) })
    }
    guard let url = InvitationURL(text) else {
      throw Problem(
        .invalidValue,
        Phrase(
          "'\(text)' is not an invitation such as peersync://192.168.1.5:7401/ABCD-EFGH-JKMN",
          "‘\(text)’ 값은 peersync://192.168.1.5:7401/ABCD-EFGH-JKMN 같은 초대가 아닙니다"))
    }
    do throws(SocketError) { try Socket.requireNumeric(url.address) } catch {
      throw Problem(.invalidValue, error.told)
    }
    let key = try await InvitationKey.stretched(from: url.code)
    try await require(.join(url.address, key))
    return MembershipAnswer(group: try read { engine, _ in StatusAnswer.GroupSummary(engine) })
  }

  /// Looks for the device that made an invitation and joins there. A device is announced before all of its addresses can be reached, and
  /// one may be found before the others: while nobody shows to know the code and there is time, it looks again. Others may repeat the
  /// announcement from anywhere: each new address is tried as long as there is more time than that.
  private func joinNearby(_ key: InvitationKey) async throws {
    let begin = clock.now().monotonic
    let end = begin + UInt64(Limits.invitationSearchMilliseconds)
    var tried: Set<Address> = []
    while true {
      let now = clock.now().monotonic
      let found = await find(key, withinMilliseconds: max(1, Int(clamping: end) - Int(clamping: now)))
      let news = found.filter { !tried.contains($0) }
      // Once the time is over those that were tried are not tried again.
      let next = now < end ? news + found.filter { tried.contains($0) } : news
      guard !next.isEmpty else { throw try notFound(tried) }
      switch try await perform(.joinAny(next, key)).refusal {
      case nil: return
      case .unreachable?: tried.formUnion(next.prefix(Limits.joinAddresses))
      case let other?: throw Problem(other)
      }
      guard clock.now().monotonic < begin + Limits.joinSearchMilliseconds else { throw try notFound(tried) }
      try await Task.sleep(for: .milliseconds(Limits.redialMinimumMilliseconds))
    }
  }

  /// Removes a device from the group, for good. What it decides from now on counts nowhere; what it bought counts on. One that was
  /// removed before, or has left, may be removed again to take back what it decided.
  ///
  /// - Parameters:
  ///   - device: its id, the first group of its id, or its name if only one has it
  ///   - recoveryKey: what `create` gave for the device to be removed, or for one that it came in below; nil: by this
  ///     device's own right. With it a device is found that has put this one out, by leaving once more as if it had not let it in
  ///   - takingBack: which of its decisions are taken back
  ///   - disowned: devices that it let in and that go with it, also such as have left, each by its id or name
  /// - Throws: a ``Problem`` for a device that is not in the group or a name that several have, for a text that is no
  ///   recovery key, for one that another device let in, when the removal would have no effect, when with those that are disowned
  ///   others would be out, when this device was removed, and when it would leave and nobody has said within 3 s to hold all that it
  ///   does; ``DaemonError/stopped`` before ``start()`` and after ``stop()``; ``StorageError`` when the disk has failed
  public func remove(
    _ device: String, recoveryKey: String? = nil, takingBack: TakingBack = .nothing,
    disowning disowned: [String] = []
  ) async throws -> DevicesAnswer {
    let end = clock.now().monotonic + Limits.spendWaitMilliseconds
    while true {
      do {
        return try await removeAtOnce(device, recoveryKey, takingBack, disowning: disowned)
      } catch let problem as Problem where problem == .notHeardOf && clock.now().monotonic < end {
        // Who leaves has to have heard that another holds all that it does, and peers say so by themselves only once a minute.
        try await require(.probe)
        try await Task.sleep(for: .milliseconds(Limits.redialMinimumMilliseconds))
      }
    }
  }

  private func removeAtOnce(
    _ device: String, _ recoveryKey: String?, _ takingBack: TakingBack, disowning disowned: [String]
  ) async throws -> DevicesAnswer {
    let (removal, takenBack) = try removal(of: device, recoveryKey, takingBack, disowning: disowned)
    if let refusal = try await perform(removal).refusal {
      throw try read { engine, _ in
        Problem(refusal, removing: device, from: engine.group, asked: engine.identity.device)
      }
    }
    return try devices(takenBack: takenBack)
  }

  /// What a removal would take back of what a device has decided. Nothing is removed.
  ///
  /// - Parameters: as for ``remove(_:recoveryKey:takingBack:disowning:)``
  /// - Throws: what that would throw
  public func takenBack(
    of device: String, recoveryKey: String? = nil, _ takingBack: TakingBack,
    disowning disowned: [String] = []
  ) throws -> TakenBackAnswer {
    try removal(of: device, recoveryKey, takingBack, disowning: disowned).takenBack
  }

  /// A removal that would have an effect, and what it would take back.
  private func removal(
    of device: String, _ recoveryKey: String?, _ takingBack: TakingBack, disowning disowned: [String]
  ) throws -> (Request, takenBack: TakenBackAnswer) {
    let key = try recoveryKey.map { text in
      guard let key = RecoveryKey(text) else { throw Problem.notRecoveryKey }
      return key.signingKey
    }
    return try read { engine, now in
      let group = engine.group
      let member = try engine.member(called: device, by: key)
      let letIn = Set(
        try disowned.map { try engine.member(called: $0, letInBy: member).id })
      do throws(Refusal) {
        let taken = try engine.engine.takenBack(
          byRemoving: member.id, by: key, takingBack, disowning: letIn, now: now)
        return (
          .remove(member.id, recoveryKey: key, takingBack: takingBack, disowning: letIn),
          TakenBackAnswer(
            taken, heldBack: engine.engine.holdsBack(member.id, at: now), knownTo: engine.engine)
        )
      } catch {
        throw Problem(error, removing: device, from: group, asked: engine.identity.device)
      }
    }
  }

  /// Has a peer dial this device wherever it says that it listens: only another device can tell whether it is reached. It may take 15
  /// seconds.
  ///
  /// - Throws: ``DaemonError/stopped`` before ``start()`` and after ``stop()``; ``StorageError`` when the disk has failed
  public func dialBack() async throws -> DialBackAnswer {
    guard case .dialledBack(let peer, let dialled) = try await require(.dialBack) else {
      return DialBackAnswer(peer: nil, addresses: [])
    }
    return DialBackAnswer(
      peer: peer?.description,
      addresses: dialled.map {
        DialBackAnswer.Dialled(address: $0.address.description, reached: $0.isReached)
      })
  }

  /// Cuts the device off from its peers, or lets it back.
  ///
  /// - Throws: ``DaemonError/stopped`` before ``start()`` and after ``stop()``; ``StorageError`` when the disk has failed
  public func setOnline(_ online: Bool) async throws -> NetworkAnswer {
    try await require(.setOnline(online))
    return NetworkAnswer(online: online)
  }
}

extension Problem {
  /// Why a device is not removed.
  fileprivate init(
    _ refusal: Refusal, removing device: String, from group: MembershipGroup, asked: DeviceID
  ) {
    if case .goAlong(let devices) = refusal {
      let members = group.members.filter { devices.contains($0.id) }
      self = devices == [asked] ? .wouldGoItself : .goAlong(members.map { "\($0.name) (\($0.id.shortForm))" })
      return
    }
    guard case .notComplete = refusal else {
      self.init(refusal)
      return
    }
    self.init(
      .notComplete,
      Phrase(
        "this device has lost a part of what it knew, and all of it that '\(device)' wrote would be void: connect it to "
          + "another device of the group first, or remove from there; if there is none any more, take back all that it ever decided",
        "이 기기는 알던 것의 일부를 잃어, 그 가운데 ‘\(device)’ 기기가 쓴 것이 모두 무효가 됩니다. 먼저 그룹의 다른 기기에 연결하거나, 그 기기에서 "
          + "제거하세요. 그런 기기가 더 없으면 그 기기가 정한 것을 모두 되돌리세요"))
  }

  package static let notRecoveryKey = Problem(
    .invalidValue,
    Phrase(
      "that is not a recovery key: check it for a wrong or missing character",
      "복구 키가 아닙니다. 틀리거나 빠진 글자가 있는지 확인하세요"))
}

extension EngineView {
  /// A device to be removed. By a recovery key that may be one above this one that has left, and put it out by that. Of several that are
  /// called alike it is the one whose key it is, and of those above this one the nearest: a thief may have named others like it.
  package func member(
    called text: String, by recoveryKey: SigningKey?
  ) throws(Problem) -> MembershipGroup.Device {
    let above = engine.above.map(\.device)
    let devices = [engine.group.members, engine.group.removed.map(\.device), above]
    let own = MembershipGroup.Device.called(
      text, among: devices.map { $0.filter { self.recoveryKey(of: $0) == recoveryKey?.publicKey } })
    let isAbove = own.first.map(above.contains) ?? false
    let called = own.count == 1 || isAbove ? [own[0]] : MembershipGroup.Device.called(text, among: devices)
    let device = try MembershipGroup.Device.only(of: called, calledBy: text)
    guard recoveryKey == nil, above.contains(device) else { return device }
    throw Problem(
      .unknownDevice,
      Phrase(
        "no device '\(text)' is in the group: it has left, or was removed, as if it had let nobody of it in. The recovery key of "
          + "the group's first device can remove it, and then those that it had let in are of one group again",
        "그룹에 ‘\(text)’ 기기가 없습니다. 이 그룹의 기기를 들인 적이 없는 것처럼 떠났거나 제거되었습니다. 그 그룹의 첫 기기의 복구 키로 제거하면 그 기기가 들였던 "
          + "기기들이 다시 한 그룹이 됩니다"))
  }

  private func recoveryKey(of device: MembershipGroup.Device) -> PublicKey? {
    guard case .found(let founding)? = engine.membership[device.founding]?.body else { return nil }
    return founding.recoveryKey
  }

  /// A device that another one has let in, also one that is out, or that it has put out.
  package func member(
    called text: String, letInBy host: MembershipGroup.Device
  ) throws(Problem) -> MembershipGroup.Device {
    let group = engine.group
    let called = MembershipGroup.Device.called(
      text, among: [group.members, group.removed.map(\.device), engine.devices(letInBy: host)])
    let device = try MembershipGroup.Device.only(of: called, calledBy: text)
    if device.key == engine.identity.key {
      throw Problem(
        .invalidValue,
        Phrase(
          "'\(text)' is the device that you ask: it cannot go with '\(host.name)'",
          "‘\(text)’ 기기는 지금 쓰는 기기여서 ‘\(host.name)’ 기기와 함께 제거할 수 없습니다"))
    }
    guard device.host != host.founding else { return device }
    let other =
      group.host(of: device).map { Phrase("'\($0.name)' did", "‘\($0.name)’ 기기가 들였습니다") }
      ?? Phrase("it is the first device of the group", "그룹의 첫 기기입니다")
    throw Problem(
      .invalidValue,
      Phrase(
        "'\(host.name)' did not let '\(text)' in: ", "‘\(host.name)’ 기기가 ‘\(text)’ 기기를 들인 것이 아닙니다. ")
        + other)
  }
}

extension MembershipGroup.Device {
  /// The devices that a text means, each once. An id goes before a name, for anybody may call itself by another one's. Of those of a
  /// name only the first list counts that has one: a member before somebody who was removed under the same name.
  fileprivate static func called(_ text: String, among lists: [[Self]]) -> [Self] {
    let id = DeviceID(text)
    let byId = lists.joined().filter { $0.id == id || $0.id.shortForm == text.uppercased() }
    let byName = lists.lazy.map { $0.filter { $0.name == text } }.first { !$0.isEmpty } ?? []
    var seen: Set<PublicKey> = []
    return (byId.isEmpty ? byName : byId).filter { seen.insert($0.key).inserted }
  }

  /// The one device of those that are called so.
  fileprivate static func only(of called: [Self], calledBy text: String) throws(Problem) -> Self {
    if let first = called.first, called.count == 1 { return first }
    guard !called.isEmpty else {
      throw Problem(
        .unknownDevice, Phrase("no device '\(text)' is in the group", "그룹에 ‘\(text)’ 기기가 없습니다"))
    }
    let ids = called.prefix(4).map(\.id.description).joined(separator: ", ") + (called.count > 4 ? ", …" : "")
    throw Problem(
      .unknownDevice,
      Phrase(
        "\(called.count) devices are called '\(text)': give the id, one of \(ids)",
        "‘\(text)’ 기기가 \(called.count)대 있습니다. ID를 지정하세요: \(ids)"))
  }
}
