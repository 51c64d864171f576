// The group and the network.
extension Daemon {
  /// The group's devices, this one included, by id.
  ///
  /// - Throws: ``StoreError`` when the disk has failed.
  public func devices() throws -> DevicesAnswer {
    try read { engine, _ in
      let peers = Dictionary(engine.peers.map { ($0.device, $0) }) { $1 }
      let devices = engine.members.map { member in
        let isSelf = member.device == engine.identity.device
        let peer = peers[member.device]
        return DeviceAnswer(
          id: member.device.description, name: member.name, isSelf: isSelf, joined: member.joined,
          address: (isSelf ? engine.listeningAddress : peer?.address)?.description,
          connected: isSelf || peer?.isConnected == true, inSync: isSelf || peer?.isInSync == true)
      }
      return DevicesAnswer(group: engine.identity.group.description, devices: devices)
    }
  }

  /// Opens a one-time invitation, which replaces one that is still open.
  public func invite() async throws -> InvitationAnswer {
    let made = Guarded<InvitationAnswer?>(nil)
    try await require { engine, now in
      guard let address = engine.listeningAddress else {
        throw Problem(
          .notListening, "the device does not listen: restart it with `peerd run --listen HOST:PORT`")
      }
      guard engine.isOnline else {
        throw Problem(.offline, "the device is offline: run `peerd online` first")
      }
      var generator = SystemRandomNumberGenerator()
      let url = InvitationURL(address: address, code: InvitationURL.makeCode(using: &generator))
      let expires = now.wall.advanced(byMilliseconds: Limits.invitationMilliseconds)
      made.withLock { $0 = InvitationAnswer(url: url.description, code: url.code, expires: expires) }
      return .invite(code: url.code, expires: expires)
    }
    return try made.made()
  }

  /// Joins the group of the device that made an invitation.
  public func join(_ text: String) async throws -> MembershipAnswer {
    guard let url = InvitationURL(text) else {
      throw Problem(
        .invalidValue, "'\(text)' is no invitation such as peersync://127.0.0.1:7401/ABCDEFGHJKMN")
    }
    do throws(SocketError) { try Socket.requireLoopback(url.address) } catch {
      throw Problem(.invalidValue, error.description)
    }
    try await require { _, _ in .join(url.address, code: url.code) }
    return MembershipAnswer(group: try read { engine, _ in StatusAnswer.GroupSummary(engine) })
  }

  /// Cuts the device off from its peers, or lets it back.
  public func setOnline(_ online: Bool) async throws -> NetworkAnswer {
    try await require { _, _ in .setOnline(online) }
    return NetworkAnswer(online: online)
  }
}
