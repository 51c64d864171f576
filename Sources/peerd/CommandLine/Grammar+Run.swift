import PeerSync

// What `peerd run` is told.
extension Grammar {
  static let runCommand: @Sendable (inout Values) throws(UsageError) -> Command = {
    values throws(UsageError) in
    let log = LogOptions(
      format: try values.choice(.logFormat, default: .text),
      level: try values.choice(.logLevel, default: .info))
    let isLocal = values.isSet(.lan)
    let everywhere = isLocal ? Address(host: "::", port: 7400) : nil
    let listen = try values.numericAddresses(.listen).last ?? everywhere
    let discovers = isLocal || values.isSet(.discover)
    guard !discovers || listen != nil else {
      throw values.error("--discover goes with --listen, or take --lan")
    }
    if discovers, let listen, (try? Socket.requireLoopback(listen)) != nil {
      throw values.error(
        "no other device reaches \(listen), so there is nothing to announce: listen on an address of the network, on 0.0.0.0:PORT or "
          + "on [::]:PORT, or leave --lan and --discover out")
    }
    let interface = values.text(.interface)
    guard interface == nil || discovers else {
      throw values.error("--interface goes with --lan or --discover")
    }
    let announcement = try values.choice(.announce, default: Announcement.all)
    guard announcement == .all || !discovers else {
      throw values.error("--announce none goes without --lan and --discover, which announce the device")
    }
    return .run(
      RunOptions(
        listen: listen, http: try values.loopback(.http), peers: try values.reachableAddresses(.peer),
        discovers: discovers, interface: interface, announces: announcement == .all,
        clockOffset: try values.offset(.clockOffset),
        store: try values.store(), account: values.text(.account), log: log))
  }
}

/// What a device tells its members of where it listens.
private enum Announcement: String, CaseIterable {
  case all
  case none
}
