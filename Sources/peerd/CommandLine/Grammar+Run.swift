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
    return .run(
      RunOptions(
        listen: listen, http: try values.loopback(.http), peers: try values.reachableAddresses(.peer),
        discovers: discovers, interface: interface, clockOffset: try values.offset(.clockOffset),
        store: try values.store(), account: values.text(.account), log: log))
  }
}
